"""Byte-pair encoding by subword-nmt (Sennrich, Haddow and Birch, 2016), and its inverse.

A subword that does not end its word has the suffix ``@@``. Words are spelt as :mod:`.spelling` says, so that every text
survives.
"""

import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from subword_nmt import learn_bpe as learner
from subword_nmt.apply_bpe import BPE

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import read_json, write_json
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.text.spelling import Spelling
from discourse_nmt.text.tokenisers import Tokens

HEADER = "#version: 0.2"

# The bar of subword-nmt is redrawn ten times a second, even in a log.
learner.tqdm = partial(progress, title="learn BPE", unit="merges")


@dataclass(frozen=True)
class Segmentation:
    """A BPE model of one side: the merges in learnt order, and the subwords that are allowed.

    ``codes`` are the lines of a subword-nmt code file; with ``None``, words stay whole. ``known`` are the subwords that
    reach the vocabulary threshold; merges into other ones are undone. ``None`` allows all.
    """

    codes: tuple[str, ...] | None
    known: frozenset[str] | None = None

    def save(self, path: str | Path) -> None:
        """Write as JSON, atomically."""
        known = None if self.known is None else sorted(self.known)
        write_json({"codes": self.codes, "known": known}, path)

    @classmethod
    def load(cls, path: str | Path) -> "Segmentation":
        """Read what :meth:`save` wrote; anything else is an :class:`InputError`."""
        content = read_json(path)
        if not isinstance(content, dict) or set(content) != {"codes", "known"}:
            raise InputError("not a BPE model: JSON with codes and known is expected", file=path)
        codes, known = (lines_of(content[name], name, path) for name in ("codes", "known"))
        for number, line in enumerate(codes or (), start=1):
            if len(line.split(" ")) != 2:
                raise InputError(f"merge {number} is not two subwords: {line!r}", file=path)
        return cls(None if codes is None else tuple(codes), None if known is None else frozenset(known))


def lines_of(value: object, name: str, path: str | Path) -> list[str] | None:
    """``value`` if it is null or a list of strings; :class:`InputError` otherwise."""
    if value is None or (isinstance(value, list) and all(isinstance(line, str) for line in value)):
        return value
    raise InputError(f"not a BPE model: {name} is not a list of strings", file=path)


class SubwordSegmenter:
    """Cuts words into subwords."""

    def __init__(self, segmentation: Segmentation) -> None:
        self._bpe = None
        if segmentation.codes is not None:
            lines = "\n".join((HEADER, *segmentation.codes))
            # Without the count, subword-nmt exits on a model without merges.
            self._bpe = BPE(io.StringIO(lines), merges=len(segmentation.codes), vocab=segmentation.known)

    def subwords(self, word: str) -> list[str]:
        """Subwords of one word, at least one."""
        return [word] if self._bpe is None else self._bpe.segment_tokens([word])


class Encoder:
    """Turns tokens into subword ids; each distinct word is segmented once."""

    def __init__(self, segmentation: Segmentation, vocabulary: Vocabulary, spelling: Spelling) -> None:
        self._spelling = spelling
        segmenter = SubwordSegmenter(segmentation)
        self._ids = cache(lambda word: [vocabulary.id_of(subword) for subword in segmenter.subwords(word)])

    def encode(self, tokens: Tokens) -> tuple[list[int], list[int]]:
        """Ids of the subwords and, for each subword, the index of its token."""
        ids: list[int] = []
        token_of_subword: list[int] = []
        for index, words in enumerate(self._spelling.words(tokens)):
            for word in words:
                word_ids = self._ids(word)
                ids += word_ids
                token_of_subword += [index] * len(word_ids)
        return ids, token_of_subword


def learn_codes(counts: Mapping[str, int], merges: int) -> tuple[str, ...] | None:
    """At most ``merges`` merges of pairs that occur at least twice, learnt from spelt words and their counts.

    The order of ``counts`` does not matter. Without merges the result is ``None``: words stay whole.
    """
    if not merges:
        return None
    if all(len(word) == 1 for word in counts):
        return ()
    lines = [f"{word} {count}" for word, count in counts.items()]
    codes = io.StringIO()
    learner.learn_bpe(lines, codes, merges, is_dict=True)
    return tuple(codes.getvalue().rstrip("\n").split("\n")[1:])


def count_subwords(counts: Mapping[str, int], segmentation: Segmentation) -> Counter[str]:
    """Frequency of each subword after the segmentation of words with these counts."""
    segmenter = SubwordSegmenter(segmentation)
    frequencies: Counter[str] = Counter()
    for word, count in counts.items():
        for subword in segmenter.subwords(word):
            frequencies[subword] += count
    return frequencies
