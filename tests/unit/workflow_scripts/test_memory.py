"""A lack of memory ends in one line that says which setting to lower."""

import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.training.settings import TrainingSettings
from tests.conftest import ROOT

FIELDS = {
    "training": {entry.name for entry in fields(TrainingSettings)},
    "decoding": {entry.name for entry in fields(DecodingSettings)},
}
LOADER = next(Path("/lib64").glob("ld-linux*.so.*"), None)  # glibc's
TRAP = re.search(r"trap '.*?' EXIT", (ROOT / "rules/common.smk").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "allocation",
    [
        "bytearray(1 << 60)",
        "__import__('torch').empty(1 << 50)",
        "exec(\"raise type('OutOfMemoryError', (RuntimeError,), {})('CUDA out of memory. Tried to allocate 2 GiB')\")",
    ],
)
def test_a_failed_allocation_is_one_line(allocation: str) -> None:
    code = f"from discourse_nmt.workflow_scripts.command import run; run(lambda: {allocation}, 'lower it')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (1, "error: out of memory; lower it\n")


def test_other_errors_keep_their_traceback() -> None:
    code = "from discourse_nmt.workflow_scripts.command import run; run(lambda: [].pop(), 'lower it')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "Traceback" in done.stderr and "IndexError" in done.stderr
    code = (
        "from discourse_nmt.workflow_scripts.command import run; run(lambda: exec('raise RuntimeError(1)'), 'lower it')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "Traceback" in done.stderr and "RuntimeError" in done.stderr


@pytest.mark.parametrize("script", ["train/train", "train/translate", "train/show_cache", "score/score_contrastive"])
def test_the_settings_that_are_named_exist(script: str) -> None:
    last = (ROOT / f"workflow_scripts/{script}.py").read_text(encoding="utf-8").rstrip().splitlines()[-1]
    named = re.findall(r"\b(training|decoding)\.(\w+)", last)
    assert named
    for section, key in named:
        assert key in FIELDS[section]


@pytest.mark.parametrize(("signal", "told"), [(9, True), (15, False), (0, False)])
def test_a_job_that_the_kernel_kills_is_told(signal: int, told: bool, tmp_path: Path) -> None:
    assert TRAP
    trap = TRAP[0].replace('\\"{KILLED}\\"', '"error: killed"')
    kill = f"import os; os.kill(os.getpid(), {signal})"
    command = f"set -euo pipefail; {trap}; {sys.executable} -c '{kill}' 2>&1 | tee {tmp_path}/log"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert ("error: killed" in done.stderr) == told
    assert done.returncode == (128 + signal if signal else 0)


@pytest.mark.skipif(LOADER is None, reason="only glibc has tunables")
def test_jobs_ask_the_c_library_for_large_pages_that_it_knows_of() -> None:
    """It says nothing of a name that it does not know."""
    (asked,) = re.findall(r'MEMORY = "(.*)"', (ROOT / "rules/common.smk").read_text(encoding="utf-8"))
    environment = {"GLIBC_TUNABLES": asked}
    listed = subprocess.run(
        [str(LOADER), "--list-tunables"], env=environment, capture_output=True, text=True, check=True
    )
    values = dict(re.findall(r"^(\S+): (\S+)", listed.stdout, re.MULTILINE))
    for name, value in (part.split("=") for part in asked.split(":")):
        assert int(values[name], 0) == int(value), name
