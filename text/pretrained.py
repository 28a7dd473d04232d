"""Subwords and vocabularies of pretrained models in place of learnt ones.

Such a model reads a sentence as it is written. Here it gets the sentence's tokens with single spaces where white space
was, so that each subword can be given to the token that it comes from.
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
    """What a kind of subwords can do."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The subwords without special ones, in the checkpoint's order."""
        ...

    @property
    def rows(self) -> dict[str, int]:
        """The row of each subword, of special symbols and languages too, in the checkpoint's embeddings."""
        ...

    def beginning(self, language: str) -> str:
        """The symbol that begins a target sentence of ``language``."""
        ...

    def cut(self, text: str) -> list[tuple[str, int, int]]:
        """Subwords of ``text``, each with the characters [start, end) it comes from."""
        ...

    def restricted(self, symbols: Collection[str]) -> "PretrainedSubwords":
        """The model that cuts text into ``symbols`` only."""
        ...

    def to_json(self) -> Any:
        """The model as a value for a JSON file, which the class's ``of_json`` reads."""
        ...

    @staticmethod
    def join(subwords: Sequence[str]) -> str:
        """The text of ``subwords``, words separated by single spaces."""
        ...


def kind_named(name: str) -> Any:
    """The class of the subwords that the settings call ``name``."""
    module, kind = PRETRAINED_SUBWORDS[name]
    return getattr(importlib.import_module(module), kind)


class PretrainedEncoder:
    """Turns the tokens of a sentence into ids of a pretrained model's subwords."""

    def __init__(self, subwords: PretrainedSubwords, vocabulary: Vocabulary) -> None:
        self._subwords = subwords
        self._ids = {symbol: number for symbol, number in vocabulary.ids.items() if number >= len(SPECIALS)}

    def encode(self, tokens: Tokens) -> tuple[list[int], list[int]]:
        """Ids of the subwords and, for each, the number of the token with which it shares most characters.

        A space belongs to the token after it. A token that the model's normalisation removes, or whose characters all
        lie in subwords of its neighbours, has none.
        """
        text, starts, ends = spaced(tokens)
        ids, words, word = [], [], 0
        for symbol, start, end in self._subwords.cut(text):
            ids.append(self._ids.get(symbol, UNKNOWN))
            if start < end:
                first = min(bisect_right(ends, start), len(ends) - 1)
                beyond = max(first + 1, bisect_right(starts, end - 1))
                shared = [min(end, ends[token]) - max(start, starts[token]) for token in range(first, beyond)]
                word = max(word, first + shared.index(max(shared)))
            words.append(word)
        return ids, words


def spaced(tokens: Tokens) -> tuple[str, list[int], list[int]]:
    """The sentence with single spaces where there is white space between tokens; beginning and end of each token."""
    gaps = [0, *(int(start > end) for end, start in zip(tokens.ends, tokens.starts[1:]))]
    starts, ends, parts, place = [], [], [], 0
    for token, gap in zip(tokens.tokens, gaps):
        parts.append(" " * gap + token)
        starts.append(place + gap)
        place += gap + len(token)
        ends.append(place)
    return "".join(parts), starts, ends


def adopt(
    rows: Iterable[tuple[Side, Tokens]], settings: TextSettings
) -> dict[Side, tuple[PretrainedSubwords, Vocabulary]]:
    """Subwords and vocabulary of each side from the checkpoint that the settings name.

    The vocabulary holds the subwords that occur in ``rows``, the sentences of the training split, by falling count, and
    text is then cut into these only; or it holds all subwords in the checkpoint's order.
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
    """The subwords of the checkpoint that the settings name; :class:`InputError` where they name none."""
    side = settings.source
    if side.pretrained is None:
        raise InputError("text.pretrained names no checkpoint", remedy="set subwords and pretrained")
    found: PretrainedSubwords = kind_named(side.subwords).of_checkpoint(Path(side.pretrained))
    return found


def rows_of(subwords: PretrainedSubwords, vocabulary: Vocabulary, language: str) -> list[int]:
    """The row of each symbol of ``vocabulary`` in the checkpoint's embeddings.

    ``<s>`` gets the row of what begins a sentence of ``language``, ``<sep>`` and ``<eod>`` that of ``</s>``. Raises
    :class:`InputError` for a symbol that the checkpoint lacks.
    """
    equals = {"<s>": subwords.beginning(language), "<sep>": "</s>", "<eod>": "</s>"}
    symbols = [equals.get(symbol, symbol) for symbol in vocabulary.symbols]
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
