"""Evidence of words, computed by hand."""

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.sentence_alignment.evidence import Evidence, rising
from discourse_nmt.sentence_alignment.lexicon import Lexicon


def test_ratios_are_those_of_the_origins_of_words() -> None:
    """A word of a text of less than 300 words has the share of one in 300."""
    lexicon = Lexicon.of_table(pd.DataFrame({"source": ["beta"], "target": ["gelb"], "forward": [0.5]}))
    words = ["alpha", "delta", "blau", "gelb", "nichts", "alphas"]
    evidence = Evidence(["alpha beta gamma delta", ""], words, lexicon, ["rot grün blau", ""])
    alike, translated, known = (300 * share for share in (0.02, 0.28 * 0.5, 0.3))
    same = 300 * (0.04 + 0.02) - alike  # what begins alike stands twice in the text, which halves its weight
    same, anywhere = same + alike / 2, 1 - 0.06 - 0.3 - 0.28 * 0.5 / 4
    delta = 300 * 0.06
    expected = [
        [same / 4, delta / 4, known / 3, translated / 4, 0, alike / 2 / 4],
        [same / 3, 0, known / 3, translated / 3, 0, alike / 2 / 3],
        [0, delta / 3, known / 3, translated / 3, 0, 0],
    ]
    found = evidence.ratios(0, 2, 0, len(words))
    assert found[:, 0] == pytest.approx(np.array(expected) + anywhere)
    assert found[:, 1] == pytest.approx(np.full((3, len(words)), 1 - 0.06 - 0.3))
    assert evidence.ratios(0, 1, 2, 4) == pytest.approx(found[:, :1, 2:4])


def test_phrases_are_pairs_of_words_that_stand_together_elsewhere() -> None:
    words = ["new", "york", "is", "big", "new", "york"]
    again = [False, True, False, False, False, True, False]
    assert Evidence(["x"], words, None).phrases.tolist() == again
    # Big and new stand together in a reference; york and is in two that follow each other.
    evidence = Evidence(["x", "y", "z"], words, None, ["big new", "old york", "is it"])
    assert evidence.phrases.tolist() == [*again[:4], True, *again[5:]]


def test_safe_places_are_of_words_that_stand_once_and_beside_one_sentence() -> None:
    sentences = ["one and two", "three and four", "five"]
    evidence = Evidence(sentences, ["one", "one", "and", "two", "five", "four"], None)
    assert [side.tolist() for side in evidence.safe_places()] == [[0, 1], [3, 5]]


@pytest.mark.parametrize(
    ("values", "series"), [([], []), ([3, 1, 2], [1, 2]), ([1, 9, 2, 2, 8, 3, 4], [0, 2, 3, 5, 6])]
)
def test_the_longest_series_that_does_not_fall(values: list[int], series: list[int]) -> None:
    assert rising(np.array(values, np.int64)).tolist() == series
