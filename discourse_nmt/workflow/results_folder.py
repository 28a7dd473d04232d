"""The folder of a run's results, for programs that read no configuration.

``python -m discourse_nmt.workflow.results_folder FILE...`` prints it for the configuration in some files.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from snakemake.exceptions import WorkflowError

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.estimates.stand_ins import checked
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.resolving.size import in_size


def results_folder(configuration_files: Sequence[Path]) -> str:
    """The folder, which also depends on ``size``. Raises :class:`InputError` for what the schema refuses."""
    return Files(in_size(checked(configuration_files))).results


if __name__ == "__main__":
    try:
        print(results_folder([Path(word) for word in sys.argv[1:]]))
    except (InputError, WorkflowError) as error:
        sys.exit(f"error: config: {error}")
