"""Rules of address: the form that each guesses, worked by hand; the command, whose items are those of the suite."""

from pathlib import Path

import pandas as pd

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.address.scenes import rows_of
from discourse_nmt.scoring.metrics.address.address_rules import RULES, judged_rules
from discourse_nmt.scoring.tables.scores import parse
from tests.unit.corpus.suites.suite_examples import imported
from tests.unit.scoring.metrics.address.address_examples import Line, table
from tests.unit.scoring.test_commands import call

TRAIN = table([("a", "ihr", "Ann", 0), ("b", "ihr", "Cid", 0), ("c", "du", "Bob", 0)])
TESTED = table(
    [
        ("one", "du", "Ann", 0),  # ihr, ihr; ihr, ihr
        ("two", "du", "Bob", 0),  # ihr, du; du, du
        ("three", "ihr", "Ann", 0),  # ihr, ihr or du; du, du
        ("four", "du", "Bob", 0),  # ihr, du; ihr, du
        ("five", "du", None, 0),  # ihr, ihr; du, du
        ("six", "ihr", "Ann", 1),  # ihr, ihr; ihr, ihr
        ("seven", "du", "Dan", 1),  # ihr, ihr; ihr, ihr
        ("seven", "du", "Dan", 1),  # said before: no item
        ("eight", "ihr", "Dan", 1),  # ihr, du; du, du
    ]
)
RIGHT = [[0, 0, 0, 0], [0, 1, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 0, 0]]


def test_rules_guess_as_by_hand() -> None:
    judged = judged_rules(rows_of(TRAIN), rows_of(TESTED), "de")
    assert list(judged) == list(RULES)
    for rule, right in zip(RULES, zip(*RIGHT)):
        assert judged[rule]["has_right"].astype(int).tolist() == list(right), rule


def test_train_without_address_is_no_fault() -> None:
    judged = judged_rules([], rows_of(TESTED), "de")
    assert (
        judged["commonest form"]["has_right"].tolist()
        == (judged["commonest form"]["phenomenon"] == "address/du").tolist()
    )


def test_the_command_scores_the_items_of_the_suite_in_the_order_of_documents(tmp_path: Path) -> None:
    """The speaker of the document that comes first in the files, and last in the table, is known in the other."""
    documents: list[list[Line]] = [[("one", "du", "Dan", 0)], [("two", "du", "Eve", 0)], [("three", "du", "Dan", 0)]]
    tested = table(*documents).sort_values("doc_id", ascending=False, kind="stable")
    frames = {"train": TRAIN, "test": tested}
    for name, frame in frames.items():
        write_table(frame.astype({"sent_id": "int32"}), tmp_path / f"{name}.parquet", "sentences")
    order = pd.DataFrame({"doc_id": ["d0", "d1", "d2"], "sentences": pd.Series([1, 1, 1], dtype="int32")})
    write_table(order, tmp_path / "documents.parquet", "documents")
    files = [word for name in ("train", "documents") for word in (f"--{name}", str(tmp_path / f"{name}.parquet"))]
    names = ["--language", "de", "--corpus", "c", "--suite", "s", "--output", str(tmp_path / "rules.tsv")]
    done = call("corpus.measure_address_rules", "--sentences", str(tmp_path / "test.parquet"), *files, *names)
    assert done.returncode == 0, done.stderr
    scores = parse((tmp_path / "rules.tsv").read_text(encoding="utf-8"), file="rules.tsv")
    of_all = scores[scores["metric"] == "generation accuracy (all)"].set_index("experiment")
    assert set(of_all["system"]) == {"rule"} and set(of_all["test_set"]) == {"s"}
    assert of_all.loc["commonest form", "value"] == 0
    assert of_all.loc["commonest of the speaker", "value"] == 100 / 3
    suite = imported("address", {"splits": [str(tmp_path / "test.parquet")]})
    assert (scores.loc[scores["metric"] == "generation items (all)", "value"] == len(suite.items)).all()
