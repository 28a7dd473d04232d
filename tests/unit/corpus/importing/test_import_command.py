"""The command line of the import: what it writes, and that a fault leaves nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import polib
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.shards import files_of, shard_of
from discourse_nmt.base.storage.shard_files import read_shards
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.workflow_scripts.corpus import import_corpus
from tests.conftest import ROOT
from tests.unit.corpus.importing.corpus_samples import WRITERS, Corpus, put, settings

CORPUS: Corpus = {str(number): [(f"s {number} {i}", f"t {number} {i}") for i in range(4)] for number in range(12)}


def run(values: dict[str, Any], output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["import_corpus", "--settings", json.dumps(values), "--output", str(output)]
    monkeypatch.setattr(sys, "argv", arguments)
    import_corpus.main()


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("[!.]*") if path.is_file()}


def test_tables_of_every_split_and_shard_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = WRITERS["tsv"](tmp_path, CORPUS) | {
        "shards": 7,
        "held_out": {"dev": 2},
        "filters": {"max_tokens": 3, "splits": ["train", "dev"]},
    }
    run(values, tmp_path / "out", monkeypatch)
    assert sorted(contents(tmp_path / "out")) == sorted(
        [f"train/{file}.parquet" for file in range(7)]
        + [f"dev/{file}.parquet" for file in range(4)]
        + ["documents/dev.parquet", "drops.parquet", "drops.tsv", "repeats/dev.parquet", "statistics.tsv"]
    )
    rows: list[list[object]] = []
    held_out: set[object] = set()
    for split in ("train", "dev"):
        files = [tmp_path / "out" / split / f"{file}.parquet" for file in range(files_of(split, 7))]
        parts = [part for file in files for part in read_shards(file, "sentences")]
        for shard, part in zip(range(7), parts, strict=True):
            assert all(shard_of(doc_id, 7) == shard for doc_id in part["doc_id"])
            rows += part[["doc_id", "sent_id", "source", "target"]].values.tolist()
            assert part["quality"].isna().all()
            held_out |= set(part["doc_id"]) if split == "dev" else set()
    expected = [[doc, i, a, b] for doc, pairs in CORPUS.items() for i, (a, b) in enumerate(pairs)]
    assert sorted(rows) == sorted(expected)
    order = read_table(tmp_path / "out/documents/dev.parquet", "documents")
    assert order[["doc_id", "sentences"]].values.tolist() == [[doc, 4] for doc in CORPUS if doc in held_out]
    assert order[["domain", "gaps"]].isna().all(axis=None)
    statistics = pd.read_csv(tmp_path / "out" / "statistics.tsv", sep="\t")
    assert statistics.values.tolist() == [["train", 10, 40, 120, 120, 0, 0, 0], ["dev", 2, 8, 24, 24, 0, 0, 0]]


def test_sentences_are_divided_by_the_shipped_splitters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By marks alone, this text would stay whole, as its sides would differ."""
    catalogue = polib.POFile()
    catalogue.append(polib.POEntry(msgid="See Smith et al. Then go on.", msgstr="Siehe Nr. Acht. Dann weiter."))
    (tmp_path / "dialogs.mo").write_bytes(catalogue.to_binary())
    script = 'Npc:says(_"See Smith et al. Then go on.")'
    split = {"source": [put(tmp_path / "a.lua", script)], "target": [f"{tmp_path}/dialogs.mo"]}
    run(settings("freedroidrpg", split), tmp_path / "out", monkeypatch)
    [table] = read_shards(tmp_path / "out/train/0.parquet", "sentences")
    assert table["source"].tolist() == ["See Smith et al.", "Then go on."]


def test_drops_are_written_for_programs_and_for_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = CORPUS | {"long": [('a "b"\tc d e', "A B C D E"), ("ok", "gut")], "short": [("x", "X")]}
    values = WRITERS["jsonl"](tmp_path, corpus) | {"filters": {"max_tokens": 4, "min_sentences": 2}}
    run(values, tmp_path / "out", monkeypatch)
    drops = read_table(tmp_path / "out" / "drops.parquet", "drops")
    assert drops["reason"].tolist() == ["max_tokens", "min_sentences", "min_sentences"]
    assert drops["line"].isna().tolist() == [False, True, True] and drops["line"][0] == 49
    table = pd.read_csv(tmp_path / "out" / "drops.tsv", sep="\t")
    assert table.values.tolist() == [
        ["train", "max_tokens", 1, 1, 'a "b" c d e'],
        ["train", "min_sentences", 2, 2, "ok"],
    ]


def test_the_same_corpus_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = WRITERS["tar_gz_of_pairs"](tmp_path, CORPUS) | {"shards": 3, "held_out": {"dev": 0.3}}
    for name in ("one", "two"):
        run(values, tmp_path / name, monkeypatch)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_new_document_changes_one_shard_of_train(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, corpus in (("one", CORPUS), ("two", CORPUS | {"new": [("n", "N")]})):
        values = WRITERS["tsv"](tmp_path / f"{name}-files", corpus) | {"shards": 4, "held_out": {"dev": 0.3}}
        run(values, tmp_path / name, monkeypatch)
    one, two = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert len([name for name in one if name.endswith(".parquet") and one[name] != two[name]]) == 1


def test_a_fault_is_one_line_and_nothing_is_written(tmp_path: Path) -> None:
    values = WRITERS["marked"](tmp_path, CORPUS)
    values["splits"]["test"] = {"source": [f"{tmp_path}/no.en"], "target": [f"{tmp_path}/no.de"]}
    values["where"] = "download them"
    command = [
        sys.executable,
        "-m",
        "discourse_nmt.workflow_scripts.corpus.import_corpus",
        "--settings",
        json.dumps(values),
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [*command, "--output", "out"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert result.stderr == f"error: missing: {tmp_path}/no.en, {tmp_path}/no.de; download them\n"
    assert not (tmp_path / "out").exists()


def test_a_fault_in_the_last_split_leaves_no_table_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = WRITERS["tsv"](tmp_path / "a", CORPUS)
    values["splits"]["test"] = WRITERS["tsv"](tmp_path / "b", {"x": [("a", "A"), ("b", "")]})["splits"]["train"]
    with pytest.raises(InputError, match=r"corpus\.tsv:3: empty sentence on the target side"):
        run(values, tmp_path / "out", monkeypatch)
    assert not (tmp_path / "out").exists()
