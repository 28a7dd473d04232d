"""Projection: the discourse tree of one side of parallel text, carried over word alignments to the other side.

The other side is divided into pieces where a unit may begin, by its punctuation and conjunctions, and by its clauses
where punctuation does not show them. Units of the first side and pieces of the other are joined to the smallest blocks
that translate each other; a block is a unit of the projected tree.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from discourse_nmt.base.arrays import Integers
from discourse_nmt.discourse.structures.mentions import Span, edus_of_starts
from discourse_nmt.discourse.structures.parallel import ParallelDocument
from discourse_nmt.discourse.structures.subtrees import restricted
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import NUCLEUS, RstTree

SHARED = 0.6  # least share of the links of a block that stay inside it
MOST_UNITS = 12  # units of one side that a block may have, unless the segment cannot be divided

PUNCTUATION, CONJUNCTION = "PUNCT", "CCONJ"
OPENING = frozenset("([{«„")  # marks that belong to what follows
CLAUSES = frozenset({"acl", "advcl", "ccomp", "csubj", "parataxis"})  # relations of clauses that may be units

Block = tuple[tuple[int, int], tuple[int, int]]
"""Units ``[start, end)`` of the first side, and of the other side."""


@dataclass(frozen=True)
class ProjectedTree:
    """A tree over units of the other side.

    ``sentences`` are the sentences of the other side that have a translation, in order; the tree covers them. Of these,
    ``certain`` are the ones in segments whose units were all kept. ``units`` holds the pieces of each unit: adjacent
    parts of one sentence, or of several if they were joined. ``outcomes`` counts the units of the first side that were
    ``kept``, ``joined`` with others, and ``without translation``.
    """

    tree: RstTree
    sentences: tuple[int, ...]
    certain: tuple[int, ...]
    units: tuple[tuple[Span, ...], ...]
    outcomes: Counter[str]


def pieces_of(sentences: Sequence[Syntax], clauses: bool = False) -> tuple[Span, ...]:
    """Pieces that tile the sentences: one begins with each sentence, before a conjunction or an opening bracket, and
    behind other punctuation. With ``clauses`` one also begins with each clause of the parse, and behind it."""
    return edus_of_starts([_piece_starts(sentence, clauses) for sentence in sentences])


def _piece_starts(sentence: Syntax, clauses: bool) -> list[bool]:
    ends = clause_ends(sentence) if clauses else set()
    starts = [True] * bool(sentence.forms)
    for word in range(1, len(sentence.forms)):
        before, tag = sentence.upos[word - 1], sentence.upos[word]
        begins = tag != PUNCTUATION and (tag == CONJUNCTION or before == PUNCTUATION or word in ends)
        opens = sentence.forms[word] in OPENING
        starts.append((begins or opens) and sentence.forms[word - 1] not in OPENING)
    return starts


def clause_ends(sentence: Syntax) -> set[int]:
    """The words that begin a subordinate clause of the parse, or follow one."""
    first, last = list(range(len(sentence.forms))), list(range(1, len(sentence.forms) + 1))
    for word in range(len(sentence.forms)):
        head = word
        while (head := sentence.heads[head]) >= 0:
            first[head], last[head] = min(first[head], word), max(last[head], word + 1)
    clauses = [word for word, relation in enumerate(sentence.deprels) if relation.partition(":")[0] in CLAUSES]
    return {place for word in clauses for place in (first[word], last[word])}


def project_tree(
    document: ParallelDocument, tree: RstTree, from_edus: Sequence[Span], clauses: bool = False
) -> ProjectedTree | None:
    """Carry the ``tree`` over ``from_edus`` to the other side, whose pieces are those of :func:`pieces_of`.

    A block of several units of the first side keeps one of them (:func:`representatives`); the others are taken out of
    the tree. Segments without words on one side are left out. None if no segment has words on both sides.
    """
    pieces = pieces_of(document.to_sentences, clauses)
    from_units = _units_of_segments(document.from_segments, from_edus, len(document.links))
    to_units = _units_of_segments(document.to_segments, pieces, len(document.links))
    counts = _links_of_units(document, from_edus, pieces)
    blocks: dict[int, int] = {}
    units: list[tuple[Span, ...]] = []
    outcomes: Counter[str] = Counter()
    joined: set[int] = set()  # segments
    for segment, (left, right) in enumerate(zip(from_units, to_units)):
        if not left or not right:
            outcomes["without translation"] += len(left)
            continue
        table = np.array([[counts[first, second] for second in right] for first in left])
        for (start, end), (other_start, other_end) in matched_blocks(table):
            blocks |= dict.fromkeys(left[start:end], len(units))
            units.append(tuple(pieces[piece] for piece in right[other_start:other_end]))
            outcomes["kept" if end - start == 1 else "joined"] += end - start
            if end - start > 1:
                joined.add(segment)
    if not units:
        return None
    sentences = sorted({span.sentence for unit in units for span in unit})
    certain = (one for one in sentences if document.to_segments[one] not in joined)
    part = restricted(tree, representatives(tree, blocks))
    return ProjectedTree(part, tuple(sentences), tuple(certain), tuple(units), outcomes)


def matched_blocks(links: Integers) -> list[Block]:
    """Divide the units of a segment into pairs of blocks, in the order of both sides.

    ``links`` [units, other units] counts the links between the words of units. There are as many blocks as possible, of
    which each has at least the share :data:`SHARED` of its links inside; among such divisions the one with most links
    inside. The whole segment is one block if there is no other.
    """
    rows, columns = links.shape
    sums = np.zeros((rows + 1, columns + 1), np.int64)
    sums[1:, 1:] = links.cumsum(0).cumsum(1)

    def inside(start: int, end: int, other_start: int, other_end: int) -> int:
        part = sums[end, other_end] - sums[start, other_end] - sums[end, other_start] + sums[start, other_start]
        return int(part)

    best: dict[tuple[int, int], tuple[tuple[int, int], tuple[int, int]]] = {(0, 0): ((0, 0), (0, 0))}
    for end in range(1, rows + 1):
        for other_end in range(1, columns + 1):
            found = []
            for start in range(max(0, end - MOST_UNITS), end):
                for other_start in range(max(0, other_end - MOST_UNITS), other_end):
                    if (start, other_start) not in best:
                        continue
                    shared = inside(start, end, other_start, other_end)
                    touched = inside(start, end, 0, columns) + inside(0, rows, other_start, other_end) - shared
                    if shared and shared >= SHARED * touched:
                        (blocks, within), _ = best[start, other_start]
                        found.append(((blocks + 1, within + shared), (start, other_start)))
            if found:
                best[end, other_end] = max(found)
    ends = [(rows, columns)]
    while ends[-1] != (0, 0):
        ends.append(best[ends[-1]][1] if ends[-1] in best else (0, 0))
    ends.reverse()
    return [((start, end), (first, last)) for (start, first), (end, last) in pairwise(ends)]


def representatives(tree: RstTree, blocks: Mapping[int, int]) -> list[int]:
    """One unit of each block, in text order; ``blocks`` gives the block of each unit that has one.

    Blocks are adjacent units. Where two parts of the tree meet inside a block and one of them has no other unit left,
    this one's unit goes, so that the other part keeps its relations: of ``(a (b c))`` with the block ``a b``, ``(b c)``
    stays. Otherwise the satellite loses its unit, or the right one of two nuclei.
    """
    remaining: list[list[int]] = [[] for _ in tree.nodes]
    for number in reversed(range(len(tree.nodes))):
        node = tree.nodes[number]
        if not tree.children[number]:
            remaining[number] = [node.first_edu] if node.first_edu in blocks else []
            continue
        left: list[int] = []
        nucleus = True  # whether the part to the left has one
        for child in tree.children[number]:
            right = remaining[child]
            if left and right and blocks[left[-1]] == blocks[right[0]]:
                if len(left) == 1 or (len(right) > 1 and not nucleus):
                    left = left[:-1]
                else:
                    right = right[1:]
            nucleus = tree.nodes[child].nuclearity == NUCLEUS or (bool(left) and nucleus)
            left = left + right
        remaining[number] = left
    return remaining[0]


def _units_of_segments(segments: Sequence[int], edus: Sequence[Span], count: int) -> list[list[int]]:
    """The indices of the units of each segment."""
    units: list[list[int]] = [[] for _ in range(count)]
    for number, edu in enumerate(edus):
        units[segments[edu.sentence]].append(number)
    return units


def _links_of_units(
    document: ParallelDocument, from_edus: Sequence[Span], pieces: Sequence[Span]
) -> Counter[tuple[int, int]]:
    """Number of links between the words of each unit and each piece, without punctuation, whose place says little."""
    piece_of_word = {
        (piece.sentence, word): number for number, piece in enumerate(pieces) for word in range(piece.start, piece.end)
    }
    linked = document.linked_words()
    counts: Counter[tuple[int, int]] = Counter()
    for number, edu in enumerate(from_edus):
        tags = document.from_sentences[edu.sentence].upos
        for word in range(edu.start, edu.end):
            place = linked[edu.sentence][word]
            if place is not None and tags[word] != PUNCTUATION:
                counts[number, piece_of_word[place]] += 1
    return counts
