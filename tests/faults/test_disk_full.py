"""The disk is full: a job says so in one line, leaves nothing half written, and a later run has the same results."""

import os
import random
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.conftest import Reference
from tests.faults.identical import difference, differences
from tests.faults.runs import TARGETS, TEXT, Job, snakemake
from tests.faults.test_damage import last
from tests.forks.client import Server

BLOCK = 4096
FULL = r"(No space left on device|disk is full)"  # SQLite has its own words
PER_KIND = 2


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own, of 64 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if os.geteuid() != 0 or mount("-t", "tmpfs", "-o", f"size={64 << 20}", "tmpfs", str(folder)):
        pytest.skip("a small file system can be mounted by root alone, where the machine allows it")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def mount(*arguments: str) -> int:
    return subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode


def free(folder: Path) -> int:
    state = os.statvfs(folder)
    return state.f_bavail * state.f_frsize


def needed(job: Job, folder: Path) -> int:
    """Bytes of its largest output, in whole blocks."""
    return max(-(-(folder / path).stat().st_size // BLOCK) * BLOCK for path in job.outputs)


def test_every_kind_of_job_says_that_the_disk_is_full(
    reference: Reference, server: Server, disk: Path, injected: Counter[str]
) -> None:
    draw = random.Random(10)
    faults = []
    folder, ballast = disk / "run", disk / "ballast"
    shutil.copytree(reference.folder, folder, symlinks=True, ignore=shutil.ignore_patterns(".snakemake"))
    for job in reference.of_each_kind:
        for _ in range(PER_KIND):
            shutil.rmtree(folder / "work", ignore_errors=True)
            for path in job.outputs:
                (folder / path).unlink()
            left = draw.randrange(0, needed(job, reference.folder), BLOCK)
            ballast.write_bytes(bytes(free(disk) - left))
            status, said = server.run(job.arguments, folder)
            told = re.fullmatch(rf"error: (results|work)/\S+: .*{FULL}.*", last(said))
            if status != 1 or not told or "Traceback" in said:
                faults.append((job.kind, left, status, said[-800:]))
            for path in job.outputs:
                assert not (folder / path).exists() or not difference(reference.folder, folder, path), (job.kind, left)
            ballast.unlink()
            status, said = server.run(job.arguments, folder)
            assert status == 0, (job.kind, said)
            assert not differences(reference.folder, folder, job.outputs), job.kind
            injected["disks full, for one job"] += 1
    assert not faults, "\n".join(map(str, faults))


def test_a_workflow_on_a_full_disk_goes_on_when_there_is_room(
    reference: Reference, server: Server, disk: Path, injected: Counter[str]
) -> None:
    folder = disk / "run"
    folder.mkdir()
    (folder / "letter.txt").write_text(TEXT, encoding="utf-8")
    for mebibytes in (2, 5):
        assert not mount("-o", f"remount,size={mebibytes << 20}", str(disk))
        stopped = snakemake(folder, server, "--", *TARGETS)
        assert stopped.returncode != 0
        assert re.search(FULL, stopped.stdout), stopped.stdout
        injected["disks full, for a workflow"] += 1
        assert not mount("-o", f"remount,size={64 << 20}", str(disk))
        snakemake(folder, server, "--unlock", "--", *TARGETS)
    done = snakemake(folder, server, "--", *TARGETS)
    assert done.returncode == 0, done.stdout
    assert not differences(reference.folder, folder)
