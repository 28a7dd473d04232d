"""Contenders timed in alternating rounds, so that the load of the machine meets all of them alike.

Times are CPU-seconds of this process, or of the contenders' own, which other work on the machine changes little.
"""

import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Rounds(Generic[Result]):
    """Times and results of each contender by its name, one of each per round."""

    seconds: Mapping[str, Sequence[float]]
    """CPU-seconds."""
    results: Mapping[str, Sequence[Result]]
    load: tuple[float, float]
    """Load average of the machine over a minute, before and after the rounds."""

    def total(self, name: str) -> float:
        """CPU-seconds of all rounds."""
        return sum(self.seconds[name])

    def best(self, name: str) -> float:
        """CPU-seconds of the fastest round."""
        return min(self.seconds[name])

    def ratio(self, name: str, reference: str) -> float:
        """Median over the rounds of the reference's time / the contender's; above 1 the contender is faster."""
        return statistics.median(b / a for a, b in zip(self.seconds[name], self.seconds[reference]))

    @property
    def conditions(self) -> str:
        """A line on the machine and its load."""
        rounds = len(next(iter(self.seconds.values())))
        before, after = self.load
        return f"rounds: {rounds}, on {machine()}; load {before:.1f} before, {after:.1f} after"


def alternate(
    contenders: Mapping[str, Callable[[Item], Result]],
    items: Sequence[Item],
    warm_up: Item,
    seconds_of: Callable[[Result], float] | None = None,
) -> Rounds[Result]:
    """Time all contenders in turn on each of the ``items``, one item per round; ``warm_up`` is not timed.

    ``seconds_of`` reads the CPU-seconds from a result, for contenders that compute in processes of their own. Raises
    :class:`ValueError`: there are no items.
    """
    if not items:
        raise ValueError("no rounds")
    for contender in contenders.values():
        contender(warm_up)
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    results: dict[str, list[Result]] = {name: [] for name in contenders}
    before = os.getloadavg()[0]
    for item in items:
        for name, contender in contenders.items():
            start = time.process_time()
            results[name].append(contender(item))
            own = time.process_time() - start
            seconds[name].append(own if seconds_of is None else seconds_of(results[name][-1]))
    return Rounds(seconds, results, (before, os.getloadavg()[0]))


def machine() -> str:
    """Cores, processor, and versions of Python and torch."""
    cores = len(os.sched_getaffinity(0))
    return f"{cores} cores ({processor()}), Python {platform.python_version()}, torch {version('torch')}"


def processor() -> str:
    """The name of the processor from /proc/cpuinfo of Linux, or else the architecture."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text(encoding="utf-8").splitlines() if information.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
