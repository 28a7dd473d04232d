"""From an imported corpus to its table and warnings."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow_scripts.corpus import import_corpus, measure_corpus
from tests.unit.corpus.importing.corpus_samples import WRITERS, Corpus

Rows = dict[tuple[str, str], dict[str, str]]

NEAR_DUPLICATES = "documents with a near-duplicate in train (%)"
ENGLISH = ["The weather was cold and it had been raining for days.", "She opened the door and saw nobody there."]
GERMAN = ["Das Wetter war kalt und es hatte tagelang geregnet.", "Sie öffnete die Tür und sah niemanden."]
TRAIN: Corpus = {
    word: [(f"{a} {word}", f"{b} {word}") for a, b in zip(ENGLISH, GERMAN)]
    for word in ("red", "blue", "green", "black")
}
NEAR: Corpus = {"near": TRAIN["red"] + [("Bye.", "Tschüss.")], "far": [("Something else.", "Etwas anderes.")]}


def measured(folder: Path, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch, **text: Any) -> Rows:
    """The table of a corpus after its import, by measure and side."""
    monkeypatch.setattr(sys, "argv", ["", "--settings", json.dumps(values), "--output", str(folder)])
    import_corpus.main()
    splits = [*values["splits"], *values.get("held_out", {})]
    files = [f"{split}={path}" for split in splits for path in sorted((folder / split).glob("*.parquet"))]
    settings = {name: values[name] for name in ("source_language", "target_language")} | text
    arguments = ["--settings", json.dumps(settings), "--statistics", str(folder / "statistics.tsv")]
    monkeypatch.setattr(sys, "argv", ["", *arguments, "--sentences", *files, "--output", str(folder / "quality.tsv")])
    measure_corpus.main()
    rows = csv.DictReader((folder / "quality.tsv").read_text(encoding="utf-8").splitlines(), delimiter="\t")
    return {(row.pop("measure"), row.pop("side")): row for row in rows}


def corpus(folder: Path, train: Corpus, test: Corpus) -> dict[str, Any]:
    values = WRITERS["tsv"](folder / "train", train)
    values["splits"]["test"] = WRITERS["tsv"](folder / "test", test)["splits"]["train"]
    return values


def test_twins_are_counted_whatever_near_duplicates_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    values = corpus(tmp_path, TRAIN, NEAR)
    table = measured(tmp_path / "out", values, monkeypatch)
    remedy = "near_duplicates: 0.5 leaves them out of train"
    assert table[NEAR_DUPLICATES, ""] == {"train": "", "test": "50.0", "remedy": remedy}
    assert table["source sentences that stand in train (%)", ""]["test"] == "50.0"
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert f"warning: {NEAR_DUPLICATES}: {remedy}" in warnings
    apart = measured(tmp_path / "apart", values | {"near_duplicates": 0.5}, monkeypatch)
    assert apart[NEAR_DUPLICATES, ""] == {"train": "", "test": "0.0", "remedy": ""}


def test_swapped_sides_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    swapped = {doc: [(b, a) for a, b in pairs] for doc, pairs in TRAIN.items()}
    measured(tmp_path / "out", corpus(tmp_path, swapped, {"x": swapped["red"]}), monkeypatch)
    assert "the sides are swapped: swap the files, or source_language and target_language" in caplog.text


def test_the_log_has_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        table = measured(tmp_path / "out", corpus(tmp_path, TRAIN, NEAR), monkeypatch)
    logged = caplog.text
    assert "What the text is like:\nmeasure" in logged
    assert all(measure in logged for measure, _ in table)


def test_sources_alone_are_measured_on_one_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = corpus(tmp_path, TRAIN, NEAR)
    values["splits"]["test"]["references"] = False
    table = measured(tmp_path / "out", values, monkeypatch)
    assert table["equal sides (% of pairs)", ""]["test"] == ""
    assert ("s-BLEU of a perfect system", "target") not in table


def test_statistics_of_something_else_are_refused(tmp_path: Path) -> None:
    (tmp_path / "statistics.tsv").write_text("split\tdocuments\ntrain\t1\n", encoding="utf-8")
    with pytest.raises(InputError, match="no statistics of an import"):
        measure_corpus.read_statistics(str(tmp_path / "statistics.tsv"), ["train"])


def test_statistics_without_a_split_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "statistics.tsv"
    path.write_text("split\tdocuments\tsentences\tequal_sides\tsources_in_train\ntrain\t1\t9\t0\t0\n", encoding="utf-8")
    assert measure_corpus.read_statistics(str(path), ["train"])["sentences"]["train"] == 9
    with pytest.raises(InputError, match=r"statistics\.tsv: has no counts of dev, test; import the corpus again"):
        measure_corpus.read_statistics(str(path), ["train", "test", "dev"])
