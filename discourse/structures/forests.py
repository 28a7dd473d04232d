"""Rows of the table ``rst`` that hold one tree after the other.

A document that is parsed in pieces has a tree, with a root, for each piece; its nodes and EDUs are numbered over the
document. A document that is one piece has one tree, as in any table ``rst``.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from discourse_nmt.discourse.structures.rows import Row, rows_to_tree
from discourse_nmt.discourse.structures.trees import RstTree


def trees_of(rows: Sequence[Row]) -> Iterator[tuple[int, RstTree]]:
    """Yield the first EDU and the tree of each piece of one document, whose ``rows`` are in the order of ``node_id``.

    EDUs of a tree are numbered from 0. Raises :class:`.StructureError` where rows are no tree.
    """
    starts = [place for place, row in enumerate(rows) if place == 0 or row["parent"] < 0]
    for start, stop in pairwise([*starts, len(rows)]):
        first = rows[start]["first_edu"]
        inside = [{name: row[name] - first for name in ("first_edu", "last_edu")} for row in rows[start:stop]]
        yield int(first), rows_to_tree([row | edus for row, edus in zip(rows[start:stop], inside)])
