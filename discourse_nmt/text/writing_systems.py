"""Characters of writing systems without spaces between words."""

import re

UNSPACED_LANGUAGES = {"zh", "ja"}

# Radicals to Yi (with kana, ideographs and CJK punctuation), compatibility ideographs, full-width forms,
# planes 2 and 3.
CJK = re.compile("[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]")


def is_cjk(character: str) -> bool:
    """Whether ``character`` is Chinese or Japanese, punctuation and full-width forms included."""
    return CJK.match(character) is not None


def is_spaced(character: str) -> bool:
    """Whether ``character`` is a letter or digit of a script with spaces between words."""
    return character.isalnum() and not is_cjk(character)
