"""A score, and the names of metrics in the table of scores.

The name of a metric may have parts: a test of significance, a subset of items, a task. Each kind of such names is a
class here, whose ``str`` is the name in the table and whose ``parse`` reads it back. No other module takes names
apart.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

BOOTSTRAP = "paired bootstrap"
RANDOMISATION = "approximate randomisation"
EXACT = "exact randomisation"

ACCURACY = "accuracy"
BOUNDS = ("accuracy, lower bound", "accuracy, upper bound")
ITEMS = "items"
TIES = "ties"

_ALL_SEEDS = ", all seeds"
_DIFFERENCE = re.compile(rf"difference(?P<pooled>{_ALL_SEEDS})? \((?P<metric>.+)\)")
_P_VALUE = re.compile(rf"p(?P<pooled>{_ALL_SEEDS})? \((?P<metric>.+), (?P<test>.+) over (?P<units>.+)\)")
_ITEM_STATISTIC = re.compile(r"(?P<task>contrastive|generation) (?P<statistic>[a-z ,]+) \((?P<subset>.*)\)")
_FIGURE = re.compile(r"(?P<figure>.+) \((?P<task>\w+), (?P<setting>\w+)\)")
_BASELINE = re.compile(r"\|baseline:([^|]+)\|")


@dataclass(frozen=True)
class Score:
    """One number: the metric's name, its value, and the signature, which records how it was computed."""

    metric: str
    value: float
    signature: str


@dataclass(frozen=True)
class Difference:
    """System minus baseline by a metric; ``pooled`` is true for the mean over several seeds."""

    metric: str
    pooled: bool

    def __str__(self) -> str:
        """The name in the table."""
        return f"difference{_ALL_SEEDS if self.pooled else ''} ({self.metric})"

    @classmethod
    def parse(cls, name: str) -> "Difference | None":
        """Read a name; None for a name of another kind."""
        parts = _DIFFERENCE.fullmatch(name)
        return parts and cls(parts["metric"], bool(parts["pooled"]))


@dataclass(frozen=True)
class PValue:
    """The p-value, 0 to 1, of a difference by a test over units: sentences, items or documents."""

    metric: str
    test: str
    units: str
    pooled: bool

    def __str__(self) -> str:
        """The name in the table."""
        return f"p{_ALL_SEEDS if self.pooled else ''} ({self.metric}, {self.test} over {self.units})"

    @classmethod
    def parse(cls, name: str) -> "PValue | None":
        """Read a name; None for a name of another kind."""
        parts = _P_VALUE.fullmatch(name)
        return parts and cls(parts["metric"], parts["test"], parts["units"], bool(parts["pooled"]))

    @property
    def difference(self) -> Difference:
        """The difference that is tested."""
        return Difference(self.metric, self.pooled)

    @property
    def sets_mark(self) -> bool:
        """Whether tables show a mark by this test: it is two-sided, and documents are independent of each other."""
        return self.test in (RANDOMISATION, EXACT) and self.units == "documents"


@dataclass(frozen=True)
class ItemStatistic:
    """A statistic of a subset of the items of a task (``contrastive`` or ``generation``).

    ``statistic`` is :data:`ACCURACY`, one of :data:`BOUNDS`, :data:`ITEMS` or :data:`TIES`.
    """

    task: str
    statistic: str
    subset: str

    def __str__(self) -> str:
        """The name in the table."""
        return f"{self.task} {self.statistic} ({self.subset})"

    @classmethod
    def parse(cls, name: str) -> "ItemStatistic | None":
        """Read a name; None for a name of another kind."""
        parts = _ITEM_STATISTIC.fullmatch(name)
        return parts and cls(**parts.groupdict())


@dataclass(frozen=True)
class AnalyserFigure:
    """A figure of an analyser in a task; ``setting`` is the kind of its input."""

    figure: str
    task: str
    setting: str

    def __str__(self) -> str:
        """The name in the table."""
        return f"{self.figure} ({self.task}, {self.setting})"

    @classmethod
    def parse(cls, name: str) -> "AnalyserFigure | None":
        """Read a name; None for a name of another kind."""
        parts = _FIGURE.fullmatch(name)
        return parts and cls(**parts.groupdict())


def with_baseline(signature: str, baseline: str, seeds: Sequence[tuple[int, int]]) -> str:
    """The signature of a comparison: that of the metric, the baseline's name, and the seeds of system and baseline."""
    return f"{signature}|baseline:{baseline}|seeds:{','.join(f'{own}/{other}' for own, other in seeds)}"


def baseline_of(signature: str) -> str | None:
    """The baseline's name in a signature of :func:`with_baseline`; None for any other signature."""
    found = _BASELINE.search(signature)
    return found and found[1]
