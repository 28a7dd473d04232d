"""The nodes of document graphs: the words of the corpus's tokeniser, with the annotation of an analyser.

The words of all documents of a table are numbered consecutively. An analyser may divide a sentence differently: each of
its words is mapped to the node that it overlaps most.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.spans import most_shared

ABSENT = "_"  # CoNLL-U's mark of a missing annotation
FUNCTION_WORDS = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})  # closed classes of UPOS


@dataclass(frozen=True)
class AnnotatedWords:
    """The words of a table ``tokens``: row ``r`` has the words ``offsets[r] … offsets[r + 1] - 1``."""

    keys: pd.MultiIndex
    """Document id and sentence of each row."""
    documents: Integers
    """Index of the document of each row, from 0."""
    offsets: Integers
    forms: list[str]
    starts: Integers
    """First character of each word, plus ``r * width`` in row ``r``, so that all rows lie on one line."""
    ends: Integers
    width: int

    def __len__(self) -> int:
        return len(self.forms)

    @property
    def rows(self) -> Integers:
        """The row of each word."""
        return np.repeat(np.arange(len(self.keys)), np.diff(self.offsets))

    def rows_of(self, frame: pd.DataFrame, name: str) -> Integers:
        """The row for each row of another table ``name``; raises :class:`InputError` for a sentence without tokens."""
        keys = pd.MultiIndex.from_frame(frame[["doc_id", "sent_id"]])
        rows = self.keys.get_indexer(keys)
        if (rows < 0).any():
            document, sentence = keys[int(np.argmin(rows))]
            raise InputError(f"table {name}: document {document}, sentence {sentence} has no tokens")
        return rows.astype(np.int64)

    def at(self, rows: Integers, starts: Integers, ends: Integers) -> Integers:
        """The word that each span of characters of a row overlaps most, -1 for none."""
        ends = np.minimum(ends, self.width)  # a span beyond its sentence must not reach into the next one
        return most_shared(starts + rows * self.width, ends + rows * self.width, self.starts, self.ends)


@dataclass(frozen=True)
class Annotation:
    """The annotation of an analyser; ``nodes`` and ``heads`` have one entry per word of the analyser.

    ``lemmas`` has the lemma of each node, or its form if no word is mapped to it; ``function`` is true where the tag of
    the node is of a closed class.
    """

    nodes: Integers
    """The node to which each word of the analyser is mapped, -1 for none."""
    heads: Integers
    """Its head among the analyser's words, -1 for a root."""
    lemmas: list[str]
    function: np.ndarray


def words_of(tokens: pd.DataFrame) -> AnnotatedWords:
    """The words of one side of a table ``tokens``."""
    lengths = tokens["starts"].map(len).to_numpy(np.int64)
    rows = np.repeat(np.arange(len(tokens)), lengths)
    starts, ends = flat(tokens, "starts"), flat(tokens, "ends")
    width = 1 + int(ends.max(initial=0))
    return AnnotatedWords(
        keys=pd.MultiIndex.from_frame(tokens[["doc_id", "sent_id"]]),
        documents=pd.factorize(tokens["doc_id"])[0].astype(np.int64),
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        forms=list(chain.from_iterable(tokens["tokens"])),
        starts=starts + rows * width,
        ends=ends + rows * width,
        width=width,
    )


def annotation_of(words: AnnotatedWords, syntax: pd.DataFrame) -> Annotation:
    """The annotation of ``words`` in a table ``syntax``; sentences without a row there have none."""
    lengths = syntax["starts"].map(len).to_numpy(np.int64)
    rows = np.repeat(words.rows_of(syntax, "syntax"), lengths)
    nodes = words.at(rows, flat(syntax, "starts"), flat(syntax, "ends"))
    heads = flat(syntax, "heads")
    firsts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    lemmas, function = list(words.forms), np.zeros(len(words), bool)
    described = zip(nodes.tolist(), chain.from_iterable(syntax["lemmas"]), chain.from_iterable(syntax["upos"]))
    seen: set[int] = set()
    for node, lemma, tag in described:
        if node >= 0 and node not in seen:  # the first of several words counts
            seen.add(node)
            lemmas[node] = words.forms[node] if lemma == ABSENT else lemma
            function[node] = tag in FUNCTION_WORDS
    return Annotation(nodes, np.where(heads < 0, -1, heads + firsts), lemmas, function)


def flat(frame: pd.DataFrame, column: str) -> Integers:
    """The values of a column of lists, concatenated."""
    return np.concatenate([np.empty(0, np.int64), *frame[column]]).astype(np.int64)
