"""The size of sentences' graphs against distance in the text."""

import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.discourse.graph.building import document_graphs
from discourse_nmt.discourse.settings import GraphSettings
from discourse_nmt.scoring.charts.graph_sizes import documents_of, graph_size_chart, graph_sizes
from discourse_nmt.workflow_scripts.discourse import build_graph, plot_graph_size
from tests.unit.discourse.graph.graph_tables import (
    CAT,
    CAT_CHAINS,
    CAT_HEADS,
    mentions_table,
    syntax_table,
    tokens_table,
)


@pytest.fixture
def tokens() -> pd.DataFrame:
    return tokens_table(CAT)


@pytest.fixture
def edges(tokens: pd.DataFrame) -> pd.DataFrame:
    return document_graphs(
        tokens, syntax_table(tokens, CAT_HEADS), mentions_table(tokens, CAT_CHAINS), GraphSettings()
    ).astype({"doc_id": str, "relation": str})


def test_t03_2_sizes(tokens: pd.DataFrame, edges: pd.DataFrame) -> None:
    """From sentence 1 an edge leads to 3, 5 and 6 and a second one to 4; from sentence 2 to 0 and 1, then to 2."""
    sizes = graph_sizes(documents_of(tokens, edges), [1, 2], 3)
    words = {name: rows["words"].tolist() for name, rows in sizes.groupby("graph", sort=False)}
    own = (3 + 4) / 2
    assert words == {
        "1 hop": [own, *[own + (3 + 2) / 2] * 3],
        "2 hops": [own, 7, 7, 7],
        "all words": [own, 7, 7, 7],
    }
    assert graph_size_chart(sizes).startswith("<svg")


def test_distances_are_counted_over_all_documents() -> None:
    """Document a: sentences of 1, 2 and 3 words, b: one of 2. Nothing is linked."""
    tokens = tokens_table({"a": [["x"], ["y"] * 2, ["z"] * 3], "b": [["x"] * 2]})
    edges = pd.DataFrame({name: [] for name in ("doc_id", "from_sent", "from_token", "to_sent", "to_token")})
    sizes = graph_sizes(documents_of(tokens, edges), [1], 2).set_index(["graph", "distance"])["words"]
    assert sizes["1 hop"].tolist() == [2, 2, 2]
    assert sizes["all words"].tolist() == [2, 2 + (2 + 1 + 3 + 2) / 4, 2 + (5 + 4 + 3) / 4]


@pytest.mark.parametrize("change", [{"doc_id": "dog"}, {"to_token": 7}, {"from_sent": 2}])
def test_a_graph_of_another_text_is_refused(
    tokens: pd.DataFrame, edges: pd.DataFrame, change: dict[str, str | int]
) -> None:
    with pytest.raises(InputError, match=r"table document_graph: document (dog has no tokens|cat: an edge ends at no)"):
        list(documents_of(tokens, edges.assign(**change)))


def test_both_commands(
    tmp_path: Path, tokens: pd.DataFrame, edges: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(main: Callable[[], None], *given: str | Path) -> None:
        monkeypatch.setattr(sys, "argv", ["command", *map(str, given)])
        main()

    both = pd.concat([tokens, tokens_table(CAT, side="target")], ignore_index=True)
    write_table(both, tmp_path / "tokens", "tokens")
    mentions = mentions_table(tokens, CAT_CHAINS)
    mentions = mentions.assign(start=mentions["head_start"], end=mentions["head_end"])
    write_table(mentions, tmp_path / "coreference", "coreference")
    syntax = syntax_table(tokens, CAT_HEADS)
    for column in ("xpos", "feats", "deprels"):
        syntax[column] = syntax["upos"]
    write_table(syntax, tmp_path / "syntax", "syntax")
    given = [word for name in ("tokens", "syntax", "coreference") for word in (f"--{name}", tmp_path / name)]
    run(build_graph.main, *given, "--side", "source", "--output", tmp_path / "graph")
    assert read_table(tmp_path / "graph", "document_graph").to_dict("list") == edges.to_dict("list")
    names = {"tokens": "tokens", "graphs": "graph", "output": "drawing.svg", "numbers": "numbers.tsv"}
    places = [word for option, name in names.items() for word in (f"--{option}", str(tmp_path / name))]
    run(plot_graph_size.main, *places, "--side", "source")
    assert (tmp_path / "drawing.svg").read_text(encoding="utf-8").startswith("<svg")
    assert len(pd.read_csv(tmp_path / "numbers.tsv", sep="\t")) == 3 * 21
