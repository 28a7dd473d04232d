"""Say in words which jobs of the workflow would run, and why."""

import argparse
from pathlib import Path

SUMMARY = "Say which jobs of a workflow would run, and why; nothing is run."
EXAMPLES = """\
Jobs for which something changed come first, then those that only follow. After
a change of a corpus's files fewer jobs may run than are told: only the import
shows which shards are as before. A fault of a configuration file is told with
its line, which Snakemake does not name.

examples:
  discourse-nmt why --configfile my.yaml
  discourse-nmt why --configfile my.yaml -- score report
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The configuration and the targets."""
    parser.add_argument(
        "--configfile",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="configuration; none: config.yaml, the demo",
    )
    parser.add_argument(
        "targets", nargs="*", default=["score"], metavar="TARGET", help="targets of the workflow or files"
    )


def run(arguments: argparse.Namespace) -> int:
    """Let Snakemake plan, and print."""
    from discourse_nmt.workflow.configuration_files import read_configuration

    for path in arguments.configfile:
        read_configuration(path)

    from discourse_nmt.workflow.reruns.why import plan_in_words

    print("\n".join(plan_in_words(arguments.configfile, arguments.targets)))
    return 0
