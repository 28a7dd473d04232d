"""Rates of the stages: those that ship with the project, corrected by the jobs that a run has finished."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from discourse_nmt import ROOT
from discourse_nmt.base.storage.files import read_text

RATES = ROOT / "resources" / "rates" / "rates.tsv"
SHORT = 1.0  # seconds of all jobs of a stage, below which their benchmark files say too little


@dataclass(frozen=True)
class Rate:
    """The cost of a job of a stage by its number of units."""

    unit: str
    start_seconds: float
    seconds: float
    start_megabytes: float
    megabytes: float
    disk: float


@dataclass(frozen=True)
class Load:
    """The work of a job: its stage (a key of the rates), and how many units it goes through, holds and writes."""

    stage: str
    units: float = 0.0
    held: float = 0.0
    written: float = 0.0
    further_disk: float = 0.0
    """Megabytes beside the outputs of the job, such as checkpoints."""


@dataclass(frozen=True)
class Cost:
    """CPU-seconds, and megabytes of memory and disk, of a job."""

    seconds: float
    memory: float
    disk: float


@dataclass(frozen=True)
class Finished:
    """The measured cost of a job, by its benchmark file and output files; None where a job was too short to measure."""

    seconds: float | None
    memory: float | None
    disk: float


@dataclass(frozen=True)
class Estimator:
    """Estimates by rates and factors; a stage without factors of its own has those of all stages together."""

    rates: Mapping[str, Rate]
    factors: Mapping[str, Cost] = field(default_factory=dict)
    overall: Cost = Cost(1.0, 1.0, 1.0)

    def cost(self, load: Load) -> Cost | None:
        """The estimated cost of a job; None for a stage without a rate."""
        rate = self.rates.get(load.stage)
        if rate is None:
            return None
        factor = self.factors.get(load.stage, self.overall)
        return Cost(
            factor.seconds * (rate.start_seconds + rate.seconds * load.units),
            factor.memory * (rate.start_megabytes + rate.megabytes * load.held),
            factor.disk * rate.disk * load.written + load.further_disk,
        )

    def corrected(self, jobs: Iterable[tuple[Load, Finished]]) -> "Estimator":
        """The same with factors by which finished jobs differ from their estimates: sums of seconds and disk, and the
        largest memory.
        """
        estimated: dict[str, list[float]] = defaultdict(lambda: [0.0] * 3)
        measured: dict[str, list[float]] = defaultdict(lambda: [0.0] * 3)
        for load, finished in jobs:
            cost = self.cost(load)
            if cost is None or finished.seconds is None or finished.memory is None:
                continue
            for sums, seconds, memory, disk in (
                (estimated[load.stage], cost.seconds, cost.memory, cost.disk - load.further_disk),
                (measured[load.stage], finished.seconds, finished.memory, finished.disk),
            ):
                sums[:] = sums[0] + seconds, max(sums[1], memory), sums[2] + disk
        known = [stage for stage, (seconds, _, _) in measured.items() if seconds >= SHORT]
        factors = {stage: _ratios(measured[stage], estimated[stage]) for stage in known}
        together = [
            [sum(sums[stage][index] for stage in known) for index in range(3)] for sums in (measured, estimated)
        ]
        return replace(self, factors=factors, overall=_ratios(*together))


def _ratios(measured: Iterable[float], estimated: Iterable[float]) -> Cost:
    return Cost(*(one / other if one > 0 and other > 0 else 1.0 for one, other in zip(measured, estimated)))


def shipped_rates() -> dict[str, Rate]:
    """The rates that ship with the project, by stage."""
    _, *rows = (line.split("\t") for line in read_text(RATES).splitlines())
    return {stage: Rate(unit, *map(float, numbers)) for stage, unit, *numbers in rows}


def finished_job(benchmark: Path, outputs: Iterable[Path]) -> Finished | None:
    """The cost of the job with this benchmark file; None before it has finished."""
    if not benchmark.is_file():
        return None
    header, *rows = (line.split("\t") for line in read_text(benchmark).splitlines())
    values = dict(zip(header, rows[-1])) if rows else {}
    disk = sum(path.stat().st_size for path in outputs if path.is_file()) / 2**20
    return Finished(_number(values.get("cpu_time")), _number(values.get("max_rss")), disk)


def _number(text: str | None) -> float | None:
    """A number above 0; Snakemake writes 0 or NA for a job that ended before it looked."""
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if number > 0 else None
