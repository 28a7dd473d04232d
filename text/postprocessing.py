"""From subword ids back to a line of natural text."""

from collections.abc import Iterable

from corpus.vocabulary import SPECIALS, UNKNOWN, Vocabulary
from text.detokenisers import detokeniser
from text.settings import SideSettings
from text.subwords import words_of
from text.truecasing import detruecase


class Postprocessor:
    """Undoes the text stage of one side: ids -> subwords -> tokens in natural case -> one line."""

    def __init__(self, settings: SideSettings, vocabulary: Vocabulary) -> None:
        self._symbols = vocabulary.symbols
        self._detruecase = settings.truecase and not settings.lowercase
        self._detokenise = detokeniser(settings)

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Tokens of one sentence; special symbols but ``<unk>`` are left out."""
        kept = [self._symbols[number] for number in ids if number >= len(SPECIALS) or number == UNKNOWN]
        words = words_of(kept)
        return detruecase(words) if self._detruecase else words

    def line(self, tokens: list[str]) -> str:
        """The detokenised line of a sentence's tokens."""
        return self._detokenise(tokens)
