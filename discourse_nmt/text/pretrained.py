"""Subwords of untokenised text, those of a pretrained model or learnt pieces, with their vocabularies.

Their model gets the sentence's tokens with a single space wherever there was white space,
so that each subword can be assigned to its token.
"""

import importlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json
from discourse_nmt.base.vocabulary import SPECIALS, UNKNOWN, Vocabulary
from discourse_nmt.text.settings import OTHER_SUBWORDS, SIDES, Side, SideSettings, TextSettings
from discourse_nmt.text.spelling import spelling
from discourse_nmt.text.subwords import Encoder, Segmentation
from discourse_nmt.text.tokenisers import Tokens
from discourse_nmt.text.truecasing import Caser, Casing, caser


class CheckpointLayout(Protocol):
    """Where a checkpoint keeps the symbols of one side."""

    @property
    def rows(self) -> dict[str, int]:
        """The row of each symbol in the embeddings, special symbols and languages included."""
        ...

    @property
    def substitutes(self) -> dict[str, str]:
        """The symbol of the checkpoint for special symbols that it lacks."""
        ...

    @property
    def marks(self) -> str:
        """The network's switch of this name."""
        ...


class PretrainedSubwords(Protocol):
    """The interface of a kind of subwords."""

    @property
    def symbols(self) -> tuple[str, ...]:
        """The subwords without special ones, in the checkpoint's order."""
        ...

    @property
    def layout(self) -> CheckpointLayout | None:
        """The rows of the subwords in the checkpoint's embeddings; None for what :meth:`of_json` read."""
        ...

    @property
    def mark(self) -> str | None:
        """The symbol of a language that begins each sentence; None if there is none."""
        ...

    @staticmethod
    def is_mark(symbol: str) -> bool:
        """Whether ``symbol`` may be a :attr:`mark`."""
        ...

    def cut(self, text: str) -> list[tuple[str, int, int]]:
        """Subwords of ``text``, each with its characters [start, end)."""
        ...

    def restricted(self, symbols: Collection[str]) -> "PretrainedSubwords":
        """A model that cuts text into ``symbols`` only."""
        ...

    def to_json(self) -> object:
        """The model as a value for a JSON file, which the class's ``of_json`` reads."""
        ...

    @staticmethod
    def join(subwords: Sequence[str]) -> str:
        """The text of ``subwords``, words separated by single spaces."""
        ...


def kind_named(name: str) -> Any:
    """The class of the subwords with this ``name`` in the settings."""
    module, kind = OTHER_SUBWORDS[name]
    return getattr(importlib.import_module(module), kind)


class PretrainedEncoder:
    """Turns the tokens of a sentence into ids of a pretrained model's subwords."""

    def __init__(self, subwords: PretrainedSubwords, vocabulary: Vocabulary, case: Caser = list) -> None:
        self._subwords = subwords
        self._case = case
        self._ids = {symbol: index for symbol, index in vocabulary.ids.items() if index >= len(SPECIALS)}
        self._first = [] if subwords.mark is None else [self._ids[subwords.mark]]

    def encode(self, tokens: Tokens) -> tuple[list[int], list[int]]:
        """Ids of the subwords and, for each subword, the index of the token that it overlaps most.

        A space belongs to the token after it. A token has no subword if the model's normalisation removes it, or if all
        of its characters are in subwords of its neighbours. The symbol of a language belongs to the first token.
        """
        text, starts, ends = spaced(tokens._replace(tokens=self._case(tokens.tokens)))
        ids = [*self._first] if starts else []
        token_of_subword, token = [0] * len(ids), 0
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
    ``rows``, the sentences of the training split, by falling count, and text is cut into these only. Symbols of
    languages come first, the target's before the source's.
    """
    subwords = subwords_of(settings)
    marks = {side: [mark] if (mark := subwords[side].mark) is not None else [] for side in SIDES}
    if settings.joint:
        both = list(dict.fromkeys(marks["target"] + marks["source"]))
        marks = dict.fromkeys(SIDES, both)
    if settings.source.whole_vocabulary:
        return {
            side: (subwords[side], Vocabulary((*SPECIALS, *marks[side], *subwords[side].symbols))) for side in SIDES
        }
    counts: dict[Side, Counter[str]] = {side: Counter() for side in SIDES}
    for side, tokens in rows:
        counts[side].update(symbol for symbol, *_ in subwords[side].cut(spaced(tokens)[0]))
    for side in SIDES:
        known = set(subwords[side].symbols)
        counts[side] = Counter({symbol: count for symbol, count in counts[side].items() if symbol in known})
    if settings.joint:
        counts = dict.fromkeys(SIDES, counts["source"] + counts["target"])
    ranked = {side: Vocabulary.from_counts(counts[side], settings.of(side).bpe.vocabulary_size) for side in SIDES}
    vocabularies = {
        side: Vocabulary((*SPECIALS, *marks[side], *ranked[side].symbols[len(SPECIALS) :])) for side in SIDES
    }
    return {side: (subwords[side].restricted(vocabularies[side].ids), vocabularies[side]) for side in SIDES}


def learn_pieces(lines: Mapping[Side, list[str]], settings: TextSettings) -> dict[Side, tuple[Any, Vocabulary]]:
    """SentencePiece models learnt from the ``lines`` of each side, one for both if they are ``joint``."""
    kind = kind_named("sentencepiece")
    if settings.joint:
        learnt = dict.fromkeys(SIDES, kind.learnt(lines["source"] + lines["target"], settings.source.sentencepiece))
    else:
        learnt = {side: kind.learnt(lines[side], settings.of(side).sentencepiece) for side in SIDES}
    return {side: (model, Vocabulary(SPECIALS + model.symbols)) for side, model in learnt.items()}


def subwords_of(settings: TextSettings) -> dict[Side, PretrainedSubwords]:
    """The subwords of each side of the checkpoint that the settings name; :class:`InputError` if they name none."""
    if settings.source.pretrained is None:
        raise InputError("text.pretrained names no checkpoint", remedy="set subwords and pretrained")
    kind, directory = kind_named(settings.source.subwords), Path(settings.source.pretrained)
    return {side: kind.of_checkpoint(directory, side, settings) for side in SIDES}


def known_layout(subwords: PretrainedSubwords) -> CheckpointLayout:
    """The layout of ``subwords`` that come from :func:`subwords_of`."""
    assert subwords.layout is not None, "these subwords were not read from a checkpoint"
    return subwords.layout


def rows_of(subwords: PretrainedSubwords, vocabulary: Vocabulary) -> list[int]:
    """The row of each symbol of ``vocabulary`` in the checkpoint's embeddings.

    Special symbols that the checkpoint lacks get the row of another one, such as ``<sep>`` that of ``</s>``. Raises
    :class:`InputError` for another symbol that it lacks.
    """
    rows, substitutes = known_layout(subwords).rows, known_layout(subwords).substitutes
    symbols = [substitutes.get(symbol, symbol) for symbol in vocabulary.symbols]
    for symbol in symbols:
        if symbol not in rows:
            remedy = "make the text stage with this checkpoint"
            raise InputError(f"the checkpoint has no subword {symbol}", remedy=remedy)
    return [rows[symbol] for symbol in symbols]


def encoder(
    settings: SideSettings, casing: Casing, codes: str | Path, vocabulary: Vocabulary
) -> Encoder | PretrainedEncoder:
    """The encoder of a side from what the text stage has learnt: its casing, and the subword model in ``codes``."""
    if settings.subwords == "bpe":
        return Encoder(Segmentation.load(codes), vocabulary, spelling(settings, casing))
    subwords = kind_named(settings.subwords).of_json(read_json(codes), codes)
    return PretrainedEncoder(subwords, vocabulary, caser(settings, casing))
