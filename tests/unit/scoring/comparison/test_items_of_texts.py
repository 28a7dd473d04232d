"""Items that were made of one document are one unit of a test."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.groups import text_of_item
from discourse_nmt.scoring.tables.scores import parse
from discourse_nmt.workflow_scripts.score import compare_accuracy


@pytest.mark.parametrize(
    ("doc_id", "text"),
    [("address-3", "address-3"), ("Liberty/01/address-3", "Liberty/01"), ("a/address-1/address-2", "a/address-1")],
)
def test_the_text_of_an_item_is_told_by_its_document(doc_id: str, text: str) -> None:
    assert text_of_item(doc_id, "address") == text
    assert text_of_item(doc_id, "other") == doc_id


def p_over_documents(folder: Path, documents: list[str], monkeypatch: pytest.MonkeyPatch) -> float:
    """The p-value of a system that is right about all items, beside one that is right about none."""
    numbers = [str(number) for number in range(len(documents))]
    items = pd.DataFrame({"item_id": numbers, "doc_id": documents, "phenomenon": "address/du", "distance": 1})
    asked = items.assign(sent_id=0, forms=pd.Series([["du"] for _ in numbers]))
    write_table(
        asked[["item_id", "doc_id", "sent_id", "phenomenon", "distance", "forms"]], folder / "items", "expected_forms"
    )
    for name, right in {"own": True, "other": False}.items():
        judged = items.assign(block=None, has_right=right, has_wrong=None)
        write_table(judged, folder / name, "judged_translations")
    words = ["--task=generation", f"--items={folder}/items", f"--judged={folder}/own", "--seeds=1", "--baseline=b"]
    words += [f"--baseline-judged={folder}/other", "--baseline-seeds=1", "--corpus=c", "--experiment=e", "--system=s"]
    monkeypatch.setattr(sys, "argv", ["compare", *words, "--test-set=address", f"--output={folder}/scores.tsv"])
    compare_accuracy.main()
    table = parse((folder / "scores.tsv").read_text(encoding="utf-8"), file=folder / "scores.tsv")
    told = table.set_index("metric")["value"]
    return float(told["p (generation accuracy (all), exact randomisation over documents)"])


def test_tests_draw_the_texts_that_items_were_made_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six items: of six documents p is 2 of 64, of two documents with five items and one 2 of 4."""
    alone = [f"address-{number}" for number in range(6)]
    assert p_over_documents(tmp_path, alone, monkeypatch) == pytest.approx(2 / 64)
    together = [f"{'other' if number else 'one'}/address-{number}" for number in range(6)]
    assert p_over_documents(tmp_path, together, monkeypatch) == pytest.approx(2 / 4)
