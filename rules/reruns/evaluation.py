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
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, ResourceSettings

from discourse_nmt import ROOT

PROFILE = ROOT / "profiles" / "default" / "config.yaml"
Answer = TypeVar("Answer")


def ask_workflow(
    question: Callable[[Any], Answer],
    configuration_files: Sequence[Path],
    targets: Collection[str],
    folder: Path | None = None,
) -> Answer:
    """What ``question`` returns for Snakemake's workflow, whose DAG is evaluated for the ``targets``.

    Without ``configuration_files`` the configuration is ``config.yaml``. An error of Snakemake's, such as a fault of
    the configuration, is printed as Snakemake does, and ends the program.
    """
    limit = parse_size_in_bytes(load_configfile(PROFILE)["max-checksum-file-size"])
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
            api.print_exception(error)
            sys.exit(1)
