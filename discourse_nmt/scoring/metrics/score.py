"""A score, and the names of metrics in the table of scores.

The name of a metric may have parts: a test of significance, a subset of items, a task. Each kind of such names is a
class here, whose ``str`` is the name in the table and whose ``parse`` reads it back. No other module takes names
apart.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, ClassVar, Self

from discourse_nmt.base.errors import InputError

BOOTSTRAP = "paired bootstrap"
RANDOMISATION = "approximate randomisation"
EXACT = "exact randomisation"

ACCURACY = "accuracy"
BOUNDS = ("accuracy, lower bound", "accuracy, upper bound")
ITEMS = "items"
TIES = "ties"
NEITHER = "items without either form"

NOT_IN_TRAIN = "source not in train"

_ALL_SEEDS = ", all seeds"
_BETTER = re.compile(r"\|better:(higher|lower)(?=\||$)")
_BASELINE = re.compile(r"\|baseline:([^|]+)\|")


@dataclass(frozen=True)
class Score:
    """One number: the metric's name, its value, and the signature, which records how it was computed."""

    metric: str
    value: float
    signature: str


class Name:
    """A name of a metric with parts: the fields of the subclass, a dataclass, which are the groups of its pattern."""

    PATTERN: ClassVar[re.Pattern[str]]

    @classmethod
    def parse(cls, name: str) -> Self | None:
        """Read a name; None for a name of another kind."""
        found = cls.PATTERN.fullmatch(name)
        if found is None:
            return None
        parts: dict[str, Any] = found.groupdict()
        return cls(**{field: bool(part) if field == "pooled" else part for field, part in parts.items()})


@dataclass(frozen=True)
class Difference(Name):
    """System minus baseline by a metric; ``pooled`` is true for the mean over several seeds."""

    PATTERN = re.compile(rf"difference(?P<pooled>{_ALL_SEEDS})? \((?P<metric>.+)\)")

    metric: str
    pooled: bool

    def __str__(self) -> str:
        """The name in the table."""
        return f"difference{_ALL_SEEDS if self.pooled else ''} ({self.metric})"


@dataclass(frozen=True)
class PValue(Name):
    """The p-value, 0 to 1, of a difference by a test over units: sentences, items, documents or groups of these."""

    PATTERN = re.compile(rf"p(?P<pooled>{_ALL_SEEDS})? \((?P<metric>.+), (?P<test>.+) over (?P<units>.+)\)")

    metric: str
    test: str
    units: str
    pooled: bool

    def __str__(self) -> str:
        """The name in the table."""
        return f"p{_ALL_SEEDS if self.pooled else ''} ({self.metric}, {self.test} over {self.units})"

    @property
    def difference(self) -> Difference:
        """The difference that is tested."""
        return Difference(self.metric, self.pooled)

    @property
    def sets_mark(self) -> bool:
        """Whether tables show a mark by this test: it is two-sided, and its units are independent of each other."""
        return self.test in (RANDOMISATION, EXACT) and self.units in ("documents", "groups")


@dataclass(frozen=True)
class ItemStatistic(Name):
    """A statistic of a subset of the items of a task (``contrastive`` or ``generation``).

    ``statistic`` is :data:`ACCURACY`, one of :data:`BOUNDS`, :data:`ITEMS`, :data:`TIES` or :data:`NEITHER`.
    """

    PATTERN = re.compile(r"(?P<task>contrastive|generation) (?P<statistic>[a-z ,]+) \((?P<subset>.*)\)")

    task: str
    statistic: str
    subset: str

    def __str__(self) -> str:
        """The name in the table."""
        return f"{self.task} {self.statistic} ({self.subset})"


@dataclass(frozen=True)
class AnalyserFigure(Name):
    """A figure of an analyser in a task; ``setting`` is the kind of its input."""

    PATTERN = re.compile(r"(?P<figure>.+) \((?P<task>\w+), (?P<setting>\w+)\)")

    figure: str
    task: str
    setting: str

    def __str__(self) -> str:
        """The name in the table."""
        return f"{self.figure} ({self.task}, {self.setting})"


def interval_of(statistics: Mapping[str, Sequence[float]]) -> list[float]:
    """Both ends of the interval of an accuracy of one seed, from the values of each statistic of its items.

    Raises :class:`InputError`: an end is missing.
    """
    ends = [value for bound in BOUNDS for value in statistics.get(bound, ())]
    if len(ends) != len(BOUNDS):
        raise InputError("the table of scores lacks an interval of accuracy", remedy="make it again")
    return ends


def of_new_sentences(metric: str) -> str:
    """The name of a metric of the sentences whose source does not stand verbatim in train."""
    return f"{metric} ({NOT_IN_TRAIN})"


def command_signature(command: Sequence[str], better: str) -> str:
    """The signature of a metric that the user runs: its program, a digest of the command, the better direction."""
    digest = hashlib.sha256("\0".join(command).encode()).hexdigest()[:8]
    return f"program:{PurePath(command[0]).name.replace('|', '')}|command:{digest}|better:{better}"


def better_of(signature: str) -> str | None:
    """``higher`` or ``lower`` in a signature of :func:`command_signature`; None for any other signature."""
    found = _BETTER.search(signature)
    return found and found[1]


def with_baseline(signature: str, baseline: str, seeds: Sequence[tuple[int, int]]) -> str:
    """The signature of a comparison: that of the metric, the baseline's name, and the seeds of system and baseline."""
    return f"{signature}|baseline:{baseline}|seeds:{','.join(f'{own}/{other}' for own, other in seeds)}"


def baseline_of(signature: str) -> str | None:
    """The baseline's name in a signature of :func:`with_baseline`; None for any other signature."""
    found = _BASELINE.search(signature)
    return found and found[1]
