"""Discourse structures go into the tables and come back."""

import random
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.discourse.structures.conversions import li14
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span
from discourse_nmt.discourse.structures.rows import (
    chains_to_rows,
    dependencies_to_rows,
    edus_to_rows,
    rows_to_chains,
    rows_to_dependencies,
    rows_to_edus,
    rows_to_tree,
    tree_to_rows,
)
from discourse_nmt.discourse.structures.trees import StructureError
from tests.unit.discourse.structures.discourse_examples import tree_a, trees


def through_parquet(rows: list[dict], name: str, folder: Path) -> dict[str, list[dict]]:
    """Rows by document after writing and reading the table."""
    write_table(pd.DataFrame(rows), folder / f"{name}.parquet", name)
    frame = read_table(folder / f"{name}.parquet", name)
    return {str(document): group.to_dict("records") for document, group in frame.groupby("doc_id")}


def test_trees_and_dependencies_survive_their_tables(tmp_path: Path) -> None:
    documents = {f"d{number:02d}": tree for number, tree in enumerate(trees(count=30))}
    rows = [row for name, tree in documents.items() for row in tree_to_rows(name, tree)]
    found = through_parquet(rows, "rst", tmp_path)
    assert {name: rows_to_tree(found[name], tree.texts) for name, tree in documents.items()} == documents

    rows = [row for name, tree in documents.items() for row in dependencies_to_rows(name, li14(tree))]
    found = through_parquet(rows, "rst_dependencies", tmp_path)
    for name, tree in documents.items():
        dependencies = li14(tree)
        assert rows_to_dependencies(found[name]) == Dependencies(dependencies.heads, dependencies.relations)


def test_rows_may_come_in_any_order() -> None:
    rows = tree_to_rows("a", tree_a())
    random.Random(0).shuffle(rows)
    assert rows_to_tree(rows, tree_a().texts) == tree_a()
    dependencies = dependencies_to_rows("a", li14(tree_a()))
    assert rows_to_dependencies(dependencies[::-1]).heads == li14(tree_a()).heads


def test_edus_and_chains_survive_their_tables(tmp_path: Path) -> None:
    edus = (Span(0, 0, 5), Span(0, 6, 9), Span(2, 0, 1))
    assert rows_to_edus(through_parquet(edus_to_rows("a", edus), "edus", tmp_path)["a"]) == edus
    mentions = tuple(Mention(Span(number, 2, 9), Span(number, 4, 6)) for number in range(3))
    chains = (Chain(mentions[:2]), Chain(mentions[2:]))
    assert rows_to_chains(through_parquet(chains_to_rows("a", chains), "coreference", tmp_path)["a"]) == chains


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({3: {"parent": 99}}, "node 3 has the parent 99"),
        ({3: {"parent": -1}}, "2 nodes have no parent"),
        ({2: {"parent": 3}}, "not below the root|single child"),
        ({2: {"last_edu": 2}}, "first_edu and last_edu do not agree"),
        ({3: {"node_id": 2}}, "node 2 is there twice"),
        ({4: {"first_edu": 2}}, "are not adjacent"),
    ],
)
def test_broken_tree_rows_are_refused(change: dict[int, dict], message: str) -> None:
    rows = [row | change.get(number, {}) for number, row in enumerate(tree_to_rows("a", tree_a()))]
    with pytest.raises(StructureError, match=message):
        rows_to_tree(rows)


def test_other_broken_rows_are_refused() -> None:
    rows = dependencies_to_rows("a", li14(tree_a()))
    with pytest.raises(StructureError, match="edu_id 1 is missing or there twice"):
        rows_to_dependencies(rows[:1] + rows[2:])
    with pytest.raises(StructureError, match=r"EDU 1 \(from 0\) begins before EDU 0 ends"):
        rows_to_edus(edus_to_rows("a", [Span(0, 0, 5), Span(0, 4, 6)]))
