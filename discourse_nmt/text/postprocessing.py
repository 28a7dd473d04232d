"""Subword ids back to a line of natural text."""

from collections.abc import Iterable
from functools import cached_property

from discourse_nmt.base.vocabulary import SPECIALS, UNKNOWN, Vocabulary, words_of
from discourse_nmt.text.pretrained import kind_named
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.spelling import Restored, spelling
from discourse_nmt.text.tokenisers import Tokeniser, tokeniser


class Postprocessor:
    """Undoes the text stage of one side: ids -> subwords -> tokens in natural case -> one line.

    Subwords of a pretrained model are joined to a line directly; the side's tokeniser then gives its tokens.
    """

    def __init__(self, settings: SideSettings, vocabulary: Vocabulary) -> None:
        self._settings = settings
        self._symbols = vocabulary.symbols
        kind = None if settings.subwords == "bpe" else kind_named(settings.subwords)
        self._join = None if kind is None else kind.join
        # The text stage puts the symbols of languages first.
        first = list(enumerate(vocabulary.symbols))[len(SPECIALS) : len(SPECIALS) + 2] if settings.pretrained else []
        self._marks = {index for index, symbol in first if kind is not None and kind.is_mark(symbol)}
        self._spelling = spelling(settings)

    @cached_property
    def _tokeniser(self) -> Tokeniser:
        return tokeniser(self._settings)

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Tokens of one sentence; special symbols except ``<unk>`` are left out."""
        if self._join is not None:
            return self._tokeniser.tokenise(self.line(ids)).tokens
        return self._read(ids).tokens

    def line(self, ids: Iterable[int]) -> str:
        """One sentence as natural text; special symbols except ``<unk>`` are left out."""
        if self._join is not None:
            line: str = self._join(self._subwords(ids))
            return line
        return self._read(ids).line

    def _read(self, ids: Iterable[int]) -> Restored:
        return self._spelling.read(words_of(self._subwords(ids)))

    def _subwords(self, ids: Iterable[int]) -> list[str]:
        kept = [index for index in ids if index not in self._marks]
        return [self._symbols[index] for index in kept if index >= len(SPECIALS) or index == UNKNOWN]
