"""Documents that are parsed in pieces: every piece is a document of its own, and has a tree of its own."""

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.backend import DocumentInput
from discourse_nmt.discourse.backends.pieces import Pieces
from discourse_nmt.discourse.backends.shards import analyse_shard
from discourse_nmt.discourse.backends.trees import dependencies_table
from discourse_nmt.discourse.structures.forests import trees_of
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.rows import Row, edus_to_rows, rows_to_edus
from discourse_nmt.training.data.units import Units, first_sentences
from tests.unit.training.run.training_toy import dataset


class FirstUnitHeads:
    """A parser: a nucleus, the first unit, and all others its satellites."""

    def __init__(self) -> None:
        self.seen: list[DocumentInput] = []

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        self.seen += documents
        return [self.rows(document.doc_id, len(document.tables["edus"])) for document in documents]

    def rows(self, doc_id: str, count: int) -> list[Row]:
        if not count:
            return []
        root = (0, -1, 0, count - 1, "root", "ROOT")
        leaves = [
            (unit + 1, 0, unit, unit, "satellite" if unit else "nucleus", "list" if unit else "span")
            for unit in range(count)
        ]
        nodes = [root, *leaves] if count > 1 else [root]
        names = ("node_id", "parent", "first_edu", "last_edu", "nuclearity", "relation")
        return [{"doc_id": doc_id, **dict(zip(names, node))} for node in nodes]


def document(name: str, units: Sequence[int]) -> DocumentInput:
    """Sentences of so many units, each a character wide."""
    spans = [Span(sentence, unit, unit + 1) for sentence, count in enumerate(units) for unit in range(count)]
    syntax = [{"doc_id": name, "sent_id": sentence, "forms": []} for sentence in range(len(units))]
    sentences = tuple("x" * count for count in units)
    return DocumentInput(name, sentences, {"edus": edus_to_rows(name, spans), "syntax": syntax})


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=4),
    st.integers(0, 1000),
)
def test_every_piece_has_a_tree_of_its_own(units: list[list[int]], seed: int) -> None:
    generator = np.random.default_rng(seed)
    documents = [document(f"a/{number}", counts) for number, counts in enumerate(units)]
    starts = {
        one.doc_id: [0, *(np.flatnonzero(generator.random(len(one.sentences) - 1) < 0.4) + 1).tolist()]
        for one in documents
    }
    parser, pieces = FirstUnitHeads(), Pieces(documents, starts)
    trees = analyse_shard("rst", pieces, 1, parser, None, "")
    found = pieces.joined(dependencies_table(trees, "li14", False))
    forest = pieces.joined(trees)
    wanted = []
    for one in documents:
        sentences = [edu.sentence for edu in rows_to_edus(one.tables["edus"])]
        piece_of = np.searchsorted(starts[one.doc_id], sentences, side="right").tolist()
        for unit, piece in enumerate(piece_of):
            first = piece_of.index(piece)
            wanted.append((one.doc_id, unit, -1 if unit == first else first))
        rows: list[Any] = forest[forest["doc_id"] == one.doc_id].to_dict("records")
        assert [row["node_id"] for row in rows] == list(range(len(rows)))
        sizes = [piece_of.count(piece) for piece in sorted(set(piece_of))]
        assert [(first, len(tree.leaves)) for first, tree in trees_of(rows)] == list(
            zip(accumulate([0, *sizes]), sizes)
        )
    assert list(zip(found["doc_id"], found["edu_id"], found["head"])) == wanted
    for piece in parser.seen:
        assert [row["sent_id"] for row in piece.tables["syntax"]] == list(range(len(piece.sentences)))
        assert [row["edu_id"] for row in piece.tables["edus"]] == list(range(sum(map(len, piece.sentences))))


def test_the_trees_of_a_document_of_one_piece_are_its_tree() -> None:
    one = document("a", [2, 1])
    whole = analyse_shard("rst", [one], 1, FirstUnitHeads(), None, "")
    pieces = Pieces([one], {"a": [0]})
    joined = pieces.joined(analyse_shard("rst", pieces, 1, FirstUnitHeads(), None, ""))
    pd.testing.assert_frame_equal(joined, whole, check_dtype=False)


def test_a_document_that_is_not_divided_is_told() -> None:
    with pytest.raises(InputError, match="document b is not in the dataset"):
        list(Pieces([document("b", [1])], {"a": [0]}))


def test_units_begin_at_sentences_of_their_document(tmp_path: Path) -> None:
    units = Units(np.array([0, 2, 3, 5]), np.array([2, 3, 5, 6]))
    assert first_sentences(dataset(tmp_path, [3, 3]), units) == {"doc000": [0, 2], "doc001": [0, 2]}
