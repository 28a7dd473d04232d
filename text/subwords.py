"""Byte-pair encoding by subword-nmt (Sennrich, Haddow and Birch, 2016), and the way back to words.

Subwords that do not end their word carry the separator ``@@``. Text that would be mistaken for a separator,
for a special symbol or for the end-of-word mark of the learner is written as ``&#64;`` or ``&#60;`` inside
this module and restored by :func:`words_of`, so every text survives.
"""

import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from subword_nmt import learn_bpe as learner
from subword_nmt.apply_bpe import BPE

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.progress import progress
from discourse_nmt.corpus.storage.files import read_json, write_json
from discourse_nmt.corpus.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.text.tokenisers import Tokens

SEPARATOR = "@@"
HEADER = "#version: 0.2"
MARKS = "|".join(re.escape(mark[1:]) for mark in (*SPECIALS, "</w>"))
RESERVED = re.compile(rf"&(?=#)|@(?=@)|(?<=@)@|<(?={MARKS})")
ESCAPED = re.compile("&#(38|60|64);")

# subword-nmt would redraw its own bar ten times a second, also in a log.
learner.tqdm = partial(progress, what="learn BPE", unit="merges")


@dataclass(frozen=True)
class Segmentation:
    """How the words of one side are cut: the merges in the order learnt, and the subwords that may come out.

    ``codes`` are lines of a subword-nmt code file; ``None`` leaves words whole. ``known`` are the subwords
    that reach the vocabulary threshold; merges into any other are undone. ``None`` allows all.
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


def lines_of(value: Any, name: str, path: str | Path) -> list[str] | None:
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
        escaped = RESERVED.sub(lambda found: f"&#{ord(found.group())};", word)
        return [escaped] if self._bpe is None else self._bpe.segment_tokens([escaped])


class Encoder:
    """Turns tokens into subword ids; each distinct word is segmented once."""

    def __init__(self, segmentation: Segmentation, vocabulary: Vocabulary) -> None:
        segmenter = SubwordSegmenter(segmentation)
        self._ids = cache(lambda word: [vocabulary.id_of(subword) for subword in segmenter.subwords(word)])

    def encode(self, tokens: Tokens) -> tuple[list[int], list[int]]:
        """Ids of the subwords and, for each of them, the number of its token."""
        ids: list[int] = []
        words: list[int] = []
        for number, token in enumerate(tokens.tokens):
            found = self._ids(token)
            ids += found
            words += [number] * len(found)
        return ids, words


def words_of(subwords: Iterable[str]) -> list[str]:
    """Words from subwords; a last subword that asks for a continuation ends its word as it is."""
    text = " ".join(subwords)
    joined = f"{text} ".replace(f"{SEPARATOR} ", "")
    return [ESCAPED.sub(lambda found: chr(int(found.group(1))), word) for word in joined.split()]


def learn_codes(counts: Mapping[str, int], merges: int) -> tuple[str, ...] | None:
    """At most ``merges`` merges, each of a pair that occurs twice, learnt from words and their counts.

    The order of ``counts`` does not matter. ``None`` for no merges: whole words.
    """
    if not merges:
        return None
    if all(len(word) == 1 for word in counts):
        return ()
    whole = SubwordSegmenter(Segmentation(None))
    lines = [f"{whole.subwords(word)[0]} {count}" for word, count in counts.items()]
    codes = io.StringIO()
    learner.learn_bpe(lines, codes, merges, is_dict=True)
    return tuple(codes.getvalue().rstrip("\n").split("\n")[1:])


def count_subwords(counts: Mapping[str, int], segmentation: Segmentation) -> Counter[str]:
    """How often each subword occurs when words with these counts are segmented."""
    segmenter = SubwordSegmenter(segmentation)
    found: Counter[str] = Counter()
    for word, count in counts.items():
        for subword in segmenter.subwords(word):
            found[subword] += count
    return found
