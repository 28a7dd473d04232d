"""Artifacts, checkpoints and stores are damaged: whoever reads them says so in one line, or does without them."""

import random
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from discourse_nmt.base.storage.files import seal
from tests.faults.conftest import Reference
from tests.faults.damage import DAMAGES, flip_a_bit, take_seal_off
from tests.faults.identical import differences
from tests.faults.runs import TARGETS, Job, snakemake
from tests.forks.client import Server

EXPERIMENT = r"(?<=experiments/)\w+"


@pytest.fixture
def copy(reference: Reference, tmp_path: Path) -> Path:
    """A copy of the unbroken run that a test may damage."""
    return Path(shutil.copytree(reference.folder, tmp_path / "run", symlinks=True))


def artifacts(reference: Reference) -> Iterator[tuple[str, Job]]:
    """An artifact of each kind that a job reads, with the fastest such job."""
    found: dict[str, tuple[str, Job]] = {}
    for job in sorted(reference.jobs, key=lambda job: job.seconds):
        for path in job.inputs:
            if job.kind == "record_provenance" and "/generated/" in path:
                continue  # data may be gone: it is recorded so
            kind = re.sub(rf"\b(train|dev|test)\b|{EXPERIMENT}", "*", path)
            found.setdefault(kind, (path, job))
    yield from found.values()


def remove_outputs(job: Job, folder: Path) -> None:
    """As Snakemake does before a job."""
    for path in job.outputs:
        (folder / path).unlink(missing_ok=True)


def restore(paths: Iterable[str], reference: Reference, folder: Path) -> None:
    """Put results and their seals back."""
    for path in paths:
        for name in (path, str(seal(path))):
            (folder / name).unlink(missing_ok=True)
            if (reference.folder / name).exists():
                shutil.copy2(reference.folder / name, folder / name)


def test_every_damaged_artifact_is_named_by_who_reads_it(
    reference: Reference, server: Server, copy: Path, injected: Counter[str]
) -> None:
    draw = random.Random(4)
    faults = []
    for path, job in artifacts(reference):
        for name, damage in DAMAGES.items():
            damage(copy / path, draw)
            remove_outputs(job, copy)
            status, said = server.run(job.arguments, copy)
            told = re.fullmatch(rf"error: {re.escape(path)}: damaged: .*; delete it and run again.*", last(said))
            made = any((copy / output).exists() for output in job.outputs)
            if status != 1 or not told or "Traceback" in said or made:
                faults.append((path, name, job.kind, status, said[-800:]))
            restore([path, *job.outputs], reference, copy)
            injected[f"artifacts {name}"] += 1
    assert not faults, "\n".join(map(str, faults))


def last(said: str) -> str:
    """The last line of what a job has said."""
    return (said.splitlines() or [""])[-1]


def test_a_damaged_artifact_without_a_seal_is_never_a_crash(
    reference: Reference, server: Server, copy: Path, injected: Counter[str]
) -> None:
    """A file that has lost its seal has the checks of its own format alone."""
    draw = random.Random(5)
    faults = []
    for path, job in artifacts(reference):
        for name, damage in DAMAGES.items():
            damage(copy / path, draw)
            take_seal_off(copy / path)
            remove_outputs(job, copy)
            status, said = server.run(job.arguments, copy)
            if status and (status != 1 or not last(said).startswith("error: ") or "Traceback" in said):
                faults.append((path, name, job.kind, status, said[-800:]))
            restore([path, *job.outputs], reference, copy)
            injected["artifacts without a seal damaged"] += 1
    assert not faults, "\n".join(map(str, faults))


def test_a_damaged_document_store_is_begun_anew(
    reference: Reference, server: Server, copy: Path, injected: Counter[str]
) -> None:
    draw = random.Random(6)
    for job in [job for job in reference.of_each_kind if job.stores]:
        for name, damage in DAMAGES.items():
            for path in job.stores:
                damage(copy / path, draw)
            remove_outputs(job, copy)
            status, said = server.run(job.arguments, copy)
            assert status == 0, (job.kind, name, said)
            assert not differences(reference.folder, copy, job.outputs), (job.kind, name)
            injected["document stores damaged"] += 1


ALL_DAMAGED = r"error: \S+: every checkpoint is damaged; delete (\S+) to start over"


def stopped_training(reference: Reference, server: Server, folder: Path) -> Job:
    """A training that was killed after its fourth checkpoint; its work folder has two and the evaluated weights."""
    job = max((job for job in reference.jobs if job.kind == "train"), key=lambda job: len(job.events))
    checkpoints = [
        number
        for number, (event, path) in enumerate(job.events)
        if event == "os.rename" and re.search(r"/checkpoints/update-\d+\.json$", path)
    ]
    shutil.rmtree(folder / "work", ignore_errors=True)
    remove_outputs(job, folder)
    status, _ = server.run(job.arguments, folder, event=checkpoints[3] + 3)
    assert status < 0
    return job


def test_a_damaged_checkpoint_is_done_without(
    reference: Reference, server: Server, copy: Path, injected: Counter[str]
) -> None:
    draw = random.Random(7)
    job = stopped_training(reference, server, copy)
    shutil.copytree(copy / "work", copy / "stopped")
    files = [path.relative_to(copy / "work") for path in (copy / "work").rglob("*") if path.is_file()]
    kept = [path for path in files if not path.name.startswith(".") and path.parent.name in ("checkpoints", "weights")]
    assert {path.suffix for path in kept} == {".json", ".safetensors"} and len(kept) >= 5
    for path in kept:
        for name, damage in DAMAGES.items():
            shutil.rmtree(copy / "work")
            shutil.copytree(copy / "stopped", copy / "work")
            damage(copy / "work" / path, draw)
            remove_outputs(job, copy)
            status, said = server.run(job.arguments, copy)
            if path.parent.name == "weights" and status == 1:  # both checkpoints may name these weights
                assert re.fullmatch(ALL_DAMAGED, last(said)), said
            else:
                assert status == 0, (path, name, said)
                assert not differences(reference.folder, copy, job.outputs), (path, name, said)
            injected["checkpoints damaged"] += 1


def test_where_all_checkpoints_are_damaged_the_error_says_what_to_delete(
    reference: Reference, server: Server, copy: Path, injected: Counter[str]
) -> None:
    job = stopped_training(reference, server, copy)
    for path in list((copy / "work").rglob("checkpoints/*.safetensors")):
        flip_a_bit(path, random.Random(8))
    status, said = server.run(job.arguments, copy)
    assert status == 1
    found = re.fullmatch(ALL_DAMAGED, last(said))
    assert found, said
    shutil.rmtree(copy / found[1])
    status, said = server.run(job.arguments, copy)
    assert status == 0, said
    assert not differences(reference.folder, copy, job.outputs)
    injected["checkpoints damaged"] += 2


def test_the_workflow_stops_at_a_damaged_file_and_goes_on_without_it(
    reference: Reference, server: Server, copy: Path, injected: Counter[str]
) -> None:
    path = "results/small/demo/dataset/test.arrow"
    flip_a_bit(copy / path, random.Random(9))
    for made in ("translations/test.parquet", "scores/test.tsv"):  # drafts of other splits are read no more
        for one in copy.glob(f"results/small/demo/experiments/*/seed1/{made}"):
            one.unlink()
    for name in ("scores.tsv", "scores.md", "report.html", "provenance.json"):
        (copy / "results/small" / name).unlink()
    stopped = snakemake(copy, server, "--", *TARGETS)
    assert stopped.returncode != 0
    assert re.search(rf"^ *error: {path}: damaged: ", stopped.stdout, re.MULTILINE), stopped.stdout
    assert "Traceback" not in stopped.stdout
    (copy / path).unlink()
    done = snakemake(copy, server, "--", *TARGETS)
    assert done.returncode == 0, done.stdout
    assert not differences(reference.folder, copy)
    injected["artifacts with a flipped bit"] += 1
