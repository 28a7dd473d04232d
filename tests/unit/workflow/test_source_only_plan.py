"""Test sets without references are translated and shown, and nothing that needs a reference is planned for them."""

import copy
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.plan.plan import Plan
from tests.unit.workflow.plan.plan_examples import CONFIG, configured, planned, run

RUN = "results/example/news/experiments/second/seed2"


def corpora(**more: Any) -> dict[str, Any]:
    """The corpora of the example, of which the news have a test set of sources alone."""
    sections = copy.deepcopy(CONFIG["corpora"])
    sections["news"]["splits"]["fresh"] = {"files": ["fresh.tsv"], "references": False}
    sections["news"].update(more)
    return dict(sections)


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.parquet").touch()
    metrics = {"house": {"command": ["house", "{hypotheses}"]}}
    systems = {"gpt": {"hypotheses": {"fresh": "gpt.txt", "test": "gpt.test.txt"}, "compared_with": "sentence"}}
    report = {"analyses": ["builtin", "gold"]}
    (tmp_path / "gold").mkdir()
    for split in ("test", "more"):
        (tmp_path / "gold" / f"{split}.parquet").touch()
    return planned(corpora=corpora(systems=systems), metrics=metrics, report=report)


def test_a_test_set_of_sources_is_translated_and_not_scored(plan: Plan) -> None:
    assert plan.corpora.splits("news") == ["train", "dev", "test", "more", "fresh"]
    assert plan.corpora.test_sets("news") == ["test", "more", "fresh"]
    assert plan.corpora.scored_sets("news") == ["test", "more"]
    assert f"{RUN}/translations/fresh.parquet" in plan.runs.translated_files("translations/{split}.parquet")
    assert f"{RUN}/translations/fresh.txt" in plan.runs.translated_files("translations/{split}.txt")
    tables = plan.scores.tables()
    assert f"{RUN}/scores/test.tsv" in tables and f"{RUN}/significance/more.tsv" in tables
    assert f"{RUN}/metric_scores/house/test.tsv" in tables
    assert not [path for path in tables if "fresh" in path]
    assert plan.runs.test_scores(run("second", 2)) == [f"{RUN}/scores/{split}.tsv" for split in ("test", "more")]
    assert not [path for path in plan.labellers.test_words(run("sentence", labeller="themes")) if "fresh" in path]


def test_the_translations_of_another_system_may_be_of_sources_alone(plan: Plan) -> None:
    folder = "results/example/news/experiments/gpt/seed0"
    assert f"{folder}/translations/fresh.txt" in plan.runs.translated_files("translations/{split}.txt")
    assert f"{folder}/significance/test.tsv" in plan.scores.tables()


def test_dev_is_scored_where_no_other_split_has_references() -> None:
    sections = corpora()
    sections["talks"]["splits"]["fresh"] = {"files": ["fresh.tsv"], "references": False}
    plan = planned(corpora=sections)
    assert plan.corpora.scored_sets("talks") == ["dev"]
    assert plan.corpora.test_sets("talks") == ["dev", "fresh"]


def test_the_report_shows_the_source_with_the_analyses_that_can_be_made(plan: Plan) -> None:
    names = {name for name, _ in plan.report.annotation()}
    assert {"news/fresh/builtin/edus", "news/fresh/builtin/rst", "news/test/gold/rst"} <= names
    assert not names & {"news/fresh/gold/edus", "news/fresh/gold/rst"}
    assert ("news/fresh", "results/example/news/corpus/fresh/0.parquet") in plan.report.test_shards("corpus")
    Path("gold/fresh.parquet").touch()
    assert "news/fresh/gold/rst" in {name for name, _ in plan.report.annotation()}


def test_no_target_side_is_analysed() -> None:
    analyses = {"builtin": {**CONFIG["analyses"]["builtin"], "sides": ["source", "target"]}}
    experiments = {"sentence": {"system": "transformer"}}
    plan = planned(corpora=corpora(), analyses=analyses, experiments=experiments)
    for table in ("edus", "rst"):
        assert plan.analyses.covers("news", "builtin", "source", table, "fresh")
        assert plan.analyses.covers("news", "builtin", "target", table, "test")
        assert not plan.analyses.covers("news", "builtin", "target", table, "fresh")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"contrastive": {"fresh": "items.parquet"}}, "contrastive: the test set fresh has no references"),
        ({"suites": {"fresh": {"format": "voita", "files": ["a.json"]}}}, "suites.fresh: a split has this name"),
    ],
)
def test_items_need_references(more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        configured(corpora=corpora(**more))


@pytest.mark.parametrize("split", ["train", "dev"])
def test_train_and_dev_need_references(split: str) -> None:
    sections = corpora()
    sections["news"]["splits"][split]["references"] = False
    with pytest.raises(InputError, match=f"corpora.news.splits.{split}: {split} needs a target side"):
        configured(corpora=sections)


def test_the_schema_knows_the_key() -> None:
    sections = corpora()
    sections["news"]["splits"]["fresh"]["references"] = "no"
    with pytest.raises(InputError, match="references"):
        configured(corpora=sections)
