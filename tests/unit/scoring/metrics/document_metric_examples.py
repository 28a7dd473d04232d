"""Small test sets for the tests of document metrics."""

import numpy as np
import pandas as pd

from discourse_nmt.scoring.metrics.score import Score
from discourse_nmt.text.writing_systems import spaces


def values(scores: list[Score]) -> dict[str, float]:
    assert len({score.metric for score in scores}) == len(scores)
    return {score.metric: score.value for score in scores}


def pairs_of(*rows: tuple[str, str, str]) -> pd.DataFrame:
    """Pairs of sentences: document, reference, hypothesis, whose words stand between spaces."""
    frame = pd.DataFrame(rows, columns=["doc_id", "reference", "hypothesis"])
    return frame.assign(
        sent_id=frame.groupby("doc_id").cumcount(),
        reference_tokens=frame["reference"].str.split(),
        hypothesis_tokens=frame["hypothesis"].str.split(),
        instance=0,
    )


def tokens_of(pairs: pd.DataFrame, sources: list[str]) -> pd.DataFrame:
    """The source side of a table tokens."""
    rows = []
    for document, number, text in zip(pairs["doc_id"], pairs["sent_id"], sources):
        words = text.split()
        starts = [len(" ".join(words[:place])) + (place > 0) for place in range(len(words))]
        ends = [start + len(word) for start, word in zip(starts, words)]
        rows.append((document, number, "source", words, np.array(starts), np.array(ends), spaces(words)))
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "side", "tokens", "starts", "ends", "gaps"])
