"""Say in words which jobs would run, and why; nothing is run.

First come the jobs that something changed for, then those that only follow. After a change of a corpus's files nobody
can know yet which shards will be as before, so that fewer jobs may run than are told.
"""

import argparse
import logging
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from snakemake.api import SnakemakeApi
from snakemake.cli import parse_size_in_bytes
from snakemake.common.configfile import load_configfile
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings

from discourse_nmt import ROOT
from discourse_nmt.rules.reruns.reasons import changed_inputs, changed_parameters, listed

PROFILE = ROOT / "profiles" / "default" / "config.yaml"
NAMES = ("corpus", "kind", "analysis", "language", "treebank", "experiment", "labeller", "split", "side")
NUMBERS = ("shard", "fold", "seed")


def causes(job: Any, dag: Any, records: Any) -> tuple[str, ...]:
    """What changed for a job of Snakemake's, in words; empty where it only follows others.

    Snakemake's own reason of a job ends with the first one that it finds; its records of the last run have the others.
    """
    reason = dag.reason(job)
    words = ["it is forced"] if reason.forced else []
    if reason.missing_output:
        made = any(records.metadata(path) is not None for path in reason.missing_output)
        words.append("its files are gone" if made else "not made yet")
    before = {path for output in job.output for path in records.input(output) or []}
    rewritten = sorted(path for path in reason.updated_input if not before or path in before)
    words += [f"changed: {listed(rewritten)}"] if rewritten else []
    if not records.has_metadata(job):
        return tuple(words)
    words += changed_inputs(before, job.input)
    words += ["its command changed"] if any(records.code_changed(job)) else []
    if change := records.params_changed(job):
        now = {name: repr(value) for name, value in job.params.items()}
        fresh = {name: value for name, value in now.items() if value in change.only_new}
        words += changed_parameters(sorted(change.only_old), fresh)
    words += ["its software environment changed"] if any(records.software_stack_changed(job)) else []
    return tuple(words)


def place(wildcards: Mapping[str, str]) -> str:
    """Where in the run a job stands, for example ``demo, test, shard 1``."""
    names = [wildcards[name] for name in NAMES if name in wildcards]
    return ", ".join(names + [f"{name} {wildcards[name]}" for name in NUMBERS if name in wildcards])


def told(dag: Any, records: Any) -> Iterable[str]:
    """The lines to print for a DAG of Snakemake's that is evaluated, and its records of the last run."""
    first: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    later: Counter[str] = Counter()
    for job in sorted(dag.needrun_jobs(), key=lambda one: (one.rule.name, place(one.wildcards_dict))):
        if not job.output:
            continue  # a target, which only names files
        if words := causes(job, dag, records):
            first[job.rule.name, words].append(place(job.wildcards_dict))
        else:
            later[job.rule.name] += 1
    if not first and not later:
        yield "Nothing would run."
        return
    for (rule, words), places in first.items():
        where = listed(f"({one})" for one in places if one)
        yield f"{rule} {where}: {'; '.join(words)}".replace(" :", ":")
    if later:
        yield f"After these, as what they read is made anew: {', '.join(f'{rule} {n}' for rule, n in later.items())}"
    counts = Counter({rule: 0 for rule, _ in first})
    for (rule, _), places in first.items():
        counts[rule] += len(places)
    counts += later
    yield f"Jobs: {counts.total()} ({', '.join(f'{rule} {count}' for rule, count in counts.items())})"


def main() -> None:
    """Parse the arguments, let Snakemake plan, tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configfile", type=Path, action="append", default=[], help="configuration; none: config.yaml")
    parser.add_argument(
        "targets", nargs="*", default=["score"], help="targets of the workflow, or files (default: score)"
    )
    given = parser.parse_args()

    limit = parse_size_in_bytes(load_configfile(PROFILE)["max-checksum-file-size"])
    with SnakemakeApi(OutputSettings(log_level_override=logging.WARNING)) as api:
        try:
            workflow = api.workflow(
                ResourceSettings(cores=1), ConfigSettings(configfiles=given.configfile), snakefile=ROOT / "Snakefile"
            )
            plan = workflow.dag(DAGSettings(targets=given.targets, max_checksum_file_size=limit))
            # Snakemake's interface evaluates a DAG only to print something of it, and tells no job's reasons.
            with redirect_stdout(StringIO()):
                plan.summary()
            evaluated = workflow._workflow
            lines = list(told(evaluated.dag, evaluated.persistence))
        except Exception as error:
            api.print_exception(error)
            sys.exit(1)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
