"""Quality of labels of words: accuracy, precision, recall and F1 of each label and of scores, and their confusion.

The unit is the word. Shares are in per cent; a share of nothing is 0. Names are those of figures of analysers
(:func:`.analyser_score`).
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from discourse_nmt.scoring.metrics.score import Score, analyser_score

Numbers = npt.NDArray[np.int64]
THRESHOLD = 0.5
SIGNATURE = "unit:word"


def confusion(gold: Sequence[int], found: Sequence[int], labels: int) -> Numbers:
    """Counts of words by gold label (row) and found label (column) for K = ``labels``: [K, K]."""
    counts = np.zeros((labels, labels), np.int64)
    np.add.at(counts, (np.asarray(gold, np.int64), np.asarray(found, np.int64)), 1)
    return counts


def label_scores(counts: Numbers, labels: Sequence[str]) -> list[Score]:
    """Accuracy, and accuracy, precision, recall and F1 of each label, from a :func:`confusion`.

    The accuracy of a label is that of the binary decision whether a word has it.
    """
    right = np.diagonal(counts)
    scores = [
        analyser_score("labelling", "words", "words", int(counts.sum()), "count"),
        analyser_score("labelling", "accuracy", "words", share(int(right.sum()), int(counts.sum())), SIGNATURE),
    ]
    for index, label in enumerate(labels):
        hits, found, gold = int(right[index]), int(counts[:, index].sum()), int(counts[index].sum())
        for figure, value in agreement(hits, found, gold, int(counts.sum())).items():
            scores.append(analyser_score("labelling", f"{figure} of {label}", "words", value, SIGNATURE))
    return scores


def scorer_scores(wanted: Sequence[bool], scores: Sequence[float]) -> list[Score]:
    """Agreement of the words whose score is at least :data:`THRESHOLD` with the ``wanted`` words."""
    gold, found = np.asarray(wanted, bool), np.asarray(scores) >= THRESHOLD
    shares = agreement(int((gold & found).sum()), int(found.sum()), int(gold.sum()), len(gold))
    signature = f"{SIGNATURE}|threshold:{THRESHOLD}"
    return [analyser_score("scorer", figure, "words", value, signature) for figure, value in shares.items()]


def agreement(hits: int, found: int, gold: int, words: int) -> dict[str, float]:
    """Accuracy, precision, recall and F1 of ``found`` against ``gold`` words with ``hits`` in common, of ``words``."""
    return {
        "accuracy": share(words - found - gold + 2 * hits, words),
        "precision": share(hits, found),
        "recall": share(hits, gold),
        "F1": share(2 * hits, found + gold),
    }


def share(part: int, whole: int) -> float:
    """``part`` of ``whole`` in per cent; 0 of nothing."""
    return 100 * part / whole if whole else 0.0


def confusion_table(counts: Numbers, labels: Sequence[str], test_set: str) -> pd.DataFrame:
    """A row for each pair of labels: ``test_set``, ``label``, ``found`` and the number of ``words``."""
    rows = [
        (test_set, label, other, int(counts[row, column]))
        for row, label in enumerate(labels)
        for column, other in enumerate(labels)
    ]
    return pd.DataFrame(rows, columns=["test_set", "label", "found", "words"])
