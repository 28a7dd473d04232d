"""Beads of sentences: known cases, and properties that hold for any texts."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from discourse_nmt.sentence_alignment.lexicon import learn_lexicon
from discourse_nmt.sentence_alignment.sentences import SHAPES, align_sentences

SOURCE = ["Hello Mr Smith.", "The train leaves at 10 in Berlin.", "What is that?", "Nothing of note"]
TARGET = ["Hallo Herr Smith.", "Der Zug.", "Er fährt um 10 in Berlin ab.", "Was ist das?", "Nichts Besonderes"]


def shapes(source: list[str], target: list[str]) -> list[tuple[int, int]]:
    return [(len(bead.source), len(bead.target)) for bead in align_sentences(source, target)]


def test_a_sentence_may_be_two() -> None:
    assert shapes(SOURCE, TARGET) == [(1, 1), (1, 2), (1, 1), (1, 1)]
    assert shapes(TARGET, SOURCE) == [(1, 1), (2, 1), (1, 1), (1, 1)]


def test_a_side_may_be_empty() -> None:
    assert shapes([], []) == []
    assert shapes(["a"], []) == [(1, 0)] and shapes([], ["a", "b"]) == [(0, 1)] * 2


@pytest.mark.parametrize(("ratio", "expected"), [(2.0, {(1, 2): 2}), (0.5, {(1, 1): 2, (0, 1): 2})])
def test_the_lexicon_tells_how_long_translations_are(ratio: float, expected: dict[tuple[int, int], int]) -> None:
    """Of words without a known translation: what is longer than it should be is no translation."""
    lexicon = learn_lexicon([("one", "eins")])
    assert lexicon is not None
    source = ["a b c d", "e f g h"]
    target = ["i j k l", "m n o p", "q r s t", "u v w x"]
    beads = align_sentences(source, target, replace(lexicon, ratio=ratio))
    assert Counter((len(bead.source), len(bead.target)) for bead in beads) == expected


@pytest.mark.parametrize("seed", range(20))
def test_beads_cover_both_sides_in_order(seed: int) -> None:
    chance = random.Random(seed)
    source, target = (
        [" ".join(chance.choices("abcdef.,7", k=chance.randrange(9))) for _ in range(chance.randrange(12))]
        for _ in "ab"
    )
    beads = align_sentences(source, target, learn_lexicon(zip(source, target)))
    assert beads == align_sentences(source, target, learn_lexicon(zip(source, target)))
    for side, texts in (("source", source), ("target", target)):
        assert [place for bead in beads for place in getattr(bead, side)] == list(range(len(texts)))
    assert {(len(bead.source), len(bead.target)) for bead in beads} <= SHAPES.keys()
