"""The folder of a run's results, as ``make`` asks for it: the size of the run is in its name."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from discourse_nmt.workflow.results_folder import results_folder
from tests.conftest import ROOT

# In place of an environment: the display says what it was given, all else runs as it is.
ACTIVATE = f"""
python() {{
    case "$2" in
    *.display) shift 2; echo "$@" ;;
    *) {sys.executable} "$@" ;;
    esac
}}
"""


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("run: mine\n", "results/mine"),
        ("run: mine\nsize: full\n", "results/mine"),
        ("size: small\nrun: mine # a comment\n", "results/mine-small"),
        ("{'size': 'small', run: \"mine\"}\n", "results/mine-small"),
    ],
)
def test_the_folder_follows_run_and_size(text: str, folder: str, tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(text, encoding="utf-8")
    assert results_folder([path]) == folder


def test_make_shows_the_report_where_the_run_writes_it(tmp_path: Path) -> None:
    done = make(tmp_path, "run: mine\nsize: small\n")
    assert done.returncode == 0, done.stderr
    display, report = done.stdout.splitlines()
    assert display.startswith("--log results/mine-small/logs/workflow.log -- --cores ")
    assert report == "results/mine-small/report.html"


def test_make_ends_with_a_fault_of_the_configuration(tmp_path: Path) -> None:
    for text, fault in (("run: mine\nsise: small\n", "unknown key sise in the top level"), ("run: [\n", "")):
        done = make(tmp_path, text)
        assert done.returncode != 0 and done.stdout == "" and "Traceback" not in done.stderr
        assert done.stderr.startswith(f"error: config: {fault}"), done.stderr


def make(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """``make report`` of the configuration ``text`` in a ``folder``."""
    for name in ("pyproject.toml", "envs/requirements.lock", ".venv/bin/activate", ".venv/.installed"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(ACTIVATE if name.endswith("activate") else "", encoding="utf-8")
    shutil.copy(ROOT / "Makefile", folder)
    (folder / "my.yaml").write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = ["make", "--no-print-directory", "report", "CONFIG=my.yaml"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
