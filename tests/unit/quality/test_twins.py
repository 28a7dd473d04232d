"""Near-duplicates in train against a comparison of every pair."""

import random

from discourse_nmt.corpus.importing.near_duplicates import sentence_hashes
from discourse_nmt.quality.twins import near_train, share_alike


def test_documents_near_train_are_those_of_a_comparison_of_all_pairs() -> None:
    draw = random.Random(7)
    texts = {
        split: {
            f"{split}{number}": set(draw.sample("abcdefghijklmnopqrst", draw.randint(1, 5))) for number in range(size)
        }
        for split, size in (("train", 30), ("dev", 12), ("test", 12))
    }
    hashes = {split: {name: sentence_hashes(own) for name, own in found.items()} for split, found in texts.items()}
    train = hashes.pop("train")
    expected = {
        split: sum(
            any(len(own & other) >= 0.5 * len(own | other) for other in texts["train"].values())
            for own in texts[split].values()
        )
        for split in hashes
    }
    assert min(expected.values()) > 0 and max(expected.values()) < 12
    assert near_train(hashes, train.items()) == expected


def test_half_of_the_sentences_is_enough() -> None:
    train = [("a", sentence_hashes(["x", "y"])), ("b", sentence_hashes(["u", "v", "w"]))]
    assert near_train({"dev": {"c": sentence_hashes(["x"])}}, train) == {"dev": 1}
    assert near_train({"dev": {"d": sentence_hashes(["u"])}}, train) == {"dev": 0}


def test_likeness_among_other_splits_does_not_count() -> None:
    one = {"a": sentence_hashes(["x", "y"])}
    assert near_train({"dev": one, "test": {"b": one["a"]}}, [("c", sentence_hashes(["z"]))]) == {"dev": 0, "test": 0}


def test_a_corpus_of_one_split_has_nothing_to_compare() -> None:
    assert near_train({}, [("a", sentence_hashes(["x"]))]) == {}


def test_shares_of_what_documents_have_in_common() -> None:
    texts = {"a": ["one", "two"], "b": ["one", "two", "six"], "c": ["four"], "d": ["five", "four", "seven", "ten"]}
    assert share_alike({name: sentence_hashes(own) for name, own in texts.items()}) == (50.0, 60.0)
