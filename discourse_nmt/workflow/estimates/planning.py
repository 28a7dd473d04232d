"""The table that ``discourse-nmt plan`` prints: jobs, hours, memory and disk of each stage."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from discourse_nmt.workflow.checks.programs import unmet_needs
from discourse_nmt.workflow.estimates.asking import RULE, AskingJob, asking_job
from discourse_nmt.workflow.estimates.asking import told as told_of_asking
from discourse_nmt.workflow.estimates.loads import Loads
from discourse_nmt.workflow.estimates.rates import Cost, Estimator, Finished, Load, finished_job, shipped_rates
from discourse_nmt.workflow.reruns.evaluation import ask_workflow
from discourse_nmt.workflow.reruns.reasons import listed

HEADER = ("stage", "jobs", "CPU time", "longest job", "memory (MB)", "disk (MB)")


@dataclass(frozen=True)
class PlannedJob:
    """A job of the workflow with its load; ``finished`` is what is known of its last run, if there was one."""

    rule: str
    load: Load
    runs: bool
    finished: Finished | None
    benchmark: Path | None = None


@dataclass(frozen=True)
class PlannedRun:
    """The jobs of a run by number, the jobs that each waits for, and what is to be said of trainings and requests.

    ``missing`` are the faults of needs that this machine does not meet; stand-ins have no programs beside them.
    """

    jobs: Mapping[int, PlannedJob]
    waits_for: Mapping[int, Collection[int]]
    short: Collection[str] = ()
    asking: Sequence[AskingJob] = ()
    missing: Sequence[str] = ()


def planned_run(dag: Any, loads: Loads) -> PlannedRun:
    """The jobs of an evaluated DAG of Snakemake's; targets, which only name files, are left out."""
    jobs, numbers = {}, {job: number for number, job in enumerate(dag.jobs)}
    for job, number in numbers.items():
        if job.output:
            path = Path(job.benchmark) if job.benchmark else None
            finished = finished_job(path, map(Path, job.output)) if path else None
            load = loads.of(job.rule.name, job.wildcards_dict)
            jobs[number] = PlannedJob(job.rule.name, load, dag.needrun(job), finished, path)
    waits_for = {
        number: [numbers[other] for other in dag.dependencies[job] if other.output]
        for job, number in numbers.items()
        if number in jobs
    }
    trained = {
        (job.wildcards_dict["corpus"], job.wildcards_dict["experiment"]): None
        for job in dag.jobs
        if job.rule.name == "train_model" and dag.needrun(job)
    }
    seen: set[str] = set()
    asking = [
        asking_job(loads.plan, job.wildcards, seen) for job in dag.jobs if job.rule.name == RULE and dag.needrun(job)
    ]
    short = sorted(filter(None, (loads.short_training(*names) for names in trained)))
    needs = [] if loads.plan.files.are_stand_ins else loads.plan.needs(filter(dag.needrun, dag.jobs))
    return PlannedRun(jobs, waits_for, short, asking, list(map(str, unmet_needs(needs))))


def longest_chain(run: PlannedRun, seconds: Mapping[int, float]) -> float:
    """The seconds of the longest chain of jobs that wait for each other."""
    ends: dict[int, float] = {}
    for number in TopologicalSorter(run.waits_for).static_order():
        before = (ends[other] for other in run.waits_for[number])
        ends[number] = seconds.get(number, 0.0) + max(before, default=0.0)
    return max(ends.values(), default=0.0)


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table whose first column is text and whose other columns are numbers."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        yield "  ".join(cells).rstrip()


def told(run: PlannedRun, cores: int) -> Iterable[str]:
    """The lines to print: a table of the jobs that would run, their sums, and how good estimates of others were."""
    shipped = Estimator(shipped_rates())
    measured = [(job.load, job.finished) for job in run.jobs.values() if job.finished]
    estimator = shipped.corrected(measured)
    costs = {number: estimator.cost(job.load) for number, job in run.jobs.items() if job.runs}
    by_rule: dict[str, list[Cost | None]] = defaultdict(list)
    for number, cost in costs.items():
        by_rule[run.jobs[number].rule].append(cost)
    if not costs:
        yield "Nothing would run."
    else:
        rows, unknown = [HEADER], []
        sums = {rule: sum(cost.seconds for cost in of_rule if cost) for rule, of_rule in by_rule.items()}
        for rule in sorted(by_rule, key=lambda rule: -sums[rule]):
            of_rule = by_rule[rule]
            known = [cost for cost in of_rule if cost is not None]
            unknown += [rule] * (len(known) < len(of_rule))
            rows.append((rule, f"{len(of_rule):,}", *_figures(known)))
        every = [cost for cost in costs.values() if cost is not None]
        rows.append(("all", f"{len(costs):,}", *_figures(every)))
        yield from table(rows)
        seconds = {number: cost.seconds for number, cost in costs.items() if cost is not None}
        chain = longest_chain(run, seconds)
        least = max(chain, sum(seconds.values()) / cores)
        yield ""
        yield f"At least {duration(least)} with {cores} cores, {duration(chain)} with any number of machines."
        yield from run.short
        yield from told_of_asking(run.asking)
        yield from (f"Not on this machine: {fault}" for fault in run.missing)
        if unknown:
            yield f"Without a rate, counted as nothing: {listed(unknown)}"
    pairs = [
        (cost.seconds, finished.seconds)
        for load, finished in measured
        if finished.seconds and (cost := shipped.cost(load))
    ]
    if pairs:
        before, spent = (sum(column) for column in zip(*pairs))
        yield (
            f"{len(pairs):,} jobs have benchmark files, which correct these figures: they took {duration(spent)}, "
            f"by the shipped rates {duration(before)}."
        )
    else:
        yield "By the shipped rates alone, measured on one machine: the run has no benchmark files yet."


def duration(seconds: float) -> str:
    """``45 s``, ``12 min`` or ``3.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:,.1f} h"


def _figures(costs: Sequence[Cost]) -> tuple[str, str, str, str]:
    seconds = [cost.seconds for cost in costs]
    memory, disk = max((cost.memory for cost in costs), default=0), sum(cost.disk for cost in costs)
    return duration(sum(seconds)), duration(max(seconds, default=0)), f"{memory:,.0f}", f"{disk:,.0f}"


def plan_in_figures(
    configuration_files: Sequence[Path], targets: Collection[str], cores: int, folder: Path | None = None
) -> list[str]:
    """The lines to print for targets under configuration files (none: ``config.yaml``) in ``folder``."""
    return list(told(evaluated_run(configuration_files, targets, folder), cores))


def evaluated_run(
    configuration_files: Sequence[Path], targets: Collection[str], folder: Path | None = None
) -> PlannedRun:
    """The jobs for these targets; faults are those of :func:`.ask_workflow`."""
    return ask_workflow(
        lambda workflow: planned_run(workflow.dag, Loads(workflow.globals["plan"])),
        configuration_files,
        targets,
        folder,
    )
