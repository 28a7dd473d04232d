"""Training runs of a report."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReportRun:
    """One trained model."""

    corpus: str
    experiment: str
    seed: int
