"""Scores: what each is computed from, and the tables that are gathered."""

import copy
from pathlib import Path

import pytest

from discourse_nmt.training.kinds import StructureKind
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.plan import runs
from discourse_nmt.workflow.plan.runs import Run
from discourse_nmt.workflow.sections.models import decoding_kind
from tests.unit.workflow.plan.plan_examples import CONFIG, planned, run

RUN = "results/example/news/experiments/second/seed2"


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the contrastive items of the example."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.parquet").touch()
    return tmp_path


def test_no_table_is_gathered_twice(items: Path) -> None:
    tables = planned().scores.tables()
    assert len(tables) == len(set(tables))
    for name in (
        "scores/test.tsv",
        "document_scores/test.tsv",
        "significance/more.tsv",
        "contrastive_significance/deixis.tsv",
        "generation_significance/test.tsv",
        "generation_significance/forms.tsv",
        "suites/forms.tsv",
    ):
        assert f"{RUN}/{name}" in tables
    assert "results/example/news/labellers/themes/sentence/seed1/scores.tsv" in tables


def test_metrics_of_documents_can_be_left_out(items: Path) -> None:
    tables = planned(document_metrics={"compute": False}).scores.tables()
    assert not [path for path in tables if "document_scores" in path]
    assert f"{RUN}/scores/test.tsv" in tables


def test_references_are_scored_where_controls_are_asked_for(items: Path) -> None:
    controls = ["without_context", "shuffled_trees"]
    plain, asked = planned(), planned(document_metrics={"cxmi": controls})
    table = f"{RUN}/information_scores/test.tsv"
    assert plain.scores.information_tables() == plain.report.reference_scores() == []
    assert table in asked.scores.information_tables() and table in asked.scores.tables()
    assert ("news/second/2/test", f"{RUN}/reference_scores/test.parquet") in asked.report.reference_scores()
    test = run("second", 2, split="test")
    assert asked.scores.groups_option(test) == []
    grouped = planned(corpora={"news": {**CONFIG["corpora"]["news"], "groups": "a"}})
    assert grouped.scores.groups_option(test) == ["--groups=a"]
    off = planned(document_metrics={"cxmi": controls, "compute": False})
    assert off.scores.information_tables() == off.report.reference_scores() == []


def test_references_of_other_systems_are_not_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("items.parquet", "online.txt"):
        (tmp_path / name).touch()
    news = {**CONFIG["corpora"]["news"], "systems": {"online": {"hypotheses": {"test": "online.txt"}}}}
    asked = planned(corpora={"news": news}, document_metrics={"cxmi": ["without_context"]})
    scored = [*asked.scores.information_tables(), *(path for _, path in asked.report.reference_scores())]
    assert scored and not any("online" in path for path in scored)


def test_scores_of_analysers_are_gathered_where_treebanks_are_named(items: Path) -> None:
    treebanks = {name: {"conllu": ["x"], "rst": [], "coreference": []} for name in ("train", "dev", "test")}
    tables = planned(parsers={"en": {"treebanks": treebanks}}).scores.tables()
    assert [path for path in tables if "/parsers/" in path] == [
        f"results/example/parsers/en/rows/{name}.tsv" for name in ("dev", "test")
    ]


def test_sets_of_given_translations_are_compared(items: Path) -> None:
    scores = planned().scores
    assert scores.contrastive_sets(Run("news", "sentence", 1)) == ["test", "deixis"]
    assert scores.contrastive_sets(Run("talks", "sentence", 1)) == []


def test_contrastive_scores_are_read_where_a_test_set_has_items(items: Path) -> None:
    scores = planned().scores
    assert scores.contrastive(run("second", 2, split="test")) == [f"{RUN}/contrastive/test.parquet"]
    assert scores.contrastive(run("second", 2, split="more")) == []


def test_a_suite_is_scored_by_its_kind(items: Path) -> None:
    scores = planned().scores
    deixis, forms = (run("second", 2, split=suite) for suite in ("deixis", "forms"))
    assert (scores.contrastive(deixis), scores.generation(deixis)) == ([f"{RUN}/contrastive/deixis.parquet"], [])
    assert (scores.contrastive(forms), scores.generation(forms)) == ([], [f"{RUN}/generation/forms.parquet"])
    assert (scores.items(forms), scores.items_option(forms)) == (
        "results/example/news/suites/forms.parquet",
        "--expected",
    )


def test_of_a_suite_what_its_items_ask_for_is_translated(items: Path) -> None:
    scores = planned().scores
    of_suite = run("second", 2, split="forms")
    asked = scores.asked(of_suite)
    assert asked == [scores.items(of_suite)]
    assert scores.asked_option(of_suite, {"asked": asked}) == ["--expected", *asked]
    assert scores.asked(run("second", 2, split="test")) == [], "it has contrastive items, too"
    assert scores.asked_option(run("second", 2, split="test"), {"asked": []}) == []


def test_a_draft_is_translated_whole(items: Path) -> None:
    scores = planned().scores
    assert scores.runs.is_draft("news", "sentence") and scores.asked(run("sentence", 2, split="forms")) == []
    assert not scores.runs.is_draft("talks", "sentence"), "nobody reads its draft there"


def test_settings_are_read_once_for_all_jobs_that_ask_for_drafts(items: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Planning the study of stories took minutes, as each of 700 jobs read the settings of all runs anew."""
    scores = planned().scores
    read = []

    def reading(config: Configuration, name: str) -> StructureKind:
        read.append(name)
        return decoding_kind(config, name)

    monkeypatch.setattr(runs, "decoding_kind", reading)
    for seed in range(100):
        scores.asked(run("second", seed, split="forms"))
    assert sorted(read) == sorted(scores.config.experiments)


def test_translations_of_given_items_are_judged_too(items: Path) -> None:
    test = run("second", 2, split="test")
    scores = planned().scores
    assert scores.generation(test) == [f"{RUN}/generation/test.parquet"]
    assert (scores.items(test), scores.items_option(test)) == ("items.parquet", "--contrastive")
    assert scores.generation(run("second", 2, split="more")) == []
    assert scores.generation_sets(Run("news", "sentence", 1)) == ["test", "forms"]
    news = copy.deepcopy(CONFIG["corpora"]["news"])
    news["suites"]["deixis"]["generation"] = True
    translated = planned(corpora={"news": news}).scores
    assert translated.generation_sets(Run("news", "sentence", 1)) == ["test", "deixis", "forms"]
    assert f"{RUN}/generation_significance/deixis.tsv" in translated.tables()
    assert translated.generation(run("second", 2, split="deixis")) == [f"{RUN}/generation/deixis.parquet"]
    assert translated.items_option(run("second", 2, split="deixis")) == "--contrastive"


def test_metrics_use_annotation_that_can_be_made() -> None:
    wildcards = run("second", 2, split="test")
    assert planned(document_metrics={"analysis": None}).scores.measured_annotation("syntax")(wildcards) == []
    plan = planned(document_metrics={"analysis": "builtin"})
    assert plan.scores.measured_annotation("syntax")(wildcards) == plan.analyses.annotation(
        "news", "builtin", "source", "syntax", "test"
    )
    of_news = planned(document_metrics={"analysis": "gold"}).scores.measured_annotation("syntax")
    assert of_news(run("second", 2, corpus="talks", split="dev")) == []
    news = {**CONFIG["corpora"]["news"], "source_language": "eo"}
    plain = {name: {"system": "transformer"} for name in ("trees", "drafted", "remembering")}
    esperanto = planned(
        corpora={"news": news},
        experiments=plain,
        document_metrics={"analysis": "builtin"},
        labellers={"themes": {"experiments": []}},
    )
    assert esperanto.scores.measured_annotation("themes")(wildcards) == []
    assert esperanto.scores.stop_words(wildcards) == []
    assert esperanto.scores.stop_words_digest(wildcards) == ""


def test_stop_words_are_those_of_the_source_language() -> None:
    scores, wildcards = planned().scores, run("second", 2)
    assert [Path(path).stem for path in scores.stop_words(wildcards)] == ["en"]
    assert len(scores.stop_words_digest(wildcards)) == 16


def test_caches_are_shown_of_the_system_that_has_one() -> None:
    files = planned().scores.cache_files()
    assert len(files) == 2 * (2 * 2 + 2 * 1)
    assert {path.split("/experiments/")[1].split("/")[0] for path in files} == {"remembering"}
