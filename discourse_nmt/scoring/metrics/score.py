"""A score, and the parts of its metric's name, which are columns of the table of scores.

A full name may say several things: a test and the metric that it compares, a task and a subset of its items. People
read the name; code chooses rows by the columns of :class:`MetricParts`. No module takes a name apart.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import pandas as pd

from discourse_nmt.base.errors import InputError

BOOTSTRAP = "paired bootstrap"
RANDOMISATION = "approximate randomisation"
EXACT = "exact randomisation"
MIXED = "mixed model"

ITEM_TASKS = ("contrastive", "generation")
ACCURACY = "accuracy"
BOUNDS = ("accuracy, lower bound", "accuracy, upper bound")
ITEMS = "items"
TIES = "ties"
WRONG = "items with a wrong form"
NEITHER = "items without either form"

EVERY_ITEM = "all"
PHENOMENON = "phenomenon"
DISTANCE = "distance"
FARTHER = "distance above"
BLOCKS = "whole blocks"

NOT_IN_TRAIN = "source not in train"
POOLED = "yes"

DISTINCT = "distinct translations"
LENGTH_RATIO = "length ratio"
OF_ALIGNMENT = ("omitted sentences", "added texts", "documents without a translation")  # of texts of other systems
ASKED = ("requests", "tokens sent", "tokens received", "faulty answers")  # of a language model

CXMI = {
    "without_context": "CXMI (without context)",
    "without_source_context": "CXMI (without source context)",
    "without_target_context": "CXMI (without target context)",
    "without_trees": "CXMI (without trees)",
    "shuffled_trees": "CXMI (shuffled trees)",
}
"""Name of the information that a system takes from what it reads, by the control that reads without."""


@dataclass(frozen=True, kw_only=True)
class MetricParts:
    """The parts of a metric's full name, each a column of text; empty where a name has no such part."""

    task: str = ""
    """What is judged: one of :data:`ITEM_TASKS`, or the task of an analyser."""
    figure: str = ""
    """Figure of the task; of items :data:`ACCURACY`, one of :data:`BOUNDS`, :data:`ITEMS`, :data:`TIES`,
    :data:`WRONG` or :data:`NEITHER`."""
    setting: str = ""
    """Kind of an analyser's input."""
    by: str = ""
    """What chooses a subset of items: :data:`EVERY_ITEM`, :data:`PHENOMENON`, :data:`DISTANCE`, :data:`FARTHER` or
    :data:`BLOCKS`."""
    subset: str = ""
    """Phenomenon, or number of sentences, of the items of a subset."""
    compared: str = ""
    """Full name of the metric whose difference from the baseline this is or tests."""
    test: str = ""
    """Test whose p-value this is; empty for the difference."""
    units: str = ""
    """Units of the test: sentences, items, documents or groups of these, and seeds where they are random, too."""
    pooled: str = ""
    """:data:`POOLED` for a comparison of the means over several seeds."""
    baseline: str = ""
    """Experiment that the comparison is with."""
    better: str = ""
    """``higher`` or ``lower``, of metrics that the user runs and their comparisons."""


@dataclass(frozen=True)
class Score:
    """One number: the metric's full name, its value, the signature, which records how it was computed, and the parts
    of the name."""

    metric: str
    value: float
    signature: str
    parts: MetricParts = MetricParts()


@dataclass(frozen=True)
class ItemSubset:
    """A subset of items: what chooses it, and the phenomenon or the number of sentences."""

    by: str
    subset: str = ""

    def __str__(self) -> str:
        """The name in tables."""
        return self.subset if self.by == PHENOMENON else f"{self.by} {self.subset}".strip()


ALL_ITEMS = ItemSubset(EVERY_ITEM)


def subset_names(scores: pd.DataFrame) -> list[str]:
    """The name of the subset of items of each row."""
    return [str(ItemSubset(by, subset)) for by, subset in zip(scores["by"], scores["subset"])]


def item_metric(task: str, figure: str, subset: ItemSubset) -> str:
    """The full name of a figure of a subset of the items of a task."""
    return f"{task} {figure} ({subset})"


def item_score(task: str, figure: str, subset: ItemSubset, value: float, signature: str) -> Score:
    """A figure of a subset of the items of a task."""
    parts = MetricParts(task=task, figure=figure, by=subset.by, subset=subset.subset)
    return Score(item_metric(task, figure, subset), value, signature, parts)


def analyser_score(task: str, figure: str, setting: str, value: float, signature: str) -> Score:
    """A figure of an analyser in a task; ``setting`` is the kind of its input."""
    parts = MetricParts(task=task, figure=figure, setting=setting)
    return Score(f"{figure} ({task}, {setting})", value, signature, parts)


def interval_of(statistics: Mapping[str, Sequence[float]]) -> list[float]:
    """Both ends of the interval of an accuracy of one seed, from the values of each figure of its items.

    Raises :class:`InputError`: an end is missing.
    """
    ends = [value for bound in BOUNDS for value in statistics.get(bound, ())]
    if len(ends) != len(BOUNDS):
        raise InputError("the table of scores lacks an interval of accuracy", remedy="make it again")
    return ends


def of_new_sentences(metric: str) -> str:
    """The name of a metric of the sentences whose source does not stand verbatim in train."""
    return f"{metric} ({NOT_IN_TRAIN})"


def with_normalised(score: Score, sides: Sequence[str]) -> Score:
    """The score of a model that reads normalised text of ``sides``, which its signature says; counts have none."""
    if not sides or score.signature == "count":
        return score
    return replace(score, signature=f"{score.signature}|normalised:{'+'.join(sides)}")


def of_translations(scores: Sequence[Score], mark: str) -> list[Score]:
    """The ``scores`` with a ``mark`` of the search in their signatures; counts, and scores of given texts, stay."""
    return [
        score
        if score.signature == "count" or score.parts.task == "contrastive"
        else replace(score, signature=f"{score.signature}|{mark}")
        for score in scores
    ]


def with_tuned(scores: Sequence[Score], tuned: Mapping[str, Any]) -> list[Score]:
    """The ``scores`` of translations with values of decoding that were chosen on dev, then these values as scores.

    Signatures say which keys were chosen. ``tuned`` is the content of the file that tune_decoding writes.
    """
    return [
        *of_translations(scores, f"tuned:{'+'.join(tuned['chosen'])}"),
        *(
            Score(f"{key.replace('_', ' ')} (tuned)", value, _tuned_signature(key, tuned))
            for key, value in tuned["chosen"].items()
        ),
    ]


def _tuned_signature(key: str, tuned: Mapping[str, Any]) -> str:
    tried = ",".join(f"{value:g}" for value in dict.fromkeys(trial["values"][key] for trial in tuned["trials"]))
    return f"tuned:{tuned['split']}|of:{tried}|by:s-BLEU|{tuned['signature']}"


def command_signature(command: Sequence[str], better: str) -> str:
    """The signature of a metric that the user runs: its program, a digest of the command, the better direction."""
    digest = hashlib.sha256("\0".join(command).encode()).hexdigest()[:8]
    return f"program:{PurePath(command[0]).name.replace('|', '')}|command:{digest}|better:{better}"


def with_baseline(signature: str, baseline: str, seeds: Sequence[tuple[int, int]]) -> str:
    """The signature of a comparison: that of the metric, the baseline's name, and the seeds of system and baseline."""
    return f"{signature}|baseline:{baseline}|seeds:{','.join(f'{own}/{other}' for own, other in seeds)}"
