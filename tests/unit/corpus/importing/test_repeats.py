"""What an import counts for a user: test sentences that stand in train, equal sides."""

from pathlib import Path
from typing import Any

from discourse_nmt.corpus.importing.importing import import_corpus, statistics
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.repeats import repeats
from tests.unit.corpus.importing.corpus_samples import WRITERS, Corpus


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


def test_each_side_is_counted_in_words_or_characters_of_its_language(tmp_path: Path) -> None:
    values = WRITERS["tsv"](tmp_path, {"a": [("我们 走吧。", "Let us go."), ("好。", "All right, then.")]})
    values |= {"filters": {"max_ratio": None}}
    columns = ["source_words", "target_words"]
    counted = []
    for languages in (("zh", "en"), ("en", "zh_CN")):
        values |= dict(zip(("source_language", "target_language"), languages))
        counted += statistics(import_corpus(plan(values)).documents, plan(values).corpus, {})[columns].values.tolist()
    assert counted == [[7, 6], [3, 22]]


def test_equal_sides_are_counted(tmp_path: Path) -> None:
    pairs = [(f"one {number}", f"eins {number}") for number in range(19)]
    for equal in (0, 1):
        values = WRITERS["tsv"](tmp_path / str(equal), {"a": pairs + [("API", "API")] * equal})
        imported = import_corpus(plan(values))
        assert statistics(imported.documents, plan(values).corpus, {})["equal_sides"].tolist() == [equal]
