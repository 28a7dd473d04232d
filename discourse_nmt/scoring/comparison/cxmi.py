"""Information that a system takes from context or trees: conditional cross-mutual information, CXMI.

The entropy of the references under a model beside a control, less that under the same model with all that it reads
(Fernandes, Yin, Neubig and Martins 2021, Measuring and increasing context usage in context-aware machine translation,
eq. 3), here in bits per word of the reference. A sentence's part of it is their P-CXMI. Intervals are those of
:func:`.gains`: the percentile bootstrap over the units of the tests.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from discourse_nmt.corpus.groups import units_of
from discourse_nmt.scoring.alignment.references import KEY
from discourse_nmt.scoring.comparison.gains import CONFIDENCE, SAMPLES, gains, groups_in, whole
from discourse_nmt.scoring.comparison.significance import MeanScore, Statistics
from discourse_nmt.scoring.metrics.distances import Subsets
from discourse_nmt.scoring.metrics.score import CXMI, Score

SIGNATURE = "unit:bits/word"


def information(scores: pd.DataFrame, control: str) -> Statistics:
    """Bits and words of each row of a table ``reference_scores``, float64 ``[sentences, 2]``.

    The bits are log2 of the reference's probability over that beside the ``control``; below 0, the system is misled.
    """
    bits = (scores["score"] - scores[control].astype(float)) / math.log(2)
    return np.stack([bits.to_numpy(float), scores["words"].to_numpy(float)], axis=1)


def controls_in(scores: pd.DataFrame) -> list[str]:
    """The controls that a table ``reference_scores`` has."""
    return [control for control in CXMI if scores[control].notna().any()]


def information_gains(
    scores: Sequence[pd.DataFrame], control: str, groups: Mapping[str, Subsets], pattern: str = ""
) -> pd.DataFrame:
    """CXMI beside a ``control`` in each of the ``groups`` of sentences, a table of :func:`.gains` in bits per word.

    ``scores`` has the table ``reference_scores`` of each seed, with the same sentences in the order of the masks;
    ``pattern`` is the regular expression of the group in a document's id where groups are the units of the tests.
    """
    own = [information(table, control) for table in scores]
    none = [rows * [0, 1] for rows in own]
    return gains(MeanScore(), own, none, units_of(scores[0]["doc_id"].tolist(), pattern), groups)


def information_table(
    scores: Mapping[str, Sequence[pd.DataFrame]], sentences: pd.DataFrame, phenomena: Subsets, pattern: str = ""
) -> pd.DataFrame:
    """The tables of :func:`information_gains` of all experiments and controls, columns ``experiment`` and ``control``.

    ``scores`` has the table ``reference_scores`` of each seed by experiment; groups are those of :func:`.groups_in`,
    ``phenomena`` the masks of the ``sentences`` that have each.
    """
    keys = pd.MultiIndex.from_frame(sentences[KEY])
    groups = groups_in(sentences["doc_id"].tolist(), phenomena)
    tables = []
    for experiment, seeds in scores.items():
        in_order = [table.set_index(KEY).loc[keys].reset_index() for table in seeds]
        for control in controls_in(in_order[0]):
            found = information_gains(in_order, control, groups, pattern)
            tables.append(found.assign(experiment=experiment, control=control))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def cxmi_scores(scores: pd.DataFrame, pattern: str = "") -> list[Score]:
    """CXMI beside each control of a table ``reference_scores``, with both ends of its interval.

    A test set of few units has no interval. ``pattern`` is that of :func:`information_gains`.
    """
    found = []
    everything = whole(scores["doc_id"].tolist())
    for control in controls_in(scores):
        bits, words = information(scores, control).sum(axis=0)
        found.append(Score(CXMI[control], bits / words, SIGNATURE))
        drawn = f"{SIGNATURE}|interval:bootstrap[{CONFIDENCE:.0%},{SAMPLES},{'groups' if pattern else 'documents'}]"
        table = information_gains([scores], control, everything, pattern)
        found += [
            Score(f"{CXMI[control]}, {bound}", float(end), drawn)
            for bound, column in (("lower bound", "low"), ("upper bound", "high"))
            for end in table[column]
        ]
    return found
