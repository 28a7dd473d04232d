"""The command that writes records of tables: all shards, sides and layers, and the word alignment."""

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import TABLES, write_table
from discourse_nmt.discourse.records.json_lines import ABOUT, json_line
from discourse_nmt.discourse.records.record import DocumentRecord, table_rows
from discourse_nmt.text.settings import SIDES
from discourse_nmt.workflow_scripts.discourse import export_documents


def tokens(line: str) -> dict[str, Any]:
    words = line.split()
    starts = [line.index(word) for word in words]
    ends = [start + len(word) for start, word in zip(starts, words)]
    return {"tokens": words, "starts": starts, "ends": ends, "gaps": ["", *[" "] * (len(words) - 1), ""]}


def document(name: str, source: list[str], target: list[str]) -> DocumentRecord:
    sides = dict(zip(SIDES, (source, target)))
    edus = [{"edu_id": number, "sent_id": number, "start": 0, "end": 3} for number in range(len(source))]
    layers: dict[str, dict[str, list[dict[str, Any]]]] = {
        side: {"tokens": [{"sent_id": number, **tokens(line)} for number, line in enumerate(lines)]}
        for side, lines in sides.items()
    }
    layers["target"]["edus"] = edus
    return DocumentRecord(name, source, target, layers)


SHARDS = [
    [document("b", ["the cat", "a dog"], ["die katze", "ein hund"]), document("a", ["a cat"], ["katze eine"])],
    [document("c", ["the dog"], ["der hund"])],
]
LINKS = {"b": [1, 1], "a": [0], "c": [1]}
"""The target word of the second word of each sentence."""
ABOUT_IT = {name: f"the {name}" for name in ABOUT if name != "licence"}


def export(folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str) -> list[Any]:
    """The objects that the command writes."""
    paths: dict[str, list[str]] = {"sentences": [], "tokens": [], "target/edus": []}
    for number, shard in enumerate(SHARDS):
        for name, files in paths.items():
            table = name.rpartition("/")[2]
            sides = SIDES if table == "tokens" else ["target"]
            rows = [row for side in sides for row in table_rows(shard, table, side)]
            frame = pd.DataFrame(rows, columns=list(TABLES[table])[: len(rows[0])] if table == "sentences" else None)
            files.append(str(folder / f"{table}{number}.parquet"))
            write_table(frame.sort_values("doc_id", kind="stable", ascending=False), files[-1], table)
    about = [word for name, value in ABOUT_IT.items() for word in (f"--{name.replace('_', '-')}", value)]
    words = ["--sentences", *paths["sentences"], "--tokens", *paths["tokens"], "--tables"]
    words += [f"target/edus={file}" for file in paths["target/edus"]]
    monkeypatch.setattr(sys, "argv", ["export", *words, *about, "--output", str(folder / "out.jsonl"), *more])
    export_documents.main()
    return [json.loads(line) for line in (folder / "out.jsonl").read_text(encoding="utf-8").splitlines()]


def test_objects_have_all_shards_sides_and_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = {**ABOUT_IT, "licence": None}
    assert export(tmp_path, monkeypatch) == [json.loads(json_line(one, about)) for shard in SHARDS for one in shard]


def test_words_are_linked_by_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [("cat", "katze"), ("dog", "hund")]
    rows: list[tuple[str | None, str | None, float | None, float | None]] = []
    rows += [(source, target, 0.9, 0.9) for source, target in pairs]
    rows += [(word, None, None, 0.1) for word in ("cat", "dog")]
    rows += [(None, word, 0.1, None) for word in ("katze", "hund")]
    table = pd.DataFrame(rows, columns=["source", "target", "forward", "backward"])
    write_table(table, tmp_path / "words.parquet", "word_translations")
    made = export(tmp_path, monkeypatch, "--alignment", str(tmp_path / "words.parquet"))
    linked = {one["id"]: [dict(links)[1] for links in one["word_alignment"]] for one in made}
    assert linked == LINKS
