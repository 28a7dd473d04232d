"""Tables of an analysis against gold tables: the demo's gold annotation, changed in known ways; the command."""

from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import TABLES, write_table
from discourse_nmt.demo.generation import generate, gold_tables
from discourse_nmt.discourse.evaluation.comparison import compare
from discourse_nmt.discourse.evaluation.figures import Figure, figures
from discourse_nmt.discourse.structures.conversions import debinarise, li14
from discourse_nmt.discourse.structures.rows import Row, dependencies_to_rows, rows_to_tree
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.workflow_scripts.score.compare_analyses import main

Document = dict[str, list[Row]]


@pytest.fixture(scope="module")
def demo() -> dict[str, pd.DataFrame]:
    return gold_tables(generate(40, seed=1)["test"])


@pytest.fixture
def gold(demo: dict[str, pd.DataFrame]) -> Document:
    """The first document, with words as runs of characters between the ends of its themes, which are ends of words."""
    name = demo["edus"]["doc_id"][0]
    document: Document = {
        table: [
            {str(key): value for key, value in row.items()} for row in frame[frame["doc_id"] == name].to_dict("records")
        ]
        for table, frame in demo.items()
    }
    words: dict[int, list[tuple[int, int]]] = {}
    for row in document["themes"]:
        words.setdefault(row["sent_id"], []).append((row["start"], row["end"]))
    document["syntax"] = [
        {"sent_id": number, "starts": [start for start, _ in spans], "ends": [end for _, end in spans]}
        for number, spans in words.items()
    ]
    return document


def value(rows: list[Figure], task: str, metric: str) -> float:
    [found] = [row.value for row in rows if (row.task, row.metric) == (task, metric)]
    return found


def test_gold_agrees_with_itself(gold: Document) -> None:
    rows = figures([compare(gold, gold)])
    tasks = {"edu", "rst_parseval_original", "rst_parseval", "rst_dependencies", "coreference", "themes"}
    assert {row.task for row in rows} == tasks
    assert {row.value for row in rows} == {100}
    assert {row.setting for row in rows} == {"predicted"}


def test_changes_cost_what_they_should(gold: Document) -> None:
    changed = {name: [dict(row) for row in rows] for name, rows in gold.items()}
    changed["themes"][0]["label"] = "rheme"
    changed["edus"][1]["end"] -= 1
    changed["coreference"] = []
    rows = figures([compare(gold, changed)])
    assert value(rows, "themes", "accuracy") == pytest.approx(100 - 100 / len(gold["themes"]))
    assert value(rows, "edu", "EDU F1") == 100
    assert value(rows, "edu", "exact EDU F1") == pytest.approx(100 - 100 / len(gold["edus"]))
    assert value(rows, "rst_parseval", "Span F1") < 100
    assert value(rows, "coreference", "CoNLL F1") == 0


def test_relations_are_compared_by_class(gold: Document) -> None:
    changed = {name: [dict(row) for row in rows] for name, rows in gold.items()}
    for row in changed["rst"]:
        if row["relation"] not in ("span", "ROOT"):
            row["relation"] += "-finer"
    heads = li14(debinarise(rows_to_tree(changed["rst"])))
    changed["rst_dependencies"] = dependencies_to_rows("d", heads)
    rows = figures([compare(gold, changed)])
    assert value(rows, "rst_parseval_original", "Full F1") == 100
    assert value(rows, "rst_dependencies", "LAS") == 100


def test_what_one_side_lacks_is_left_out(gold: Document) -> None:
    assert {task for task, _ in compare(gold, {"edus": gold["edus"]})} == {"edu"}
    assert {task for task, _ in compare(gold, {"themes": gold["themes"]})} == set()
    with pytest.raises(StructureError, match="one side has no discourse units"):
        compare(gold, gold | {"edus": []})


def write(folder: Path, demo: dict[str, pd.DataFrame], shards: bool = False) -> Path:
    for table, frame in demo.items():
        names = frame["doc_id"].unique()
        parts = {f"test/{number}": frame[frame["doc_id"] == name] for number, name in enumerate(names)}
        for name, part in (parts if shards else {"test": frame}).items():
            write_table(part[list(TABLES[table])], folder / table / f"{name}.parquet", table)
    return folder


def run_command(monkeypatch: pytest.MonkeyPatch, *options: str | Path) -> None:
    monkeypatch.setattr("sys.argv", ["compare_analyses", *map(str, options)])
    main()


def test_the_command_reads_shards_and_writes_a_table(
    demo: dict[str, pd.DataFrame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = write(tmp_path / "gold", demo), write(tmp_path / "predicted", demo, shards=True)
    run_command(
        monkeypatch, "--gold", one, "--predicted", other, "--split", "test", "--output", tmp_path / "scores.tsv"
    )
    lines = (tmp_path / "scores.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "task\tmetric\tvalue\tsetting"
    assert "rst_parseval_original\tFull F1\t100.0000\tpredicted" in lines
    assert not any(line.startswith("themes") for line in lines)  # no words
    files: list[str | Path] = ["--gold", one, "--predicted", other, "--output", tmp_path / "some.tsv"]
    run_command(monkeypatch, *files, "--split", "test", "--tables", "coreference")
    tasks = {line.split("\t")[0] for line in (tmp_path / "some.tsv").read_text(encoding="utf-8").splitlines()[1:]}
    assert tasks == {"coreference"}


def test_faults_are_one_line(demo: dict[str, pd.DataFrame], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = write(tmp_path / "gold", demo)
    output = tmp_path / "scores.tsv"
    with pytest.raises(InputError, match="no tables; correct the folder or --split"):
        run_command(monkeypatch, "--gold", one, "--predicted", one, "--split", "tset", "--output", output)
    first = demo["edus"]["doc_id"][0]
    fewer = write(tmp_path / "fewer", {"edus": demo["edus"][demo["edus"]["doc_id"] != first]})
    with pytest.raises(InputError, match=f"document {first}: one side has no discourse units"):
        run_command(monkeypatch, "--gold", one, "--predicted", fewer, "--split", "test", "--output", output)
    assert not output.exists()
