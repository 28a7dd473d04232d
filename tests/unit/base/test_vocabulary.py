"""Vocabulary: numbering, order, saving and loading."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS, UNKNOWN, Vocabulary, words_of


def test_special_symbols_come_first() -> None:
    vocabulary = Vocabulary.from_counts({"a": 1})
    assert vocabulary.symbols == (*SPECIALS, "a")
    assert [vocabulary.symbol(number) for number in (PAD, BEGIN, END, UNKNOWN)] == [
        "<pad>",
        "<s>",
        "</s>",
        "<unk>",
    ]


def test_order_is_by_count_then_symbol_and_size_caps_it() -> None:
    counts = {"b": 2, "a": 2, "z": 5, "rare": 1, "<s>": 99}
    assert Vocabulary.from_counts(counts).symbols[len(SPECIALS) :] == ("z", "a", "b", "rare")
    assert Vocabulary.from_counts(counts, size=2).symbols[len(SPECIALS) :] == ("z", "a")


@given(st.dictionaries(st.text(min_size=1), st.integers(1, 9)))
def test_ids_and_symbols_are_inverse_and_independent_of_insertion(counts: dict[str, int]) -> None:
    vocabulary = Vocabulary.from_counts(Counter(counts))
    assert vocabulary == Vocabulary.from_counts(dict(reversed(counts.items())))
    assert all(vocabulary.id_of(vocabulary.symbol(number)) == number for number in range(len(vocabulary)))


def test_unknown_symbol_and_ids_outside() -> None:
    vocabulary = Vocabulary.from_counts({"a": 1})
    assert vocabulary.id_of("b") == UNKNOWN
    for number in (-1, len(vocabulary)):
        with pytest.raises(IndexError):
            vocabulary.symbol(number)


def test_saved_and_loaded_is_equal(tmp_path: Path) -> None:
    vocabulary = Vocabulary.from_counts({'"': 3, "ü\\": 2, "@@": 1})
    vocabulary.save(tmp_path / "vocabulary.json")
    loaded = Vocabulary.load(tmp_path / "vocabulary.json")
    assert loaded == vocabulary and loaded.fingerprint == vocabulary.fingerprint
    assert Vocabulary.from_counts({"other": 1}).fingerprint != vocabulary.fingerprint


@pytest.mark.parametrize(
    "content", [{"a": 1}, ["a"], [*SPECIALS, 1], [*SPECIALS, "a", "a"], [*SPECIALS[::-1], "a"], []]
)
def test_other_json_is_refused_by_name(tmp_path: Path, content: object) -> None:
    path = tmp_path / "vocabulary.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=r"vocabulary\.json: not a vocabulary"):
        Vocabulary.load(path)


def test_text_joins_the_subwords_of_words() -> None:
    ending = Vocabulary((*SPECIALS, "b@@", "ist", "du", "￭?"))
    assert ending.text([1, 7, 8, 9, 10, 2]) == "bist du ￭?" and not ending.marks_begins
    assert Vocabulary((*SPECIALS, "▁b", "ist", "▁du", "?")).marks_begins


def test_a_broken_off_word_is_kept() -> None:
    assert words_of(["lo@@", "wer", "to@@"]) == ["lower", "to"]
