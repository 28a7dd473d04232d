"""Languages of the sides of a corpus, from the names of its files or from its words."""

import re
from collections.abc import Sequence
from functools import cache

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import check_language
from discourse_nmt.text.stop_words import SHIPPED, stop_words

ENOUGH = 0.2  # least share of words that are stop words of the language
MARGIN = 1.25  # least ratio of that share to the one of the second language
SCRIPTS = {"ja": "[\u3040-\u30ff]", "ko": "[\uac00-\ud7af]", "zh": "[\u4e00-\u9fff]"}  # kana before ideographs


@cache
def known_codes() -> frozenset[str]:
    """The codes of languages with a list of stop words."""
    return frozenset(path.stem for path in SHIPPED.glob("*.txt")) | SCRIPTS.keys()


def named_languages(names: Sequence[str]) -> tuple[str, str] | None:
    """Languages of source and target that file names tell: ``talks.en`` and ``talks.de``, or ``talks.en-de.tsv``."""
    codes = [[part for part in re.split(r"[^a-z]+", name.lower()) if part in known_codes()] for name in names]
    if len(names) > 1:
        own = [[code for code in codes[side] if code not in codes[1 - side]] for side in (0, 1)]
        found = [side[-1] for side in own if side]
    else:
        found = codes[0]
    return (found[0], found[1]) if len(found) == 2 and found[0] != found[1] else None


def are_exchanged(given: tuple[str | None, str | None], told: tuple[str, str]) -> bool:
    """Whether the ``given`` languages, of which one may be absent, are those that names have ``told``, exchanged."""
    return given in ((told[1], told[0]), (told[1], None), (None, told[0]))


def language_of(sentences: Sequence[str]) -> str | None:
    """The language of sentences by their script and stop words; None where no language stands out."""
    text = " ".join(sentences)
    letters = max(1, sum(map(str.isalpha, text)))
    for language, characters in SCRIPTS.items():
        if len(re.findall(characters, text)) > 0.2 * letters:
            return language
    words = [word for word in re.split(r"\W+", text.lower()) if word]
    if not words:
        return None
    lists = {code: stop_words(code) for code in sorted(known_codes())}
    shares = {code: sum(word in own for word in words) / len(words) for code, own in lists.items()}
    best, second = sorted(shares, key=lambda code: -shares[code])[:2]
    return best if shares[best] >= max(ENOUGH, MARGIN * shares[second]) else None


def languages_of(
    given: tuple[str | None, str | None], told: tuple[str, str] | None, sides: tuple[Sequence[str], Sequence[str]]
) -> tuple[str, str]:
    """The language of each side: the given one, else that which names tell, else that of its words.

    Raises :class:`InputError` where none of them tells, where a name tells no language, or for one of both sides.
    """
    found: list[str] = []
    for side, name in enumerate(("source", "target")):
        language = given[side] or (told and told[side]) or language_of(sides[side])
        if not language:
            raise InputError(f"language of the {name} side not recognised", remedy=f"give it with --{name}-language")
        check_language(language, f"language of the {name} side")
        found.append(language)
    if found[0] == found[1]:
        raise InputError(
            f"both sides seem to be {found[0]}", remedy="give --source-language and --target-language, or other files"
        )
    return found[0], found[1]
