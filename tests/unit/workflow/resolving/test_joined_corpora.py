"""Corpora that are made of others: their tables are inputs of the import, and its size is the sum of theirs."""

from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.sizing.pairs import estimated_pairs
from tests.unit.workflow.plan.plan_examples import CONFIG, configured, planned

LANGUAGES = {"source_language": "en", "target_language": "de"}
RESULTS = "results/example"


def corpora(**splits: list[str]) -> dict[str, Any]:
    """The corpora of the example, and ``all``, whose splits join them."""
    own = {"format": "joined", "splits": {split: {"corpora": names} for split, names in splits.items()}}
    return {"corpora": {**CONFIG["corpora"], "all": {**LANGUAGES, **own}}}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the example's corpora."""
    for name in (
        "train.tsv",
        "dev.tsv",
        "test.tsv",
        "more.tsv",
        "items.parquet",
        "deixis.json",
        "forms.json",
        "forms.en",
    ):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("files")
def test_the_import_reads_the_tables_of_the_others() -> None:
    plan = planned(**corpora(train=["talks", "news"], dev=["news"]))
    expected = [
        path
        for name, split in (("talks", "train"), ("news", "train"), ("news", "dev"))
        for path in plan.files.shards("corpus", name, split)
    ]
    assert sorted(plan.corpora.sources["all"]) == sorted(expected)
    assert f'"{RESULTS}/talks/corpus/train/*.parquet"' in plan.parameters.settings_of("corpus", "all")


@pytest.mark.usefixtures("files")
def test_a_split_that_is_held_out_can_be_joined() -> None:
    plan = planned(**corpora(train=["news"], dev=["talks"]))
    assert set(plan.corpora.sources["all"]) >= set(plan.files.shards("corpus", "talks", "dev"))


@pytest.mark.usefixtures("files")
def test_the_size_is_the_sum() -> None:
    Path("train.tsv").write_text("x" * 26_000, "utf-8")  # of both corpora
    Path("dev.tsv").write_text("x" * 2_600, "utf-8")
    values = corpora(train=["talks", "news"], dev=["news"], test=["news"])
    sizes = {name: estimated_pairs(configured(**values), name) for name in ("talks", "news", "all")}
    assert sizes["all"] == {"train": sizes["talks"]["train"] + sizes["news"]["train"], "dev": 10}


@pytest.mark.usefixtures("files")
def test_the_size_is_unknown_where_one_is_unknown() -> None:
    Path("train.tsv").write_text("x" * 26_000, "utf-8")
    values = corpora(train=["talks", "news"], dev=["news"])
    news = values["corpora"]["news"]
    values["corpora"]["news"] = {**news, "splits": {**news["splits"], "train": {"files": ["more.tsv"]}}}  # empty
    assert "train" not in estimated_pairs(configured(**values), "all")


@pytest.mark.parametrize(
    ("splits", "reason"),
    [
        ({"train": ["talk"]}, "corpora.all.splits.train.corpora: talk is not in the configuration; did you mean talks"),
        ({"train": ["pair"]}, "pair joins others itself"),
        ({"train": ["talks"], "tests": ["news"]}, "news has no split tests; did you mean test"),
    ],
)
def test_what_cannot_be_joined_is_refused(splits: dict[str, list[str]], reason: str) -> None:
    values = corpora(**splits)
    pair = {**LANGUAGES, "format": "joined", "splits": {"train": {"corpora": ["talks"]}}}
    with pytest.raises(InputError, match=reason):
        configured(corpora={**values["corpora"], "pair": pair})


@pytest.mark.parametrize("pair", ["en-fr", "de-en"])
def test_corpora_of_other_languages_are_not_joined(pair: str) -> None:
    values = corpora(train=["talks"])
    values["corpora"]["all"] |= dict(zip(("source_language", "target_language"), pair.split("-")))
    with pytest.raises(InputError, match=f"the languages of talks differ, {pair} and en-de"):
        configured(**values)
