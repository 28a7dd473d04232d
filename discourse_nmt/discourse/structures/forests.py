"""Rows of the table ``rst`` with several trees per document.

A document that is parsed in pieces has one tree per piece, each with a root; nodes and EDUs are numbered over the
document. A document of one piece has one tree, as in any table ``rst``.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from discourse_nmt.discourse.structures.rows import Row, rows_to_tree
from discourse_nmt.discourse.structures.trees import RstTree


def trees_of(rows: Sequence[Row]) -> Iterator[tuple[int, RstTree]]:
    """Yield the first EDU and the tree of each piece of one document; ``rows`` are in order of ``node_id``.

    The EDUs of each tree are numbered from 0. Raises :class:`.StructureError` for rows that do not form a tree.
    """
    starts = [index for index, row in enumerate(rows) if index == 0 or row["parent"] < 0]
    for start, stop in pairwise([*starts, len(rows)]):
        first = rows[start]["first_edu"]
        spans = [{name: row[name] - first for name in ("first_edu", "last_edu")} for row in rows[start:stop]]
        yield int(first), rows_to_tree([row | span for row, span in zip(rows[start:stop], spans)])
