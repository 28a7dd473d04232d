"""The section ``paper_tables``: its checks, and the files that a table is made from."""

import json
import re
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from tests.unit.workflow.plan.plan_examples import configured, job
from tests.unit.workflow.plan.plan_examples import planned as plan_of

TABLE: dict[str, Any] = {
    "published": "document_graph.table_1",
    "columns": {
        "En-Fr dev": {"corpus": "news", "test_set": "more"},
        "En-De test": {"corpus": "news"},
        "En-Ru test": {"mean_of": ["En-Fr dev", "En-De test"]},
        "added parameters": {"corpus": "news", "metric": "added parameters"},
        "speed": {"corpus": "news", "metric": "speed"},
    },
    "rows": {"BASE": "sentence", "SRC-GRAPH": ["sentence", "drafted", None, "drafted", "talks/sentence"]},
    "own_rows": {"ours": "trees"},
}


def section(**changes: Any) -> dict[str, Any]:
    return {"graph": {**TABLE, **changes}}


def described(**changes: Any) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(
        plan_of(paper_tables=section(**changes)).papers.description(job(table="graph"))
    )
    return content


def test_rows_and_columns_are_the_paper_s_and_then_the_project_s() -> None:
    table = described()
    assert table["columns"][0] == "En-Fr dev" and len(table["columns"]) == 10
    names = [row["name"] for row in table["rows"]]
    assert names[0] == "BASE" and names[-2:] == ["+ TGT", "ours"]
    assert [cell["published"] for cell in table["rows"][0]["cells"]][:2] == ["29.56", "35.77"]
    assert {cell["published"] for cell in table["rows"][-1]["cells"]} == {"-"}


def test_a_cell_names_its_score() -> None:
    rows = {row["name"]: dict(zip(described()["columns"], row["cells"])) for row in described()["rows"]}
    base, graph = rows["BASE"], rows["SRC-GRAPH"]
    key = ("corpus", "experiment", "test_set", "metric")
    assert [base["En-Fr dev"][one] for one in key] == ["news", "sentence", "more", "s-BLEU"]
    assert [graph["En-De test"][one] for one in key] == ["news", "drafted", "test", "s-BLEU"]
    assert base["En-Ru test"]["mean_of"] == [0, 5]
    assert not graph["En-Ru test"]["mean_of"] and not graph["En-Ru test"]["experiment"]
    assert not rows["HAN"]["En-Fr dev"]["experiment"]


def test_parameters_and_speed_are_read_from_the_files_of_runs() -> None:
    rows = {row["name"]: dict(zip(described()["columns"], row["cells"])) for row in described()["rows"]}
    folder = "results/example/news/experiments"
    models = [f"{folder}/sentence/seed{seed}/model.safetensors" for seed in (1, 2)]
    assert rows["SRC-GRAPH"]["added parameters"]["files"] == [f"{folder}/drafted/seed3/model.safetensors"]
    assert rows["SRC-GRAPH"]["added parameters"]["beside"] == models
    assert rows["SRC-GRAPH"]["speed"]["files"][0] == "results/example/talks/experiments/sentence/seed1/metrics.csv"
    read = plan_of(paper_tables=section()).papers.read(job(table="graph"))
    assert {*models, f"{folder}/drafted/seed3/model.safetensors"} <= set(read)


def test_an_experiment_that_a_corpus_lacks_is_not_measured() -> None:
    table = described(columns={"En-De test": {"corpus": "talks", "test_set": "dev"}}, rows={"BASE": "trees"})
    assert not any(cell["experiment"] for row in table["rows"] for cell in row["cells"])


def test_labellers_bring_their_tables_of_scores() -> None:
    plan = plan_of(
        paper_tables={
            "labels": {
                "published": "theme_rheme_cache.table_2",
                "columns": {"accuracy": {"corpus": "news", "metric": "accuracy (labelling, words)"}},
                "rows": {"NMT encoder + BiLSTM": "themes on sentence"},
            },
            **section(),
        }
    )
    scores = plan.papers.labeller_scores(job(table="labels"))
    assert set(scores) | set(plan.labellers.used_tables()) == set(plan.labellers.all_tables())
    assert plan.papers.labeller_scores(job(table="graph")) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"published": "document_graph.table_11"}, "paper_tables.graph.published: no published table document_graph"),
        ({"rows": {"BASIS": "sentence"}}, "paper_tables.graph.rows: the paper's table has no row BASIS; did you mean"),
        ({"columns": {"En-Fr tset": {}}}, "the paper's table has no column En-Fr tset; did you mean En-Fr test?"),
        ({"rows": {"BASE": "sentense"}}, "rows.BASE: no experiment sentense; did you mean sentence?"),
        ({"rows": {"BASE": "new/sentence"}}, "rows.BASE: no corpus new; did you mean news?"),
        ({"rows": {"BASE": ["sentence"]}}, "rows.BASE: 1 experiments for 5 columns"),
        ({"rows": {"BASE": "label on sentence"}}, "rows.BASE: no labeller label"),
        ({"rows": {"HAN": "sentence"}}, "parameters are added to those of BASE; name it in paper_tables.graph.rows"),
        ({"own_rows": {"HAN": "sentence"}}, "own_rows: the paper has a row HAN"),
        (
            {"columns": {"En-Fr dev": {"corpus": "news", "test_set": "tests"}}, "rows": {"BASE": "sentence"}},
            "not scored",
        ),
        ({"columns": {"En-Fr dev": {}}, "rows": {"BASE": "sentence"}}, "columns.En-Fr dev: no corpus, but there are"),
        ({"columns": {"En-Fr dev": {"mean_of": ["speed"]}}, "rows": {}}, "mean_of: the paper's table has no measured"),
    ],
)
def test_mistakes_are_told_in_one_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        configured(paper_tables=section(**changes))
