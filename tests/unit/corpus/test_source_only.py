"""Test sets without references: read in every format that can lack a target side, with an empty target."""

import re
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.importing.importing import import_corpus, split_lengths, statistics
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.repeats import repeats
from discourse_nmt.corpus.readers import FORMATS, SOURCE_ONLY
from tests.unit.corpus.importing.corpus_samples import WRITERS, Corpus

TRAIN: Corpus = {"a": [("one", "eins"), ("two", "zwei")]}
NEWS: Corpus = {"b": [("one", "uno"), ("five six", "cinco seis")], "c": [("seven", "siete")]}


def corpus(folder: Path, writer: str, **split: Any) -> dict[str, Any]:
    """A corpus with a table to train on, and NEWS as a split without references."""
    values = WRITERS["tsv"](folder / "train", TRAIN)
    (folder / "news").mkdir(exist_ok=True)
    written = WRITERS[writer](folder / "news", NEWS)
    files = {key: value for key, value in written["splits"]["train"].items() if key != "target"}
    own = {"format": written["format"], "options": written.get("options", {}), "references": False}
    values["splits"]["news"] = own | files | split
    return values


@pytest.mark.parametrize("writer", WRITERS)
def test_a_split_of_sources_is_read_in_every_format_that_says_so(writer: str, tmp_path: Path) -> None:
    values = corpus(tmp_path, writer)
    if values["splits"]["news"]["format"] not in SOURCE_ONLY:
        with pytest.raises(InputError, match=r"splits.news: the format \w+ does not read sources alone; write them"):
            plan(values)
        return
    if "direction" in values["splits"]["news"]["options"]:
        with pytest.raises(InputError, match=r"options\.direction: the split has no references"):
            plan(values)
        return
    for path in (tmp_path / "news").rglob("*.de*"):
        path.unlink()  # nothing reads a target
    imported = import_corpus(plan(values))
    documents = list(imported.documents["news"])
    assert [document.source.sentences for document in documents] == [[one for one, _ in doc] for doc in NEWS.values()]
    assert {text for document in documents for text in document.target.sentences} == {""}
    assert [document.target.sentences for document in imported.documents["train"]] == [["eins", "zwei"]]
    assert list(split_lengths(plan(values), "news").values()) == [2, 1]


def test_a_wmt_file_may_hold_no_reference_or_several(tmp_path: Path) -> None:
    values = corpus(tmp_path, "wmt_xml")
    values["splits"]["news"]["options"] = {"reference": "A"}
    path = Path(values["splits"]["news"]["files"][0])
    text = path.read_text(encoding="utf-8")
    several = text.replace("</doc>", '<ref lang="de" translator="B"><seg id="1">x</seg></ref>\n</doc>')
    without = re.sub("<ref.*?</ref>", "", text, flags=re.DOTALL)
    assert "<ref" not in without and several.count("<ref") == 4
    for content in (several, without):
        path.write_text(content, encoding="utf-8")
        documents = import_corpus(plan(values)).documents["news"]
        assert [document.source.sentences for document in documents] == [["one", "five six"], ["seven"]]


def test_formats_without_references_are_formats() -> None:
    assert set(SOURCE_ONLY) < set(FORMATS)


def test_a_table_needs_no_target_column(tmp_path: Path) -> None:
    (tmp_path / "news.tsv").write_text("doc_id\tsource\nb\tone\nb\ttwo\n", encoding="utf-8")
    values = corpus(tmp_path, "tsv", files=[str(tmp_path / "news.tsv")])
    imported = import_corpus(plan(values))
    assert [document.source.sentences for document in imported.documents["news"]] == [["one", "two"]]
    (tmp_path / "news.jsonl").write_text('{"doc_id": "b", "source": "one"}\n', encoding="utf-8")
    values = corpus(tmp_path, "tsv", files=[str(tmp_path / "news.jsonl")], options={"layout": "jsonl"})
    assert [len(document) for document in import_corpus(plan(values)).documents["news"]] == [1]


def test_pages_whose_equal_sides_are_left_out_are_kept_without_references(tmp_path: Path) -> None:
    values = corpus(tmp_path, "html_pages")
    values["splits"]["news"]["options"] = values["splits"]["news"]["options"] | {"equal_sides": False}
    assert import_corpus(plan(values)).documents["news"].sentences == 3


def test_statistics_count_no_target_and_no_equal_sides(tmp_path: Path) -> None:
    values = corpus(tmp_path, "tsv")
    imported = import_corpus(plan(values))
    found = repeats(imported.documents)
    row = statistics(imported.documents, plan(values).corpus, found).set_index("split").loc["news"]
    assert row.to_dict() == {
        "documents": 2,
        "sentences": 3,
        "source_words": 4,
        "target_words": 0,
        "equal_sides": 0,
        "sources_in_train": 1,
        "pairs_in_train": 0,
    }


@pytest.mark.parametrize("name", ["train", "dev"])
def test_train_and_dev_need_a_target_side(name: str, tmp_path: Path) -> None:
    values = corpus(tmp_path, "marked")
    values["splits"][name] = values["splits"].pop("news")
    with pytest.raises(InputError, match=f"splits.{name}: {name} needs a target side; remove references: false"):
        plan(values)


def test_contradictions_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"splits\.news gives target, but references is false"):
        plan(corpus(tmp_path, "marked", target=["news.de"]))
    with pytest.raises(InputError, match=r"options\.direction: the split has no references"):
        plan(corpus(tmp_path, "tsv", options={"direction": "way"}))
    with pytest.raises(InputError, match=r"filters\.splits: the split news has no references"):
        plan(corpus(tmp_path, "tsv") | {"filters": {"splits": ["train", "news"]}})
