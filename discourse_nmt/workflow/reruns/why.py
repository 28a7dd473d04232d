"""Say in words which jobs would run, and why; nothing is run.

Jobs for which something changed come first, then those that only follow. After a change of a corpus's files fewer jobs
may run than are told: only the import shows which shards are as before.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from discourse_nmt.workflow.reruns.evaluation import ask_workflow
from discourse_nmt.workflow.reruns.reasons import changed_inputs, changed_parameters, listed

NAMES = ("corpus", "kind", "analysis", "language", "treebank", "experiment", "labeller", "split", "side")
NUMBERS = ("shard", "fold", "seed")


def causes(job: Any, dag: Any, records: Any) -> tuple[str, ...]:
    """The changes for which a job of Snakemake's would run, in words; empty where it only follows other jobs.

    Snakemake itself tells the first change that it finds; its records of the last run show the others.
    """
    reason = dag.reason(job)
    changes = ["it is forced"] if reason.forced else []
    if reason.missing_output:
        made = any(records.metadata(path) is not None for path in reason.missing_output)
        changes.append("its files are gone" if made else "not made yet")
    before = {path for output in job.output for path in records.input(output) or []}
    rewritten = sorted(path for path in reason.updated_input if not before or path in before)
    changes += [f"changed: {listed(rewritten)}"] if rewritten else []
    if not records.has_metadata(job):
        return tuple(changes)
    changes += changed_inputs(before, job.input)
    changes += ["its command changed"] if any(records.code_changed(job)) else []
    if values := records.params_changed(job):
        parameters = {name: repr(value) for name, value in job.params.items()}
        new = {name: value for name, value in parameters.items() if value in values.only_new}
        changes += changed_parameters(sorted(values.only_old), new)
    changes += ["its software environment changed"] if any(records.software_stack_changed(job)) else []
    return tuple(changes)


def place(wildcards: Mapping[str, str]) -> str:
    """The wildcards of a job, for example ``demo, test, shard 1``."""
    names = [wildcards[name] for name in NAMES if name in wildcards]
    return ", ".join(names + [f"{name} {wildcards[name]}" for name in NUMBERS if name in wildcards])


def explained(dag: Any, records: Any) -> Iterable[str]:
    """The lines to print for an evaluated DAG of Snakemake's and its records of the last run."""
    changed: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)  # places by rule and changes
    following: Counter[str] = Counter()
    for job in sorted(dag.needrun_jobs(), key=lambda job: (job.rule.name, place(job.wildcards_dict))):
        if not job.output:
            continue  # a target, which only names files
        if changes := causes(job, dag, records):
            changed[job.rule.name, changes].append(place(job.wildcards_dict))
        else:
            following[job.rule.name] += 1
    if not changed and not following:
        yield "Nothing would run."
        return
    for (rule, changes), places in changed.items():
        where = listed(f"({wildcards})" for wildcards in places if wildcards)
        yield f"{rule} {where}: {'; '.join(changes)}".replace(" :", ":")
    if following:
        jobs = ", ".join(f"{rule} {count}" for rule, count in following.items())
        yield f"After these, as what they read is made anew: {jobs}"
    counts = Counter({rule: 0 for rule, _ in changed})
    for (rule, _), places in changed.items():
        counts[rule] += len(places)
    counts += following
    yield f"Jobs: {counts.total()} ({', '.join(f'{rule} {count}' for rule, count in counts.items())})"


def plan_in_words(configuration_files: Sequence[Path], targets: Collection[str]) -> list[str]:
    """The lines to print for targets of the workflow under configuration files (none: ``config.yaml``).

    An error of Snakemake's, such as a fault of the configuration, is printed as Snakemake does, and ends the program.
    """
    return ask_workflow(
        lambda workflow: list(explained(workflow.dag, workflow.persistence)), configuration_files, targets
    )
