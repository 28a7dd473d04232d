"""Whether a text is in the language that it is said to be in, by its letters and by what py3langid takes it for."""

from collections.abc import Iterable
from functools import cache

import regex
from langcodes.data_dicts import LIKELY_SUBTAGS
from py3langid.langid import MODEL_FILE, LanguageIdentifier

LETTERS = 80
"""Shorter texts are not judged by their words."""
EXCERPT = 20_000
CERTAIN = 0.99
"""Least probability of another language for a doubt; lists of names and headings stay below."""
OWN_SHARE = 0.1
"""Least share of letters in a script of the language; names and commands are in Latin letters in many languages."""
NO_LANGUAGE = "zxx"  # of ISO 639: numbers, code

# Unicode's scripts where a writing system of ISO 15924 has several.
SCRIPTS = {
    "Hans": ("Hani", "Bopo"),
    "Hant": ("Hani", "Bopo"),
    "Jpan": ("Hani", "Hira", "Kana"),
    "Kore": ("Hang", "Hani"),
}
# Further scripts of languages with several; Unicode's tables name the most frequent one.
FURTHER_SCRIPTS = {
    **dict.fromkeys(("bs", "sr", "uz", "az", "tk", "kk", "ky", "tt"), ("Latn", "Cyrl")),
    **dict.fromkeys(("ku", "ks", "pa", "sd", "ug"), ("Arab", "Cyrl", "Deva", "Guru", "Latn")),
    "mn": ("Mong",),
}
# Languages that are written so much alike that none of them is certainly another one.
ALIKE = ({"bs", "hr", "sr"}, {"da", "nb", "nn", "no"}, {"id", "ms"}, {"wuu", "yue", "zh"})
LETTER = regex.compile(r"\p{L}")


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def judged(sentences: Iterable[str], language: str) -> str | None:
    """ISO 639-1 code of the language of a text: ``language``, unless the text is certainly in another one.

    None for a text that is too short to tell, and for a ``language`` that the identifier does not know.
    """
    text = " ".join(sentences)[:EXCERPT]
    if sum(map(str.isalpha, text)) < LETTERS or language not in _identifier().labels:
        return None
    ranked = _identifier().rank(text)
    found = ranked[0][0]
    alike = next((group for group in ALIKE if found in group), {found})
    certain = sum(probability for code, probability in ranked if code in alike) >= CERTAIN
    return str(found) if certain and found != NO_LANGUAGE and language not in alike else language


def other_language(sentences: Iterable[str], language: str) -> str | None:
    """ISO 639-1 code of the language of a text if it is certainly not ``language``, else None."""
    found = judged(sentences, language)
    return None if found == language else found


@cache
def _own_letters(language: str) -> "regex.Pattern[str] | None":
    """A letter of the language's scripts; None for a language that Unicode's tables do not know."""
    _, _, rest = LIKELY_SUBTAGS.get(language, "").partition("-")
    if not rest:
        return None
    script = rest.partition("-")[0]
    scripts = {*SCRIPTS.get(script, (script,)), *FURTHER_SCRIPTS.get(language, ())}
    return regex.compile("[" + "".join(rf"\p{{Script={name}}}" for name in sorted(scripts)) + "]")


def has_known_script(language: str) -> bool:
    """Whether it is known in which scripts ``language`` is written."""
    return _own_letters(language) is not None


def in_other_script(text: str, language: str) -> bool:
    """Whether less than a tenth of the letters of ``text`` are of a script in which ``language`` is written.

    Never for text without letters, nor for a language whose script is not known.
    """
    own, letters = _own_letters(language), len(LETTER.findall(text))
    return own is not None and letters > 0 and len(own.findall(text)) < OWN_SHARE * letters


def unlike(text: str, language: str) -> str:
    """How a text shows that it is not in ``language``, for a message; empty if it does not."""
    if found := other_language([text], language):
        return f"this looks like {found}, not {language}"
    return f"this is not in the script of {language}" if in_other_script(text, language) else ""
