"""Estimates of ``discourse-nmt plan`` beside what the jobs of a run took, from its benchmark files; nothing is run.

Prints for each stage the CPU-seconds measured, those by the shipped rates and their ratio. Then, as if asked in the
course of the run: the estimate of all jobs that were still to come after a share of the jobs, with the rates corrected
by the jobs before, beside what they took. Call it in the folder of the run.
"""

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from discourse_nmt.workflow.estimates.planning import PlannedJob, evaluated_run
from discourse_nmt.workflow.estimates.rates import Estimator, shipped_rates

SHARES = (0, 25, 50, 75)  # per cent of the jobs


def measured_jobs(configuration: Path) -> list[tuple[PlannedJob, float]]:
    """The jobs that a run has measured, with their CPU-seconds, in the order in which they ended."""
    run = evaluated_run([configuration], ["score", "report"])
    jobs = [
        (job, job.finished.seconds)
        for job in run.jobs.values()
        if job.benchmark and job.finished and job.finished.seconds
    ]
    return sorted(jobs, key=lambda entry: entry[0].benchmark.stat().st_mtime if entry[0].benchmark else 0)


def estimated(estimator: Estimator, jobs: Sequence[tuple[PlannedJob, float]]) -> float:
    """CPU-seconds of some jobs."""
    return sum(cost.seconds for job, _ in jobs if (cost := estimator.cost(job.load)))


def main() -> None:
    """Print stages and shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("configuration", type=Path)
    jobs = measured_jobs(parser.parse_args().configuration)
    if not jobs:
        raise SystemExit("no benchmark files of this run")
    shipped = Estimator(shipped_rates())
    stages: dict[str, list[tuple[PlannedJob, float]]] = defaultdict(list)
    for job, seconds in jobs:
        stages[job.load.stage].append((job, seconds))
    for stage, own in sorted(stages.items(), key=lambda entry: -sum(seconds for _, seconds in entry[1])):
        spent, expected = sum(seconds for _, seconds in own), estimated(shipped, own)
        print(f"{stage}: {len(own)} jobs, {spent:.1f} s measured, {expected:.1f} s estimated, {expected / spent:.2f}")
    for share in SHARES:
        before = len(jobs) * share // 100
        done, coming = jobs[:before], jobs[before:]
        estimator = shipped.corrected((job.load, job.finished) for job, _ in done if job.finished)
        spent, expected = sum(seconds for _, seconds in coming), estimated(estimator, coming)
        print(f"after {share} %: {spent:.0f} s to come, {expected:.0f} s estimated, {expected / spent:.2f}")


if __name__ == "__main__":
    main()
