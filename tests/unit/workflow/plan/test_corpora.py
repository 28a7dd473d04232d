"""Splits, test sets, suites and contrastive items; files that are missing."""

from pathlib import Path
from typing import Any

import pytest
from snakemake.exceptions import WorkflowError

from tests.unit.workflow.plan.plan_examples import CONFIG, PRETRAINED, job, planned

PLAN = planned()


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with every file that the example reads."""
    monkeypatch.chdir(tmp_path)
    for split in ("train", "dev", "test", "more"):
        (tmp_path / f"{split}.tsv").touch()
    for name in ("items.parquet", "deixis.json", "forms.json", "forms.en"):
        (tmp_path / name).touch()
    return tmp_path


def test_splits_and_test_sets() -> None:
    assert PLAN.corpora.splits("news") == ["train", "dev", "test", "more"]
    assert PLAN.corpora.test_sets("news") == ["test", "more"]
    assert PLAN.corpora.splits("talks") == ["train", "dev"]
    assert PLAN.corpora.test_sets("talks") == ["dev"]


def test_sentences_of_splits_are_in_an_order_of_their_own() -> None:
    splits = [split for split, _ in PLAN.corpora.sentences("news")]
    assert list(dict.fromkeys(splits)) == ["train", "dev", "more", "test"]
    assert ("test", "results/example/news/corpus/test/1.parquet") in PLAN.corpora.sentences("news")


def test_a_threshold_of_near_duplicates_is_an_option() -> None:
    assert PLAN.corpora.near_duplicates_option(job(corpus="news")) == []
    corpora = {name: {**corpus, "near_duplicates": 0.7} for name, corpus in CONFIG["corpora"].items()}
    option = planned(corpora=corpora).corpora.near_duplicates_option(job(corpus="news"))
    assert option == ["--near-duplicates", "0.7"]


def test_languages_shards_and_case_of_a_job() -> None:
    wildcards = job(corpus="talks", side="target")
    assert PLAN.corpora.source_language(wildcards) == "en"
    assert PLAN.corpora.target_language(wildcards) == PLAN.corpora.side_language(wildcards) == "de"
    assert PLAN.corpora.lowercase_option(wildcards) == ["--lowercase"]
    assert PLAN.corpora.lowercase_option(job(corpus="news")) == []
    assert PLAN.corpora.shard_count(job(corpus="news")) == 2


@pytest.mark.parametrize(
    ("normalise", "sides"), [({}, ["source"]), ({"normalise": False}, []), ({"normalise": True}, ["source", "target"])]
)
def test_scores_know_which_sides_are_normalised(normalise: dict[str, Any], sides: list[str]) -> None:
    corpora = {name: {**corpus, "text": normalise} for name, corpus in CONFIG["corpora"].items()}
    corpora["news"]["systems"] = {"gpt": {"hypotheses": {"test": "gpt.txt"}}}
    plan = planned(corpora=corpora).scores
    assert plan.normalised_sides(job(corpus="news", experiment="sentence")) == sides
    assert plan.normalised_sides(job(corpus="news", experiment="gpt")) == []


def test_only_train_is_cut_by_both_sides() -> None:
    """Which sentences of a test set are translated together follows from its source, unless a corpus asks otherwise."""
    splits = ("train", "dev", "test", "deixis")
    assert [PLAN.corpora.cut_by(job(corpus="news", split=split)) for split in splits] == ["both", *["source"] * 3]
    corpora = {name: {**corpus, "cut_test_sets_by": "both"} for name, corpus in CONFIG["corpora"].items()}
    assert planned(corpora=corpora).corpora.cut_by(job(corpus="news", split="test")) == "both"


def test_each_corpus_and_suite_is_read_from_its_files(texts: Path) -> None:
    corpora = planned().corpora
    assert corpora.sources == {"news": ["dev.tsv", "more.tsv", "test.tsv", "train.tsv"], "talks": ["train.tsv"]}
    assert corpora.suite_sources == {
        ("news", "deixis"): ["deixis.json"],
        ("news", "forms"): ["forms.en", "forms.json"],
    }


def test_contrastive_items_are_those_of_test_sets_and_of_suites_that_are_not_generated(texts: Path) -> None:
    corpora = planned().corpora
    assert corpora.contrastive == {
        "news": {"test": "items.parquet", "deixis": "results/example/news/suites/deixis.parquet"},
        "talks": {},
    }
    assert corpora.contrastive_items(job(corpus="news", split="test")) == "items.parquet"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("more.tsv", r"^corpus news: no file more\.tsv; put it there, or correct corpora\.news\.splits"),
        ("deixis.json", r"^suite deixis: no file deixis\.json; put it there, or correct corpora\.news\.suites\.deixis"),
        (
            "items.parquet",
            r"^corpus news: no file items\.parquet; .* correct corpora\.news\.contrastive$",
        ),
    ],
)
def test_a_missing_file_is_told_in_one_line(texts: Path, name: str, message: str) -> None:
    (texts / name).unlink()
    with pytest.raises(WorkflowError, match=message):
        planned(documents=[]).look_up([])


def test_a_missing_checkpoint_is_told_with_its_corpus(texts: Path) -> None:
    corpora = {"news": {**CONFIG["corpora"]["news"], "text": PRETRAINED}}
    with pytest.raises(WorkflowError, match=r"^corpus news: mbart: no file .*; put the checkpoint there"):
        planned(corpora=corpora).look_up([])


def test_where_a_suite_comes_from_is_no_setting_of_its_import() -> None:
    news = CONFIG["corpora"]["news"]
    suites = {"deixis": {**news["suites"]["deixis"], "where": "at home"}}
    other = planned(corpora={"news": {**news, "suites": suites}})
    assert other.corpora.suite_settings("news", "deixis") == PLAN.corpora.suite_settings("news", "deixis")
