"""What a user should know of a corpus: test sentences that stand in train, equal sides, swapped languages."""

from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.corpus.importing.importing import import_corpus, statistics, tell_repeats
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.repeats import repeats
from tests.unit.corpus.importing.corpus_samples import WRITERS, Corpus

ENGLISH = ["The weather was cold and it had been raining for days.", "She opened the door and saw nobody there."]
GERMAN = ["Das Wetter war kalt und es hatte tagelang geregnet.", "Sie öffnete die Tür und sah niemanden."]


def corpus(folder: Path, train: Corpus, test: Corpus, **more: Any) -> dict[str, Any]:
    values = WRITERS["tsv"](folder / "train", train) | more
    values["splits"]["test"] = WRITERS["tsv"](folder / "test", test)["splits"]["train"]
    return values


def test_sentences_of_a_test_set_that_stand_in_train_are_found_by_source_and_by_pair(tmp_path: Path) -> None:
    train = {"a": [("one", "eins"), ("two", "zwei")], "b": [("one", "ein"), ("four", "vier")]}
    test = {"c": [("one", "ein"), ("One", "eins"), ("two", "beide"), ("three", "zwei")], "d": [("four", "vier")]}
    values = corpus(tmp_path, train, test)
    imported = import_corpus(plan(values))
    found = repeats(imported.documents)
    assert found.keys() == {"test"}
    assert found["test"].values.tolist() == [["c", 0, True], ["c", 2, False], ["d", 0, True]]
    columns = ["split", "sources_in_train", "pairs_in_train"]
    table = statistics(imported.documents, plan(values).corpus, found)[columns]
    assert table.values.tolist() == [["train", 0, 0], ["test", 3, 2]]


def test_sentences_that_filters_take_from_train_repeat_nothing(tmp_path: Path) -> None:
    train = {"a": [("one two three", "eins zwei drei"), ("one", "eins")]}
    values = corpus(tmp_path, train, {"b": train["a"]}, filters={"max_tokens": 2})
    assert repeats(import_corpus(plan(values)).documents)["test"]["sent_id"].tolist() == [1]


def test_repeats_are_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    values = corpus(tmp_path, {"a": [("one", "eins"), ("two", "zwei")]}, {"b": [("one", "ein"), ("three", "drei")]})
    documents = import_corpus(plan(values)).documents
    tell_repeats(documents, repeats(documents))
    assert "test: 1 of 2 source sentences (50.0%) stand verbatim in train, 0 with the same target" in caplog.text


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (ENGLISH, GERMAN, ""),
        (GERMAN, ENGLISH, "the source side looks like de and the target side like en: swap the files"),
        (GERMAN, GERMAN[::-1], "both sides look like de"),
    ],
)
def test_sides_in_the_wrong_language_are_warned_of(
    source: list[str], target: list[str], message: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import_corpus(plan(WRITERS["tsv"](tmp_path, {"a": list(zip(source, target)) * 8})))
    assert message in caplog.text if message else "look" not in caplog.text


def test_a_language_that_nothing_identifies_is_not_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    values = WRITERS["tsv"](tmp_path, {"a": list(zip(GERMAN, ENGLISH)) * 8}) | {"target_language": "xxx"}
    import_corpus(plan(values))
    assert "look" not in caplog.text


def test_equal_sides_are_counted_and_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pairs = [(f"one {number}", f"eins {number}") for number in range(19)]
    for equal in (0, 1):
        caplog.clear()
        values = WRITERS["tsv"](tmp_path / str(equal), {"a": pairs + [("API", "API")] * equal})
        imported = import_corpus(plan(values))
        assert ("train: 1 of 20 sentence pairs have equal sides" in caplog.text) == bool(equal)
        assert statistics(imported.documents, plan(values).corpus, {})["equal_sides"].tolist() == [equal]
