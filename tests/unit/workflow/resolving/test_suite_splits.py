"""Suites that are made from splits of their corpus: what their import reads, and splits that are refused."""

from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from tests.unit.workflow.plan.plan_examples import CONFIG, job, planned

FORMS = {"format": "address", "splits": ["test", "more"]}


def news(suite: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The section ``corpora`` of the example with a suite ``forms``."""
    return {"news": {**CONFIG["corpora"]["news"], "contrastive": {}, "suites": {"forms": suite}, **more}}


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with the files of the splits, and no table."""
    monkeypatch.chdir(tmp_path)
    for split in ("train", "dev", "test", "more"):
        (tmp_path / f"{split}.tsv").touch()


def test_the_import_of_the_suite_reads_the_tables_that_the_import_of_the_corpus_makes(texts: None) -> None:
    plan = planned(corpora=news(FORMS))
    tables = [f"results/example/news/corpus/{split}/{shard}.parquet" for split in ("more", "test") for shard in (0, 1)]
    assert plan.corpora.suite_sources == {("news", "forms"): tables}
    assert set(tables) <= {table for _, table in plan.corpora.sentences("news")}
    assert "corpus/test/*.parquet" in plan.corpora.suite_settings("news", "forms")


def test_rules_are_scored_once_for_a_suite_of_address(texts: None) -> None:
    plan = planned(corpora=news(FORMS))
    assert plan.scores.tables().count("results/example/news/suites/forms.rules.tsv") == 1
    control = planned(corpora=news({**FORMS, "options": {"scene": "another"}}))  # its sentences are the same
    assert control.scores.tables().count("results/example/news/suites/forms.rules.tsv") == 0
    assert plan.corpora.suite_documents(job(corpus="news", suite="forms")) == [
        f"results/example/news/corpus/documents/{split}.parquet" for split in ("test", "more")
    ]
    tables = plan.corpora.suite_sources["news", "forms"]
    assert plan.corpora.suite_sentences(job(corpus="news", suite="forms")) == tables


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (["tset"], "tset is no split with references beside train; did you mean test"),
        (["train"], "train is no split with references beside train"),
        (["bare"], "bare is no split with references beside train"),
    ],
)
def test_a_split_that_no_suite_can_be_made_from_is_refused(splits: list[str], message: str) -> None:
    bare = {"files": ["bare.tsv"], "references": False}
    more = {"splits": {**CONFIG["corpora"]["news"]["splits"], "bare": bare}}
    with pytest.raises(InputError, match=rf"^corpora\.news\.suites\.forms\.splits: {message}"):
        planned(corpora=news({**FORMS, "splits": splits}, **more))


@pytest.mark.parametrize(
    ("suite", "languages", "message"),
    [
        (FORMS, {"target_language": "it"}, "forms of address of it are not known"),
        (FORMS, {"source_language": "fr"}, "words for you of fr are not known"),
        ({"format": "address"}, {}, "gives no files; the format address reads splits"),
        ({"format": "voita", "splits": ["test"]}, {}, "gives splits; the format voita reads files"),
    ],
)
def test_a_suite_that_does_not_fit_its_format_is_refused(
    suite: dict[str, Any], languages: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=rf"^corpora\.news\.suites\.forms: {message}"):
        planned(corpora=news(suite, **languages))
