"""The workflow as Snakemake evaluates it, with the jobs that would run; nothing is run."""

import logging
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

from snakemake.api import SnakemakeApi
from snakemake.cli import parse_size_in_bytes
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import MissingRuleException
from snakemake.logging import logger
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest

PROFILE = ROOT / "profiles" / "default" / "config.yaml"
Answer = TypeVar("Answer")


def ask_workflow(
    question: Callable[[Any], Answer],
    configuration_files: Sequence[Path],
    targets: Collection[str],
    folder: Path | None = None,
) -> Answer:
    """The answer of ``question`` for Snakemake's workflow, whose DAG is evaluated for the ``targets``.

    Without ``configuration_files`` the configuration is ``config.yaml``. An error of Snakemake's, such as a fault of
    the configuration, is printed as Snakemake does, and ends the program; raises :class:`InputError` for a target that
    no rule makes.
    """
    limit = parse_size_in_bytes(load_configfile(PROFILE)["max-checksum-file-size"])
    logger.propagate = False  # the command's own handler would tell each line of Snakemake's a second time
    with SnakemakeApi(OutputSettings(log_level_override=logging.WARNING)) as api:
        try:
            workflow = api.workflow(
                ResourceSettings(cores=1),
                ConfigSettings(configfiles=configuration_files),
                snakefile=ROOT / "Snakefile",
                workdir=folder,
            )
            evaluation = workflow.dag(DAGSettings(targets=targets, max_checksum_file_size=limit))
            # Snakemake's interface evaluates a DAG only to print something of it, and tells no job's reasons.
            with redirect_stdout(StringIO()):
                evaluation.summary()
            return question(workflow._workflow)
        except Exception as error:
            if isinstance(error, MissingRuleException):
                check_targets(targets, workflow._workflow)
            api.print_exception(error)
            sys.exit(1)


def check_targets(targets: Collection[str], workflow: Any) -> None:
    """Raise :class:`InputError` where a target is no rule of a ``workflow`` that cannot make all targets."""
    rules = {rule.name for rule in workflow.rules}
    if unknown := [target for target in targets if target not in rules]:
        made_to_ask_for = sorted(workflow._localrules)
        raise InputError(f"no rule makes {', '.join(unknown)}", remedy=nearest(unknown[0], made_to_ask_for))
