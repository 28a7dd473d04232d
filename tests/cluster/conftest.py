"""A Slurm that these tests start and stop, and the demo, made on it."""

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.slurm import Slurm, missing_programs
from tests.cluster.workflow import ADDED, TINY, Workflow

# As `hardware: {gpus: 2}` sets them; the networks run on CPUs, as the GPUs of this cluster are simulated.
GPUS = ("train_model:gpu=2", "translate_split:gpu=1", "score_contrastive:gpu=1")


@pytest.fixture(scope="session")
def slurm() -> Iterator[Slurm]:
    """A running cluster; nothing of it is left afterwards."""
    missing = missing_programs()
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; make test-cluster installs them, as root")
    # The end of a pipeline's patience must not leave daemons behind.
    signal.signal(signal.SIGTERM, lambda *_: pytest.exit("terminated", 143))
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        started = Slurm(Path(folder))
        try:
            started.start()
            yield started
        finally:
            started.stop()
        assert started.processes() == []


@pytest.fixture(scope="session")
def demo(slurm: Slurm, tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """The demo at its smallest, made on the cluster, in a folder whose name a shell may misread."""
    folder = tmp_path_factory.mktemp("demo") / "a folder's name"
    folder.mkdir()
    made = Workflow(folder, str(TINY), str(ADDED))
    made.finish(made.start_on(slurm, ["score", "report"], "--set-resources", *GPUS))
    return made
