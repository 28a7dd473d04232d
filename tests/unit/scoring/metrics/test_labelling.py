"""Scores of labels against counts one word at a time, and the confusion picture."""

import numpy as np
import pytest

from discourse_nmt.scoring.charts.confusion import confusion_chart
from discourse_nmt.scoring.metrics.labelling import confusion, confusion_table, label_scores, scorer_scores

LABELS = ["rheme", "textual", "topical"]


MEASURES = ("accuracy", "precision", "recall", "F1")


def literal(gold: list[int], found: list[int], label: int) -> tuple[float, float, float, float]:
    hits = sum(1 for one, other in zip(gold, found) if one == other == label)
    given, wanted = sum(1 for one in found if one == label), sum(1 for one in gold if one == label)
    precision = 100 * hits / given if given else 0.0
    recall = 100 * hits / wanted if wanted else 0.0
    right = sum(1 for one, other in zip(gold, found) if (one == label) == (other == label))
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return 100 * right / len(gold), precision, recall, f1


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_counting_words(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gold, found = (rng.integers(0, 3, 40).tolist() for _ in range(2))
    scores = {score.metric: score.value for score in label_scores(confusion(gold, found, 3), LABELS)}
    assert scores["words (labelling, words)"] == 40
    assert scores["accuracy (labelling, words)"] == pytest.approx(100 * sum(map(int.__eq__, gold, found)) / 40)
    for number, label in enumerate(LABELS):
        values = [scores[f"{what} of {label} (labelling, words)"] for what in MEASURES]
        assert values == pytest.approx(literal(gold, found, number))
    wanted = [label == 2 for label in gold]
    shares = rng.random(40)
    scored = {score.metric: score.value for score in scorer_scores(wanted, shares.tolist())}
    expected = literal([int(one) for one in wanted], [int(share >= 0.5) for share in shares], 1)
    assert [scored[f"{what} (scorer, words)"] for what in MEASURES] == pytest.approx(expected)


def test_a_label_that_is_never_found_and_a_score_on_the_threshold() -> None:
    scores = {score.metric: score.value for score in label_scores(confusion([0, 0, 2], [0, 0, 0], 3), LABELS)}
    assert scores["precision of topical (labelling, words)"] == scores["F1 of topical (labelling, words)"] == 0
    assert scores["recall of textual (labelling, words)"] == 0
    assert [score.value for score in scorer_scores([True, False], [0.5, 0.4999])] == [100, 100, 100, 100]


def test_confusion_picture_and_its_numbers() -> None:
    counts = confusion([0, 0, 1, 2, 2] * 1000, [0, 1, 1, 2, 0] * 1000, 3)
    table = confusion_table(counts, LABELS, "test")
    assert table["words"].sum() == 5000
    words = table.set_index(["label", "found"])["words"]
    assert (words[LABELS[2], LABELS[0]], words[LABELS[0], LABELS[2]]) == (1000, 0)
    drawing = confusion_chart(counts, LABELS)
    assert drawing.startswith("<svg")
    assert all(label in drawing for label in LABELS)
    assert drawing.count(">1,000<") == 5
