"""Say what a run would take: jobs, hours, memory and disk by stage."""

import argparse
import os
import tempfile
from pathlib import Path

from discourse_nmt.base.errors import InputError

SUMMARY = "Say what a run would take: jobs, hours, memory and disk by stage; nothing is run."
EXAMPLES = """\
Figures come from rates that ship with the project, corrected by the benchmark
files of the run's finished jobs. With --pairs no corpus has to be there: sizes
are given instead, and finished jobs are not looked at.

examples:
  discourse-nmt plan --configfile my.yaml
  discourse-nmt plan --configfile my.yaml --cores 64 -- score report
  discourse-nmt plan --configfile my.yaml --pairs news=200_000_000
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The configuration, the targets, cores and sizes."""
    add = parser.add_argument
    add(
        "--configfile",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="configuration; none: config.yaml, the demo",
    )
    add("--cores", type=int, default=os.cpu_count() or 1, help="cores that the jobs share")
    add(
        "--pairs",
        action="append",
        default=[],
        metavar="CORPUS=NUMBER",
        help="training pairs of a corpus that need not be there",
    )
    add("targets", nargs="*", default=["score"], metavar="TARGET", help="targets of the workflow or files")


def run(arguments: argparse.Namespace) -> int:
    """Let Snakemake plan, estimate and print."""
    from discourse_nmt.workflow.configuration_files import read_configuration

    for path in arguments.configfile:
        read_configuration(path)
    if arguments.cores < 1:
        raise InputError(f"--cores is {arguments.cores}", remedy="give at least 1")
    given = dict(map(named_number, arguments.pairs))
    files = [path.resolve() for path in arguments.configfile]

    from discourse_nmt.workflow.estimates.planning import plan_in_figures

    if not given:
        print("\n".join(plan_in_figures(files, arguments.targets, arguments.cores)))
        return 0
    from discourse_nmt import ROOT
    from discourse_nmt.workflow.estimates.stand_ins import checked, stand_in
    from discourse_nmt.workflow.resolving.data import VARIABLE

    os.environ.pop(VARIABLE, None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        stand_in(checked(files), given, folder)
        (folder / "resources").symlink_to(ROOT / "resources")
        print("\n".join(plan_in_figures(files, arguments.targets, arguments.cores, folder)))
    return 0


def named_number(word: str) -> tuple[str, int]:
    """The corpus and number of an option ``CORPUS=NUMBER``; raises :class:`InputError` for another text."""
    corpus, _, number = word.partition("=")
    if not number.replace("_", "").isdecimal() or not int(number):
        raise InputError(f"--pairs {word}", remedy="give CORPUS=NUMBER with a whole number above 0")
    return corpus, int(number)
