"""A wheel holds all that a checkout has for its users, and the workflow plans from it the same jobs."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from discourse_nmt import PACKAGE
from tests.conftest import ROOT
from tests.unit.project.test_architecture import ALLOWED

# What an installation has; the rest is for those who change the project.
FOLDERS = ("envs/", "profiles/", "resources/", "rules/")
FILES = {"Snakefile", "config.yaml", "config.schema.yaml"}
LEFT_OUT = "resources/help_models/"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the wheel is unpacked, as pip does."""
    folder = tmp_path_factory.mktemp("wheel")
    [wheel] = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def ran(*arguments: str, site: Path, folder: Path) -> str:
    """What Python prints where ``site`` is the only place of the package."""
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_every_file_of_the_package_the_workflow_and_resources_is_in_it_and_no_other(site: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    wanted = {name for name in listed if name.startswith(f"{PACKAGE.name}/")}
    wanted |= {f"{PACKAGE.name}/{name}" for name in listed if name in FILES or name.startswith(FOLDERS)}
    wanted -= {name for name in wanted if name.startswith(f"{PACKAGE.name}/{LEFT_OUT}")}
    found = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    information = {name for name in found if ".dist-info/" in name}
    assert found - information == wanted


def test_rooms_are_imported_from_it(site: Path, tmp_path: Path) -> None:
    names = [PACKAGE.name, *(f"{PACKAGE.name}.{room}" for room in sorted(ALLOWED))]
    code = f"import importlib\nfor name in {names}: print(importlib.import_module(name).__file__)"
    files = ran("-c", code, site=site, folder=tmp_path).split()
    assert len(files) == len(names) and all(Path(file).is_relative_to(site) for file in files)


def test_the_workflow_plans_the_same_jobs_as_from_a_checkout(site: Path, tmp_path: Path) -> None:
    assert jobs(site, site / PACKAGE.name, tmp_path) == jobs(ROOT, ROOT, tmp_path) > set()


def test_code_has_the_fingerprints_of_a_checkout(site: Path, tmp_path: Path) -> None:
    """Results of one are up to date for the other."""
    entry = f"{PACKAGE.name}.workflow_scripts.train.train"
    code = f"from discourse_nmt.workflow.reruns.fingerprint import fingerprint\nprint(fingerprint({entry!r}))"
    assert ran("-c", code, site=site, folder=tmp_path) == ran("-c", code, site=ROOT, folder=tmp_path)


def jobs(site: Path, files: Path, folder: Path) -> set[str]:
    """Inputs, outputs and commands of the demo's jobs, as a dry run tells them."""
    command = ["-m", "snakemake", "--snakefile", str(files / "Snakefile"), "--cores", "1", "--dry-run"]
    told = ran(*command, "--printshellcmds", "--", "score", "report", site=site, folder=folder)
    return set(re.findall(r"^    (?:input|output): .*|^Shell command: .*", told.replace(str(files), ""), re.MULTILINE))
