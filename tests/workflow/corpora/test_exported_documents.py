"""Documents as JSON lines in the real DAG: all annotation is in them, and an analysis that imports them is equal."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.sources import Source
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.discourse.records.json_lines import read_records
from tests.workflow.test_workflow import NOTHING, snakemake

ENGLISH = ["Ann has a dog, and she loves it.", "Because it barks, her neighbours do not.", "They moved away."]
GERMAN = ["Ann hat einen Hund, und sie liebt ihn.", "Weil er bellt, tun es ihre Nachbarn nicht.", "Sie zogen weg."]
TABLES = ["syntax", "edus", "rst", "rst_dependencies", "coreference"]
CONFIG: dict[str, Any] = {
    "run": "export",
    "corpora": {
        "letters": {
            "source_language": "en",
            "target_language": "de",
            "format": "table",
            "shards": 2,
            "licence": "CC0-1.0",
            "splits": {name: {"files": [f"{name}.tsv"]} for name in ("train", "dev")},
        }
    },
    "analyses": {"builtin": {"sides": ["source", "target"], "tables": [*TABLES, "document_graph"]}},
    "experiments": {"sentence": {"system": "transformer"}},
}
EXPORTED = "results/export/letters/documents_jsonl/builtin"


def run(folder: Path, config: dict[str, Any], target: str) -> str:
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(folder, "--configfile", str(path), "--", target)
    assert result.returncode == 0, result.stdout
    return result.stdout


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with the exported documents."""
    folder = tmp_path_factory.mktemp("work")
    for split, names in {"train": "abcdefgh", "dev": "xy"}.items():
        lines = [f"{name}\t{source}\t{target}" for name in names for source, target in zip(ENGLISH, GERMAN)]
        (folder / f"{split}.tsv").write_text("\n".join(["doc_id\tsource\ttarget", *lines, ""]), encoding="utf-8")
    run(folder, CONFIG, "documents_jsonl")
    return folder


def frames(folder: Path, analysis: str) -> dict[str, pd.DataFrame]:
    """All tables of an analysis by side, name and split."""
    discourse = folder / "results/export/letters/discourse" / analysis
    return {
        f"{side}/{table}/{split}": pd.concat(
            [read_table(path, table) for path in sorted((discourse / side / table / split).glob("*.parquet"))]
        )
        for side in ("source", "target")
        for table in TABLES
        if (discourse / side / table).exists()
        for split in ("train", "dev")
    }


def test_a_document_has_all_that_is_known_of_it(finished: Path) -> None:
    path = finished / EXPORTED / "dev.jsonl"
    read = {record.doc_id: (record, about) for record, about in read_records(Source(path.name, None, path))}
    assert sorted(read) == ["x", "y"]
    record, about = read["x"]
    languages = {"source_language": "en", "target_language": "de"}
    assert about == {"corpus": "letters", "split": "dev", "licence": "CC0-1.0", **languages}
    assert (record.source, record.target) == (ENGLISH, GERMAN)
    assert all(set(record.layers[side]) == {"tokens", *TABLES, "document_graph"} for side in ("source", "target"))
    for side, sentences in (("source", ENGLISH), ("target", GERMAN)):
        for row in record.layer("tokens", side):
            spans = zip(row["starts"], row["ends"])
            assert [sentences[row["sent_id"]][start:end] for start, end in spans] == row["tokens"]
    assert record.links is not None and len(record.links) == 3
    words = [[row["tokens"] for row in record.layer("tokens", side)] for side in ("source", "target")]
    for number, links in enumerate(record.links):
        assert all(0 <= source < len(words[0][number]) for source, _ in links)
        assert all(0 <= target < len(words[1][number]) for _, target in links)
    pairs = {(words[0][0][source], words[1][0][target]) for source, target in record.links[0]}
    assert ("Ann", "Ann") in pairs


def test_an_import_of_the_documents_is_equal(finished: Path) -> None:
    stages = ("syntax", "edus", "rst", "coreference")
    imported = {
        stage: {"backend": "import", "files": f"{EXPORTED}/{{split}}.jsonl", "format": "records"} for stage in stages
    }
    again = {**imported, "sides": ["source"], "tables": TABLES}
    config = {**CONFIG, "analyses": {**CONFIG["analyses"], "again": again}}
    run(finished, config, "analyse")
    made, found = frames(finished, "builtin"), frames(finished, "again")
    assert len(found) == 2 * len(TABLES)
    for name, frame in found.items():
        assert frame.to_json(orient="records") == made[name].to_json(orient="records"), name
    train = (finished / EXPORTED / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(train) == 8 and all(json.loads(line)["licence"] == "CC0-1.0" for line in train)


def test_a_second_call_runs_nothing(finished: Path) -> None:
    assert NOTHING in run(finished, CONFIG, "documents_jsonl")
