"""Names of files, and the files that patterns stand for."""

from pathlib import Path

import pytest
from snakemake.exceptions import WorkflowError

from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.remote_storage import stored_files
from tests.unit.workflow.plan.plan_examples import configured, job, run

FILES = Files(configured())


def test_files_that_are_not_here_may_be_in_remote_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = stored_files(str(tmp_path / "storage"), provider="any")
    (tmp_path / "storage" / "texts").mkdir(parents=True)
    for name in ("b.tsv", "a.tsv", "other"):
        (tmp_path / "storage" / "texts" / name).touch()
    files = Files(configured(), names)
    assert files.matching("texts/*.tsv") == ["texts/a.tsv", "texts/b.tsv"]
    assert files.matching("texts/a.tsv") == ["texts/a.tsv"]
    assert files.matching("texts/none.tsv") == files.matching("/texts/a.tsv") == []
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "c.tsv").touch()
    assert files.matching("texts/*.tsv") == ["texts/c.tsv"]
    assert stored_files(None, None) is None


def test_folders_are_those_of_the_run() -> None:
    assert (FILES.results, FILES.work) == ("results/example", "work/example")
    assert FILES.run("news", "second", 3) == "results/example/news/experiments/second/seed3"
    assert FILES.run("{corpus}", "{experiment}", "{seed}") == (
        "results/example/{corpus}/experiments/{experiment}/seed{seed}"
    )
    assert FILES.statistics("news") == "results/example/news/corpus/statistics.tsv"
    assert FILES.dataset("news", "dev") == "results/example/news/dataset/dev.arrow"


@pytest.mark.parametrize(("corpus", "split", "count"), [("news", "train", 2), ("news", "test", 2), ("talks", "dev", 1)])
def test_a_split_has_the_shards_of_its_corpus(corpus: str, split: str, count: int) -> None:
    folder = f"results/example/{corpus}/text/tokens/{split}"
    assert FILES.shards("text/tokens", corpus, split) == [f"{folder}/{shard}.parquet" for shard in range(count)]


def test_shards_of_a_job_are_those_of_its_split_or_of_a_given_one() -> None:
    wildcards = job(corpus="news", split="test")
    assert FILES.all_shards("corpus")(wildcards) == FILES.shards("corpus", "news", "test")
    assert FILES.all_shards("corpus", "train")(wildcards) == FILES.shards("corpus", "news", "train")


def test_text_is_the_corpus_s_or_that_of_a_draft() -> None:
    assert FILES.text(job(corpus="news", split="test")) == "results/example/news"
    assert FILES.text(run("sentence", 2)) == "results/example/news/drafts/sentence/seed2"


def test_a_pattern_stands_for_files_that_are_there_or_that_the_demo_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.tsv", "a.tsv", "texts.tar"):
        Path(name).touch()
    assert FILES.matching("a.tsv") == ["a.tsv"]
    assert sorted(FILES.matching("*.tsv")) == ["a.tsv", "b.tsv"]
    assert FILES.matching("texts.tar::folder/*.txt") == ["texts.tar"]
    assert FILES.matching("c.tsv") == []
    assert FILES.matching("results/example/generated/train.tsv") == ["results/example/generated/train.tsv"]
    assert FILES.matching("results/other/generated/train.tsv") == []


def test_a_missing_file_is_an_error_with_its_remedy_until_it_was_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.tsv").touch()
    with pytest.raises(WorkflowError, match=r"^corpus x: no file b\.tsv; get it$"):
        FILES.imported(["a.tsv", "b.tsv"], "corpus x", "get it", "statistics.tsv")
    Path("statistics.tsv").touch()
    assert FILES.imported(["b.tsv", "a.tsv", "a.tsv"], "corpus x", "get it", "statistics.tsv") == ["a.tsv", "b.tsv"]


def test_a_path_with_braces_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("{a}.tsv").touch()
    with pytest.raises(WorkflowError, match="braces name wildcards"):
        FILES.imported(["{a}.tsv"], "corpus x", "get it", "statistics.tsv")
