"""The words of each language that the resolver knows: one module and one line here for each language."""

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.coreference.lexicons.chinese import CHINESE
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.coreference.lexicons.french import FRENCH
from discourse_nmt.discourse.coreference.lexicons.german import GERMAN
from discourse_nmt.discourse.coreference.lexicons.russian import RUSSIAN
from discourse_nmt.discourse.coreference.lexicons.word_lists import ReferringWords

LEXICONS = {lexicon.language: lexicon for lexicon in (CHINESE, ENGLISH, FRENCH, GERMAN, RUSSIAN)}


def lexicon_of(language: str) -> ReferringWords:
    """The words of a language, by its ISO 639-1 code; raises :class:`InputError` for a language without them."""
    if language not in LEXICONS:
        raise InputError(
            f"no words of the language {language} for coreference; there are those of {', '.join(LEXICONS)}",
            remedy="write a module like discourse/coreference/lexicons/german.py and add it to LEXICONS",
        )
    return LEXICONS[language]
