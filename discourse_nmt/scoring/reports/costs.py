"""Costs of each stage: jobs, time and memory, from Snakemake's benchmark files."""

import altair
import pandas as pd

from discourse_nmt.scoring.charts.drawing import COLOURS, svg
from discourse_nmt.scoring.tables.narrow import MISSING

DRAWN = 15  # stages in the chart; the table has all


def stage_costs(benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Jobs, time and memory of each corpus and stage as text, the longest stage first.

    ``benchmarks`` has one row per job: corpus, stage, experiment (empty for jobs of none), seconds (wall clock), cpu
    (seconds) and memory (peak resident set in MB). The last two are missing for jobs that were too short to measure.
    """
    totals = stage_totals(benchmarks)
    shown = totals[["corpus", "stage", "jobs"]].astype(str)
    for column, title, decimals in (
        ("seconds", "wall clock (s)", 1),
        ("longest", "longest job (s)", 1),
        ("cpu", "CPU (s)", 1),
        ("memory", "memory (MB)", 0),
    ):
        shown[title] = [MISSING if pd.isna(value) else f"{value:.{decimals}f}" for value in totals[column]]
    return shown


def stage_totals(benchmarks: pd.DataFrame) -> pd.DataFrame:
    """The numbers behind :func:`stage_costs`: corpus, stage, jobs, seconds, longest, cpu, memory."""
    groups = benchmarks.groupby(["corpus", "stage"], sort=False)
    totals = groups.agg(
        jobs=("seconds", "size"),
        seconds=("seconds", "sum"),
        longest=("seconds", "max"),
        # The CPU time of a stage without measured jobs is missing, not 0.
        cpu=("cpu", lambda values: values.sum(min_count=1)),
        memory=("memory", "max"),
    )
    return totals.sort_values("seconds", ascending=False, kind="stable").reset_index()


def training_minutes(benchmarks: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Minutes of a training of each experiment, by corpus and experiment: the mean over seeds."""
    trainings = benchmarks[benchmarks["stage"] == "train"]
    means = trainings.groupby(["corpus", "experiment"])["seconds"].mean().reset_index()
    return {
        (str(corpus), str(experiment)): seconds / 60
        for corpus, experiment, seconds in means.itertuples(index=False, name=None)
    }


def cost_chart(benchmarks: pd.DataFrame) -> str:
    """SVG of the wall-clock time of the longest stages; empty without benchmark files."""
    totals = stage_totals(benchmarks).head(DRAWN)
    if totals.empty:
        return ""
    names = (totals["corpus"] + " " + totals["stage"]).str.strip()
    chart = (
        altair.Chart(totals.assign(name=names))
        .mark_bar(color=COLOURS[0])
        .encode(
            x=altair.X("seconds", type="quantitative", title="wall clock, all jobs (s)"),
            y=altair.Y("name", type="nominal", sort=None, title=None),
        )
    )
    return svg(chart)
