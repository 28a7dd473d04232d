"""Codes of languages: two letters (ISO 639-1), or three (ISO 639-3) for a language that has no shorter one."""

from iso639 import Lang, is_language
from iso639.exceptions import InvalidLanguageValue

from discourse_nmt.base.errors import InputError

ENGLISH_SPEAKING = ("AU", "CA", "GB", "IE", "NZ", "US")  # other codes mean English only where nothing is known


def check_language(code: str, place: str) -> None:
    """Raise :class:`InputError`, with the code that is meant, unless ``code`` is one; ``place`` is its key."""
    if not (is_language(code, ("pt1", "pt3")) and code == _shortest(code)):
        raise InputError(f"{place}: {code[:40]!r} is no code of a language", remedy=advice(code))


def advice(text: str) -> str:
    """The code that ``text`` means, with the language's name, as a remedy."""
    code = suggested(text)
    return f"write {code} ({Lang(code).name})" if code else "write its ISO 639 code, for example en"


def language_name(code: str) -> str:
    """The English name of a language, or the code itself if it is unknown."""
    try:
        return str(Lang(code).name)
    except InvalidLanguageValue:
        return code


def is_of_language(tag: str, language: str) -> bool:
    """Whether a tag such as ``de-DE``, ``de_AT`` or ``deu_Latn`` is of the language with the code ``language``."""
    name = tag.strip().lower().replace("-", "_").partition("_")[0]
    return name == language or (is_language(name) and _shortest(name) == language)


def suggested(text: str) -> str | None:
    """The code that a longer code, a tag, an English name, or the code of a country means; None for other texts.

    ``deu``, ``de-CH``, ``german`` and ``iw`` are of languages; ``cn`` and ``jp`` are of countries and mean the
    language that is most used there.
    """
    import langcodes  # its tables are read for a wrong code only

    text = text.strip()
    if not 1 < len(text) <= 40:
        return None
    for name in (text.lower(), text.title()):
        if is_language(name):
            return _shortest(name)
    try:
        language = langcodes.Language.get(text).language or ""
        if is_language(language):
            return _shortest(language)
        country = langcodes.Language.get(f"und-{text.upper()}")
        language = country.maximize().language or ""
    except langcodes.LanguageTagError:
        return None
    known = is_language(language) and (language != "en" or country.territory in ENGLISH_SPEAKING)
    return _shortest(language) if known else None


def _shortest(name: str) -> str:
    """The code of two letters of a language, or that of three."""
    try:
        language = Lang(name)
    except InvalidLanguageValue:
        return name
    return language.pt1 or language.pt3
