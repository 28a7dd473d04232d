"""Subwords and vocabularies of pretrained models, instead of learnt ones.

Such a model reads untokenised text. It gets the sentence's tokens with a single space wherever there was white space,
so that each subword can be assigned to its token.
"""

import importlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.files import read_json
from discourse_nmt.corpus.vocabulary import SPECIALS, UNKNOWN, Vocabulary
from discourse_nmt.text.settings import PRETRAINED_SUBWORDS, SIDES, Side, SideSettings, TextSettings
from discourse_nmt.text.subwords import Encoder, Segmentation
from discourse_nmt.text.tokenisers import Tokens


class PretrainedSubwords(Protocol):
    """The interface of a kind of subwords."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The subwords without special ones, in the checkpoint's order."""
        ...

    @property
    def rows(self) -> dict[str, int]:
        """The row of each subword in the checkpoint's embeddings, special symbols and languages included."""
        ...

    def beginning(self, language: str) -> str:
        """The symbol that begins a target sentence of ``language``."""
        ...

    def cut(self, text: str) -> list[tuple[str, int, int]]:
        """Subwords of ``text``, each with its characters [start, end)."""
        ...

    def restricted(self, symbols: Collection[str]) -> "PretrainedSubwords":
        """A model that cuts text into ``symbols`` only."""
        ...

    def to_json(self) -> Any:
        """The model as a value for a JSON file, which the class's ``of_json`` reads."""
        ...

    @staticmethod
    def join(subwords: Sequence[str]) -> str:
        """The text of ``subwords``, words separated by single spaces."""
        ...


def kind_named(name: str) -> Any:
    """The class of the subwords with this ``name`` in the settings."""
    module, kind = PRETRAINED_SUBWORDS[name]
    return getattr(importlib.import_module(module), kind)


class PretrainedEncoder:
    """Turns the tokens of a sentence into ids of a pretrained model's subwords."""

    def __init__(self, subwords: PretrainedSubwords, vocabulary: Vocabulary) -> None:
        self._subwords = subwords
        self._ids = {symbol: index for symbol, index in vocabulary.ids.items() if index >= len(SPECIALS)}

    def encode(self, tokens: Tokens) -> tuple[list[int], list[int]]:
        """Ids of the subwords and, for each subword, the index of the token that it overlaps most.

        A space belongs to the token after it. A token has no subword if the model's normalisation removes it, or if all
        of its characters are in subwords of its neighbours.
        """
        text, starts, ends = spaced(tokens)
        ids, token_of_subword, token = [], [], 0
        for symbol, start, end in self._subwords.cut(text):
            ids.append(self._ids.get(symbol, UNKNOWN))
            if start < end:
                first = min(bisect_right(ends, start), len(ends) - 1)
                stop = max(first + 1, bisect_right(starts, end - 1))
                overlaps = [min(end, ends[index]) - max(start, starts[index]) for index in range(first, stop)]
                token = max(token, first + overlaps.index(max(overlaps)))
            token_of_subword.append(token)
        return ids, token_of_subword


def spaced(tokens: Tokens) -> tuple[str, list[int], list[int]]:
    """The sentence with single spaces for white space between tokens, and the start and end of each token in it."""
    gaps = [0, *(int(start > end) for end, start in zip(tokens.ends, tokens.starts[1:]))]
    starts, ends, pieces, position = [], [], [], 0
    for token, gap in zip(tokens.tokens, gaps):
        pieces.append(" " * gap + token)
        starts.append(position + gap)
        position += gap + len(token)
        ends.append(position)
    return "".join(pieces), starts, ends


def adopt(
    rows: Iterable[tuple[Side, Tokens]], settings: TextSettings
) -> dict[Side, tuple[PretrainedSubwords, Vocabulary]]:
    """Subwords and vocabulary of each side from the checkpoint that the settings name.

    With ``whole_vocabulary`` it holds all subwords in the checkpoint's order. Otherwise it holds the subwords of
    ``rows``, the sentences of the training split, by falling count, and text is cut into these only.
    """
    subwords = subwords_of(settings)
    if settings.source.whole_vocabulary:
        return dict.fromkeys(SIDES, (subwords, Vocabulary(SPECIALS + subwords.symbols)))
    counts: dict[Side, Counter[str]] = {side: Counter() for side in SIDES}
    for side_of_row, tokens in rows:
        counts[side_of_row].update(symbol for symbol, *_ in subwords.cut(spaced(tokens)[0]))
    if settings.joint:
        counts = dict.fromkeys(SIDES, counts["source"] + counts["target"])
    known = set(subwords.symbols)
    vocabularies = {
        side: Vocabulary.from_counts(
            {symbol: count for symbol, count in counts[side].items() if symbol in known},
            settings.of(side).bpe.vocabulary_size,
        )
        for side in SIDES
    }
    return {side: (subwords.restricted(vocabulary.ids), vocabulary) for side, vocabulary in vocabularies.items()}


def subwords_of(settings: TextSettings) -> PretrainedSubwords:
    """The subwords of the checkpoint that the settings name; raises :class:`InputError` if they name none."""
    side = settings.source
    if side.pretrained is None:
        raise InputError("text.pretrained names no checkpoint", remedy="set subwords and pretrained")
    subwords: PretrainedSubwords = kind_named(side.subwords).of_checkpoint(Path(side.pretrained))
    return subwords


def rows_of(subwords: PretrainedSubwords, vocabulary: Vocabulary, language: str) -> list[int]:
    """The row of each symbol of ``vocabulary`` in the checkpoint's embeddings.

    ``<s>`` gets the row of the symbol that begins a sentence of ``language``; ``<sep>`` and ``<eod>`` get that of
    ``</s>``. Raises :class:`InputError` for a symbol that the checkpoint lacks.
    """
    substitutes = {"<s>": subwords.beginning(language), "<sep>": "</s>", "<eod>": "</s>"}
    symbols = [substitutes.get(symbol, symbol) for symbol in vocabulary.symbols]
    for symbol in symbols:
        if symbol not in subwords.rows:
            remedy = "make the text stage with this checkpoint"
            raise InputError(f"the checkpoint has no subword {symbol}", remedy=remedy)
    return [subwords.rows[symbol] for symbol in symbols]


def encoder(settings: SideSettings, codes: str | Path, vocabulary: Vocabulary) -> Encoder | PretrainedEncoder:
    """The encoder of a side from the subword model that the text stage wrote to the file ``codes``."""
    if settings.subwords == "bpe":
        return Encoder(Segmentation.load(codes), vocabulary)
    return PretrainedEncoder(kind_named(settings.subwords).of_json(read_json(codes), codes), vocabulary)
