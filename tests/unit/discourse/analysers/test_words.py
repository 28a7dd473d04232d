"""Lemma rules, word features and groups of sentences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.discourse.analysers.batches import grouped
from discourse_nmt.discourse.analysers.examples import Example, fold_of, genre_of, without_fold
from discourse_nmt.discourse.analysers.lemmas import apply_rule, lemma_rule
from discourse_nmt.discourse.analysers.words import AFFIXES, OWN, UNKNOWN, WordFeatures, shape

WORDS = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(WORDS, WORDS)
def test_a_rule_gives_back_its_lemma(form: str, lemma: str) -> None:
    assert apply_rule(form, lemma_rule(form, lemma)) == lemma


@pytest.mark.parametrize(
    ("form", "lemma", "other", "expected"),
    [("stories", "story", "cities", "city"), ("Running", "run", "Sitting", None), ("THE", "the", "AND", "and")],
)
def test_a_rule_carries_over_to_like_words(form: str, lemma: str, other: str, expected: str | None) -> None:
    assert apply_rule(other, lemma_rule(form, lemma)) == expected


def test_irregular_lemmas_are_whole_words() -> None:
    assert lemma_rule("went", "go") == "=go"


@pytest.mark.parametrize(
    ("form", "outline"), [("McDonald-2", "XxXxx-9"), ("2024", "99"), ("USA", "XX"), ("été", "xx"), ("...", "..")]
)
def test_shape_is_the_outline(form: str, outline: str) -> None:
    assert shape(form) == outline


def test_features_depend_on_the_form_alone() -> None:
    features = WordFeatures(("cat", "the"), ("a", "c", "t"), 64, 8)
    rows = features.of(["Cat", "\U0001f600", "a" * 1000, "\ud800", "Cat"])
    assert rows.shape == (5, OWN + AFFIXES + 8)
    assert (rows[0] == rows[4]).all()
    assert rows[0, 0] == 2 and rows[1, 0] == UNKNOWN
    assert (rows[:, OWN : OWN + AFFIXES] < 64).all()
    assert (
        rows
        == WordFeatures(("cat", "the"), ("a", "c", "t"), 64, 8).of(["Cat", "\U0001f600", "a" * 1000, "\ud800", "Cat"])
    ).all()


@given(st.lists(st.integers(1, 90), max_size=60), st.integers(1, 200), st.booleans(), st.booleans())
def test_groups_hold_every_sentence_once(lengths: list[int], words: int, random: bool, kinds: bool) -> None:
    kind = [length % 2 == 0 for length in lengths] if kinds else []
    groups = list(grouped(lengths, words, np.random.default_rng(1) if random else None, kind))
    assert sorted(number for group in groups for number in group) == list(range(len(lengths)))
    for group in groups:
        assert len(group) == 1 or len(group) * max(lengths[number] for number in group) <= words
        assert not kinds or len({kind[number] for number in group}) == 1


def test_folds_hold_whole_documents() -> None:
    names = [f"GUM_news_{number}" for number in range(40)]
    examples = [
        Example(name, ("a",), ("a",), ("X",), ("X",), None, (-1,), ("root",), None, "gum") for name in names * 2
    ]
    held_once: list[str] = []
    for fold in range(4):
        kept, held = without_fold(examples, 4, fold)
        assert len(kept) + len(held) == len(examples)
        assert not {one.document for one in kept} & {one.document for one in held}
        held_once += {one.document for one in held}
    assert sorted(held_once) == sorted(names)
    assert fold_of("GUM_news_1", 4) == fold_of("GUM_news_1", 4)
    assert genre_of("GUM_news_iodine") == "news"
    assert genre_of("weblog-x") == "other"
