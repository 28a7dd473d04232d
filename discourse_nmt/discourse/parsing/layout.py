"""Relation of spans of discourse units to sentences and syntax, as classes for embeddings, for many spans at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discourse_nmt.base.arrays import Integers
from discourse_nmt.discourse.parsing.document import ParserInput

LENGTHS = 20  # values of UnitLayout.lengths
SENTENCES = 48  # values of UnitLayout.sentence_classes
ARCS = 1 + 3 * 3 * 2 * 2 * 2  # values of UnitLayout.arc_classes
GOVERNORS = 6  # values of UnitLayout.governor_classes
LINKS = 5  # values of UnitLayout.links
PARAGRAPHS = 1 + 4 * 8  # values of UnitLayout.paragraph_classes


def _buckets(values: Integers) -> Integers:
    """0 to 8 unchanged, then one bucket per half doubling, up to the last of :data:`LENGTHS`."""
    large = np.floor(2 * np.log2(np.maximum(values, 1) / 8)).astype(np.int64) + 8
    return np.minimum(np.where(values <= 8, values, large), LENGTHS - 1)


@dataclass(frozen=True)
class UnitLayout:
    """Sentences and dependencies of a document in terms of its EDUs.

    ``begins`` [edus + 1] is true for EDUs that begin a sentence, and at the end. ``sentences`` [edus] is the index of
    the EDU's sentence among those with words; ``bounds`` [sentences + 1] is the first EDU of each sentence. ``roots``
    [edus + 1] is the number of sentence roots in earlier EDUs. ``arcs`` has a table for each sentence, beginning at
    ``tables``: for EDUs i and j, the number of dependencies from words before EDU i to heads before EDU j. ``tops`` has
    tables of the highest EDU in the dependency tree from i to j - 1. ``governors`` [edus] is the EDU of the governor of
    each EDU's highest word, -1 for none. ``paragraphs`` [edus + 1] is true for EDUs that begin a paragraph, and at the
    end; it is empty if paragraphs are unknown.
    """

    begins: npt.NDArray[np.bool_]
    sentences: Integers
    bounds: Integers
    roots: Integers
    arcs: Integers
    tops: Integers
    tables: Integers
    governors: Integers
    paragraphs: Integers

    @classmethod
    def of(cls, document: ParserInput) -> "UnitLayout":
        """The layout of a document."""
        edus = document.edus
        starts = np.array([edu.start == 0 for edu in edus])
        bounds = np.append(np.flatnonzero(starts), len(edus))
        roots = np.zeros(len(edus) + 1, np.int64)
        governors = np.full(len(edus), -1)
        arcs, tops = [], []
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist()):
            sentence = document.sentences[edus[first].sentence]
            edu_of_word = [
                edu_index for edu_index, edu in enumerate(edus[first:last]) for _ in range(edu.start, edu.end)
            ]
            table = np.zeros((last - first + 1, last - first + 1), np.int64)
            for edu_index, head, deprel in zip(edu_of_word, sentence.heads, sentence.deprels):
                if head < 0:
                    roots[first + edu_index + 1] += 1
                elif deprel != "punct" and edu_of_word[head] != edu_index:
                    table[edu_index + 1, edu_of_word[head] + 1] += 1
            arcs.append(table.cumsum(0).cumsum(1).ravel())
            depths = _depths(sentence.heads)
            highest = [
                min(range(edu.start, edu.end), key=lambda word: (depths[word], word)) for edu in edus[first:last]
            ]
            heads = [sentence.heads[word] for word in highest]
            governors[first:last] = [first + edu_of_word[head] if head >= 0 else -1 for head in heads]
            tops.append(first + _highest(np.array([depths[word] for word in highest])).ravel())
        tables = np.cumsum([0, *map(len, arcs)])[:-1]
        begins = np.append(starts, True)
        paragraphs = np.zeros(0, np.int64)
        if document.paragraphs is not None:
            begins_paragraph = [edu.start == 0 and edu.sentence in document.paragraphs for edu in edus]
            paragraphs = np.array([*begins_paragraph, True], np.int64)
            paragraphs[0] = 1
        return cls(
            begins,
            starts.cumsum() - 1,
            bounds,
            roots.cumsum(),
            np.concatenate(arcs),
            np.concatenate(tops),
            tables,
            governors,
            paragraphs,
        )

    def lengths(self, start: Integers, end: Integers) -> Integers:
        """Class of the number of EDUs of each span."""
        return _buckets(end - start)

    def sentence_classes(self, start: Integers, end: Integers) -> Integers:
        """Class of the number of sentences, and whether the span begins and ends with a sentence."""
        count = self.sentences[end - 1] - self.sentences[start]
        classes: Integers = 4 * np.minimum(_buckets(count), SENTENCES // 4 - 1) + 2 * self.begins[start]
        return classes + self.begins[end]

    def paragraph_classes(self, start: Integers, end: Integers) -> Integers:
        """Class of the number of paragraphs that begin inside, and whether the span begins and ends with a paragraph;
        0 if paragraphs are unknown."""
        if not len(self.paragraphs):
            return np.zeros_like(start)
        before = np.append(0, self.paragraphs.cumsum())
        inside = np.minimum(_buckets(before[end] - before[start + 1]), PARAGRAPHS // 4 - 1)
        classes: Integers = 1 + 4 * inside + 2 * self.paragraphs[start] + self.paragraphs[end]
        return classes

    def parts(self) -> list[Integers]:
        """Bounds of the units of each part that is parsed separately: sentences of the document, EDUs of each sentence.

        Every sentence is thus a node of the tree. 95 % of the inner nodes of GUM's training trees agree with this; a
        parser without this restriction finds almost none of the others.
        """
        ends = zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist())
        return [self.bounds, *(np.arange(first, last + 1) for first, last in ends)]

    def arc_classes(self, start: Integers, end: Integers) -> Integers:
        """Class of the dependencies that cross the ends of a span inside one sentence; 0 for other spans."""
        sentence = self.sentences[start]
        part = (self.sentences[end - 1] == sentence) & ~(self.begins[start] & self.begins[end])
        first, last = self.bounds[sentence], self.bounds[sentence + 1]
        end = np.where(part, end, last)
        code = np.minimum(self._arcs(sentence, start, end, first, start), 2)
        code = 3 * code + np.minimum(self._arcs(sentence, start, end, end, last), 2)
        code = 2 * code + np.minimum(self._arcs(sentence, first, start, start, end), 1)
        code = 2 * code + np.minimum(self._arcs(sentence, end, last, start, end), 1)
        code = 2 * code + np.minimum(self.roots[end] - self.roots[start], 1)
        return np.where(part, 1 + code, 0)

    def first_tops(self, start: Integers, end: Integers) -> Integers:
        """The highest EDU in the dependency tree among the EDUs of the span in its first sentence."""
        sentence = self.sentences[start]
        return self.tops[self._place(sentence, start, np.minimum(end, self.bounds[sentence + 1]))]

    def last_tops(self, start: Integers, end: Integers) -> Integers:
        """The highest EDU in the dependency tree among the EDUs of the span in its last sentence."""
        sentence = self.sentences[end - 1]
        return self.tops[self._place(sentence, np.maximum(start, self.bounds[sentence]), end)]

    def governor_classes(self, start: Integers, end: Integers) -> Integers:
        """Position of the governor of a span inside one sentence: 1 none, 2 in the EDU before the span, 3 further
        before, 4 in the EDU after the span, 5 further after; 0 for spans of several sentences."""
        governor = self.governors[self.first_tops(start, end)]
        place = np.select([governor < 0, governor == start - 1, governor < start, governor == end], [1, 2, 3, 4], 5)
        return np.where(self.sentences[end - 1] == self.sentences[start], place, 0)

    def links(self, start: Integers, division: Integers, end: Integers) -> Integers:
        """Dependencies inside one sentence between two adjacent spans: 0 none, 1 left on right, 2 right on left, 3
        both; 4 if the right span begins a sentence."""
        sentence = self.sentences[division]
        start = np.maximum(start, self.bounds[sentence])
        end = np.minimum(end, self.bounds[sentence + 1])
        inside = ~self.begins[division]
        start = np.where(inside, start, division)
        onward = np.minimum(self._arcs(sentence, start, division, division, end), 1)
        back = np.minimum(self._arcs(sentence, division, end, start, division), 1)
        return np.where(inside, onward + 2 * back, 4)

    def _arcs(
        self, sentence: Integers, first: Integers, last: Integers, head_first: Integers, head_last: Integers
    ) -> Integers:
        """Number of dependencies of EDUs ``[first, last)`` on heads in ``[head_first, head_last)`` of the sentence."""

        def before(edu: Integers, head: Integers) -> Integers:
            return self.arcs[self._place(sentence, edu, head)]

        return before(last, head_last) - before(first, head_last) - before(last, head_first) + before(first, head_first)

    def _place(self, sentence: Integers, row: Integers, column: Integers) -> Integers:
        """Index into the tables of the sentences, for EDUs of the document."""
        zero = self.bounds[sentence]
        width = self.bounds[sentence + 1] - zero + 1
        return self.tables[sentence] + (row - zero) * width + column - zero


def _depths(heads: Sequence[int]) -> list[int]:
    """Number of dependencies from each word up to the root."""
    depths = [-1] * len(heads)
    for word in range(len(heads)):
        path = []
        while word >= 0 and depths[word] < 0:
            path.append(word)
            word = heads[word]
        depth = depths[word] if word >= 0 else -1
        for visited in reversed(path):
            depth += 1
            depths[visited] = depth
    return depths


def _highest(depths: Integers) -> Integers:
    """Index of the first minimum of ``depths[i:j]`` for each i < j [edus + 1, edus + 1]; 0 elsewhere."""
    count = len(depths)
    first_minima = np.zeros((count + 1, count + 1), np.int64)
    keys = depths * count + np.arange(count)
    for first in range(count):
        first_minima[first, first + 1 :] = np.minimum.accumulate(keys[first:]) % count
    return first_minima
