"""Stages on a file of several shards make of each shard what they make of it alone, and keep shards apart."""

import json
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.storage.shard_files import read_shards, write_shards
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.demo.generation import generate, gold_tables, sentences
from discourse_nmt.workflow_scripts.discourse import analyse, build_graph, convert_rst
from discourse_nmt.workflow_scripts.text import tokenise

TEXT = json.dumps({"source_language": "en", "target_language": "de"})


def run(module: object, monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> None:
    monkeypatch.setattr("sys.argv", ["command", *map(str, arguments)])
    module.main()  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with gold tables and the sentences of four documents, in one file of three shards and in three files."""
    folder = tmp_path_factory.mktemp("gold")
    documents = dict(list(generate(40, 5)["train"].items())[:4])
    for name, table in gold_tables(documents).items():
        write_table(table, folder / f"{name}.parquet", name)
    pairs = sentences(documents)
    pairs.insert(1, "sent_id", pairs.groupby("doc_id").cumcount())
    parts = [pairs[pairs["doc_id"].isin(list(documents)[:3])], pairs[:0], pairs[pairs["doc_id"] == list(documents)[3]]]
    write_shards(parts, folder / "together" / "sentences.parquet", "sentences")
    for number, part in enumerate(parts):
        write_shards([part], folder / str(number) / "sentences.parquet", "sentences")
    return folder


def made(gold: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[pd.DataFrame]]:
    """The tables of every stage for the sentences in a folder, by shard."""
    folder = gold / place
    paths = {name: folder / f"{name}.parquet" for name in ("tokens", "edus", "rst", "coreference", "graph", "heads")}
    given: list[str | Path] = ["--sentences", folder / "sentences.parquet"]
    run(tokenise, monkeypatch, *given, "--settings", TEXT, "--output", paths["tokens"])
    context: list[str | Path] = [
        "--corpus",
        "c",
        "--split",
        "train",
        "--side",
        "source",
        "--language",
        "en",
        "--store",
        folder / "store",
    ]
    for stage in ("edus", "rst", "coreference"):
        backend = json.dumps({"backend": "import", "format": "table", "files": str(gold / f"{stage}.parquet")})
        tables = [f"edus={paths['edus']}"] if stage == "rst" else []
        options: list[str | Path] = [
            "--stage",
            stage,
            "--settings",
            backend,
            "--tables",
            *tables,
            "--output",
            paths[stage],
        ]
        run(analyse, monkeypatch, *given, *context, *options)
    run(convert_rst, monkeypatch, "--rst", paths["rst"], "--output", paths["heads"])
    links: list[str | Path] = ["--tokens", paths["tokens"], "--coreference", paths["coreference"], "--side", "source"]
    relations = json.dumps({"relations": ["adjacency", "coreference"]})
    run(build_graph, monkeypatch, *links, "--settings", relations, "--output", paths["graph"])
    names = {"heads": "rst_dependencies", "graph": "document_graph"}
    return {name: list(read_shards(path, names.get(name, name))) for name, path in paths.items()}


def test_shards_are_worked_on_one_by_one(gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    together = made(gold, "together", monkeypatch)
    alone = [made(gold, str(number), monkeypatch) for number in range(3)]
    for name, shards in together.items():
        assert [len(shard) > 0 for shard in shards] == [True, False, True], name
        for shard, single in zip(shards, alone, strict=True):
            (expected,) = single[name]
            pd.testing.assert_frame_equal(shard, expected)


def test_what_is_imported_is_the_gold(gold: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, shards in made(gold, "together", monkeypatch).items():
        if name in ("edus", "rst", "coreference"):
            expected = read_table(gold / f"{name}.parquet", name)
            pd.testing.assert_frame_equal(pd.concat(shards, ignore_index=True), expected)
