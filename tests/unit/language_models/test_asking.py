"""The command that asks a language model: what it reads reaches the requests, and what it gets its files."""

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.workflow_scripts.external import ask_language_model

LENGTHS = {"b": 3, "a": 1}
PROGRAM = """
import json, pathlib, sys
body = json.load(sys.stdin)
source = body["messages"][-1]["content"].split("<source>\\n")[1].split("\\n</source>")[0]
with pathlib.Path(sys.argv[1]).open("a") as file:
    file.write(json.dumps(body) + "\\n")
print("\\n".join(line[::-1] for line in source.splitlines()))
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The requests; the files are in the folder."""
    rows = [(name, place, f"{name}{place} is here.", "") for name, count in LENGTHS.items() for place in range(count)]
    sentences = pd.DataFrame(rows, columns=["doc_id", "sent_id", "source", "target"]).astype({"sent_id": "int32"})
    for name in LENGTHS:
        write_table(sentences[sentences["doc_id"] == name], tmp_path / f"{name}.parquet", "sentences")
    gaps = pd.Series([["", " ", "\n\n", ""], ["", ""]])
    documents = pd.DataFrame({"doc_id": list(LENGTHS), "sentences": list(LENGTHS.values()), "gaps": gaps})
    write_table(documents.astype({"sentences": "int32"}), tmp_path / "documents.parquet", "documents")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "requests.jsonl")]
    settings = {"model": "m", "command": command, "unit": "paragraph", "parallel": 1}
    words = [
        *("--documents", tmp_path / "documents.parquet"),
        *("--sentences", tmp_path / "a.parquet", tmp_path / "b.parquet"),
        *("--languages", "en", "fr", "--settings", json.dumps(settings), "--seed", "7"),
        *("--answers", tmp_path / "kept", "--owner", "experiment"),
        *("--table", tmp_path / "answers.parquet", "--output", tmp_path / "output.jsonl"),
    ]
    monkeypatch.setattr(sys, "argv", ["ask", *map(str, words)])
    ask_language_model.main()
    return [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text(encoding="utf-8").splitlines()]


def test_translations_are_those_of_each_document_in_the_order_of_the_table(
    asked: list[dict[str, Any]], tmp_path: Path
) -> None:
    lines = (tmp_path / "output.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"doc_id": name, "hypotheses": [f"{name}{place} is here."[::-1] for place in range(count)]}
        for name, count in LENGTHS.items()
    ]


def test_each_paragraph_is_a_request_in_these_languages(asked: list[dict[str, Any]], tmp_path: Path) -> None:
    assert len(asked) == 3 and {body["model"] for body in asked} == {"m"}
    assert {body["seed"] for body in asked} == {7}
    assert all("English" in json.dumps(body) and "French" in json.dumps(body) for body in asked)
    table = read_table(tmp_path / "answers.parquet", "language_model_answers")
    assert table[["doc_id", "sent_id", "sentences"]].values.tolist() == [["b", 0, 2], ["b", 2, 1], ["a", 0, 1]]
    assert table["fault"].isna().all() and table["request"].nunique() == 3
    assert (table["tokens_sent"] > table["tokens_received"]).all() and (table["tokens_received"] > 0).all()


def test_answers_are_kept_under_the_name_of_the_owner(asked: list[dict[str, Any]], tmp_path: Path) -> None:
    kept = [json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "kept").glob("*/*.json")]
    assert [answer["owner"] for answer in kept] == ["experiment"] * 3
    ask_language_model.main()
    assert len((tmp_path / "requests.jsonl").read_text(encoding="utf-8").splitlines()) == 3
