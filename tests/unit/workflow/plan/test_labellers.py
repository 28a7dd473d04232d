"""Labellers: folders, labelled words, models, tables."""

import re
from pathlib import Path

import pytest
from snakemake.exceptions import WorkflowError

from tests.unit.workflow.plan.plan_examples import CONFIG, job, planned, run

PLAN = planned()
FOLDER = "results/example/news/labellers/themes/sentence"


@pytest.mark.parametrize(("seed", "of_first"), [(2, 2), (3, 1)])
def test_a_run_takes_over_the_labeller_of_the_model_it_starts_from(seed: int, of_first: int) -> None:
    assert PLAN.labellers.folders_of("news", "remembering", seed) == [f"{FOLDER}/seed{of_first}"]
    assert PLAN.labellers.of_run(run("remembering", seed)) == [f"{FOLDER}/seed{of_first}/labeller.safetensors"]


def test_most_runs_have_no_labeller() -> None:
    assert PLAN.labellers.of_run(run("second", 2)) == []


def test_tables_are_of_used_labellers_and_of_those_that_name_experiments() -> None:
    used = {
        f"results/example/{corpus}/labellers/themes/sentence/seed{seed}/scores.tsv"
        for corpus in ("news", "talks")
        for seed in (1, 2)
    }
    assert set(PLAN.labellers.used_tables()) == set(PLAN.labellers.all_tables()) == used
    more = planned(labellers={"other": {"experiments": ["sentence"]}}).labellers
    assert set(more.used_tables()) == used
    assert len(more.all_tables()) == 2 * len(used)


def test_labelled_words_are_imported_or_come_from_an_analysis() -> None:
    assert re.fullmatch(PLAN.labellers.regex(imported=True), "words")
    assert not re.fullmatch(PLAN.labellers.regex(imported=True), "themes")
    assert re.fullmatch(PLAN.labellers.regex(imported=False), "themes")
    wildcards = job(corpus="news", labeller="themes", split="dev")
    assert PLAN.labellers.themes(wildcards) == PLAN.analyses.annotation("news", "builtin", "source", "themes", "dev")


@pytest.mark.parametrize(("labeller", "splits"), [("words", ["test"]), ("themes", ["test", "more"])])
def test_a_labeller_is_scored_on_test_sets(labeller: str, splits: list[str]) -> None:
    wildcards = job(corpus="news", labeller=labeller)
    words = f"results/example/news/labellers/{labeller}/words"
    assert PLAN.labellers.words("train")(wildcards) == f"{words}/train.parquet"
    assert PLAN.labellers.test_words(wildcards) == [f"{words}/{split}.parquet" for split in splits]


def test_a_missing_labelled_corpus_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WorkflowError, match=r"^labeller words: no file ctrd\.xml; .* labellers\.words\.imported"):
        PLAN.labellers.check_sources()
    Path("ctrd.xml").touch()
    PLAN.labellers.check_sources()
    assert PLAN.labellers.imported_sources(job(labeller="words")) == ["ctrd.xml"]


def test_only_labellers_with_an_encoder_read_a_model() -> None:
    assert PLAN.labellers.model(run("sentence", 2, labeller="themes")) == [
        "results/example/news/experiments/sentence/seed2/model.safetensors"
    ]
    assert PLAN.labellers.model(run("sentence", 2, labeller="words")) == []


def test_code_depends_on_the_network() -> None:
    codes = {PLAN.labellers.code(run(experiment, labeller="themes")) for experiment in ("sentence", "remembering")}
    assert len(codes) == 2


def test_where_words_come_from_is_no_setting_of_their_import() -> None:
    words = {**CONFIG["labellers"]["words"]}
    words["imported"] = {**words["imported"], "where": "at home"}
    plan = planned(labellers={"words": words})
    wildcards = job(labeller="words")
    assert plan.labellers.import_settings(wildcards) == PLAN.labellers.import_settings(wildcards)
