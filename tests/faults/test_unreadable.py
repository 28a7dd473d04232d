"""Files that cannot be read: one line names the file."""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import Reference
from tests.faults.runs import Job
from tests.faults.test_damage import artifacts, last, remove_outputs, restore
from tests.forks.client import Server

NOBODY = 65534


def put_a_folder_there(path: Path) -> None:
    path.unlink()
    path.mkdir()


def put_a_link_to_nothing_there(path: Path) -> None:
    path.unlink()
    path.symlink_to("nothing")


@pytest.mark.parametrize("hide", [Path.unlink, put_a_folder_there, put_a_link_to_nothing_there])
def test_every_artifact_that_cannot_be_read_is_named(
    reference: Reference, server: Server, tmp_path: Path, injected: Counter[str], hide: Callable[[Path], None]
) -> None:
    copy = Path(shutil.copytree(reference.folder, tmp_path / "run", symlinks=True))
    faults = []
    for path, job in artifacts(reference):
        hide(copy / path)
        faults += not_named(server, job, path, copy)
        if (copy / path).is_dir():
            (copy / path).rmdir()
        restore([path, *job.outputs], reference, copy)
        injected["artifacts that cannot be read"] += 1
    assert not faults, "\n".join(faults)


def not_named(server: Server, job: Job, path: str, folder: Path, **faults: Any) -> list[str]:
    """What a job says, unless it is one error that names the file."""
    remove_outputs(job, folder)
    status, said = server.run(job.arguments, folder, **faults)
    right = status == 1 and "Traceback" not in said and last(said).startswith("error: ") and path in last(said)
    return [] if right else [f"{job.kind}, {path}, status {status}: {said[-800:]}"]


def test_a_file_without_permission_is_named(reference: Reference, server: Server, injected: Counter[str]) -> None:
    """By a job of another user: root may read everything."""
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        copy = Path(shutil.copytree(reference.folder, Path(base) / "run", symlinks=True))
        for entry in (copy, *copy.rglob("*")):
            if entry.exists():
                entry.chmod(0o777 if entry.is_dir() else 0o666)
        faults = []
        for path, job in artifacts(reference):
            (copy / path).chmod(0o000)
            faults += not_named(server, job, path, copy, user=NOBODY)
            (copy / path).chmod(0o666)
            restore(job.outputs, reference, copy)
            injected["artifacts that cannot be read"] += 1
        assert not faults, "\n".join(faults)


def test_a_folder_that_cannot_be_written_is_named(reference: Reference, server: Server, injected: Counter[str]) -> None:
    with tempfile.TemporaryDirectory() as base:
        Path(base).chmod(0o755)
        copy = Path(shutil.copytree(reference.folder, Path(base) / "run", symlinks=True))
        faults = []
        for job in reference.of_each_kind:
            remove_outputs(job, copy)
            status, said = server.run(job.arguments, copy, user=NOBODY)
            told = re.match(r"error: (results|work)/\S+: .*(Permission denied|unable to open|readonly)", last(said))
            if status != 1 or not told or "Traceback" in said:
                faults.append((job.kind, status, said[-800:]))
            restore(job.outputs, reference, copy)
            injected["folders that cannot be written"] += 1
        assert not faults, "\n".join(map(str, faults))
