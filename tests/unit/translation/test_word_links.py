"""Links between the words of two lines, without a network."""

import math

import numpy as np
import pytest

from discourse_nmt.translation.formats.breaks import break_places
from discourse_nmt.translation.word_links import WordLinks


def test_links_by_place_fall_with_the_distance_for_the_length_of_the_line() -> None:
    """Four words each: their middles are at 1/8, 3/8, 5/8 and 7/8, so neighbours have exp(-8 / 4) of the weight."""
    weights = WordLinks.of_places("a b c d", "e f g h").weights
    assert weights.sum(1) == pytest.approx([1] * 4)
    assert weights[0, 1] / weights[0, 0] == pytest.approx(math.exp(-2))
    assert weights[3, 0] / weights[3, 3] == pytest.approx(math.exp(-6))
    # Two words beside four: 1/4 and 3/4, each between two of the other line.
    distances = [math.exp(-8 * distance) for distance in (1 / 8, 1 / 8, 3 / 8, 5 / 8)]
    found = WordLinks.of_places("a b c d", "e f").weights[0].tolist()
    assert found == pytest.approx([one / sum(distances) for one in distances])


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [("one two three ", "four five six", 3), ("a b c ", "extraordinarily improbable words", 1)],
)
def test_a_break_without_links_lies_at_its_share_of_the_letters(before: str, after: str, words: int) -> None:
    """Half of the words are before it, so that links that are all alike prefer no place."""
    target = "eins zwei drei vier fünf sechs"
    links = WordLinks.of_places(before + after, target)
    alike = WordLinks(links.source, links.target, np.full((6, 6), 1 / 6))
    [(end, start)] = break_places([len(before) - 1], before + after, target, alike)
    assert target[:end].split() == target.split()[:words] and start == end + 1
