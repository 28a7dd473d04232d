"""Commands that ask the workflow for its jobs: a fault ends them as it ends Snakemake."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT


@pytest.mark.parametrize("command", ["plan", "why"])
def test_a_target_that_does_not_exist_is_told_and_is_an_error(command: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "discourse_nmt", command, "scoer"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert (done.stderr, done.stdout) == ("error: no rule makes scoer; did you mean score?\n", "")
