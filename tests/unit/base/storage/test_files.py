"""Files that stages exchange: written whole or not at all, and sealed, so that a changed byte is an error."""

import hashlib
import json
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import (
    read_json,
    read_text,
    replacing,
    seal,
    sweep,
    verified,
    write_json,
    write_text,
)
from discourse_nmt.base.storage.tables import TABLES, read_table, write_table
from discourse_nmt.training.checkpoints.model_files import read_tensors, write_tensors
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import SCHEMA, ParallelDataset


def write_pairs(path: Path) -> None:
    row = {"doc_id": "d", "sent_id": 0, **{field.name: [7, 8, 9] for field in list(SCHEMA)[2:]}}
    table = pa.Table.from_pylist([row], schema=SCHEMA)
    with replacing(path) as temporary:
        metadata = {"largest_source_id": "9", "largest_target_id": "9"}
        write_rows(table.replace_schema_metadata(metadata), temporary)


def write_sentences(path: Path) -> None:
    frame = pd.DataFrame([("d", 0, "He came.", "Er kam.")], columns=list(TABLES["sentences"])[:4])
    write_table(frame, path, "sentences")


# A writer and the reader of each kind of file.
KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], object]]] = {
    "text": (lambda path: write_text("a number: 17\n", path), read_text),
    "json": (lambda path: write_json({"number": 17}, path), read_json),
    "parquet": (write_sentences, lambda path: read_table(path, "sentences")),
    "arrow": (write_pairs, ParallelDataset),
    "safetensors": (lambda path: write_tensors({"a": torch.ones(3)}, path), read_tensors),
}


@pytest.fixture(params=KINDS)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Callable[[Path], object]]:
    write, read = KINDS[request.param]
    write(tmp_path / "file")
    read(tmp_path / "file")
    return tmp_path / "file", read


def test_every_changed_byte_is_an_error_that_names_the_file(written: tuple[Path, Callable[[Path], object]]) -> None:
    path, read = written
    content = path.read_bytes()
    for place in range(0, len(content), max(1, len(content) // 40)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(InputError) as caught:
            read(path)
        assert str(caught.value).startswith(f"{path}: damaged") and "delete it and run again" in str(caught.value)


def test_a_file_that_was_changed_on_purpose_is_read_without_its_seal(
    written: tuple[Path, Callable[[Path], object]],
) -> None:
    path, read = written
    seal(path).unlink()
    read(path)


@pytest.mark.parametrize("instead", ["nothing", "a folder", "a link to nothing"])
def test_what_cannot_be_read_is_named(written: tuple[Path, Callable[[Path], object]], instead: str) -> None:
    path, read = written
    path.unlink()
    if instead == "a folder":
        path.mkdir()
    elif instead == "a link to nothing":
        path.symlink_to("absent")
    with pytest.raises(InputError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: cannot be read (")


def test_the_seal_is_what_sha256sum_reads(tmp_path: Path) -> None:
    write_text("content\n", tmp_path / "a file")
    assert seal(tmp_path / "a file").read_text().split()[0] == hashlib.sha256(b"content\n").hexdigest()
    checked = subprocess.run(["sha256sum", "--check", "--strict", seal(tmp_path / "a file").name], cwd=tmp_path)
    assert checked.returncode == 0


def test_a_file_written_again_has_a_new_seal(tmp_path: Path) -> None:
    for number in (1, 2):
        write_json(number, tmp_path / "file")
        assert read_json(tmp_path / "file") == number


def test_a_write_that_fails_leaves_the_former_file(tmp_path: Path) -> None:
    write_text("former", tmp_path / "file")
    with pytest.raises(RuntimeError), replacing(tmp_path / "file") as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert read_text(tmp_path / "file") == "former"
    assert sorted(tmp_path.iterdir()) == [seal(tmp_path / "file"), tmp_path / "file"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_names_the_file(kind: str, tmp_path: Path) -> None:
    """As far as a limit on the size of files is one: both are refused by the write itself."""
    write, _ = KINDS[kind]
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, allowed[1]))
    try:
        with pytest.raises(OSError) as caught:
            write(tmp_path / "file")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert (caught.value.filename, caught.value.strerror) == (str(tmp_path / "file"), "File too large")
    assert not list(tmp_path.iterdir())


def test_an_empty_seal_seals_nothing(tmp_path: Path) -> None:
    """A machine that fails may leave one: the seal is not forced to the disk."""
    (tmp_path / "file").write_text(json.dumps(1))
    seal(tmp_path / "file").touch()
    assert verified(tmp_path / "file") == tmp_path / "file"


def test_what_killed_processes_have_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    write_text("content", tmp_path / "file")
    kept = set(tmp_path.iterdir())
    (tmp_path / ".file.0123abcd").touch()
    (tmp_path / ".file.0123abcd.sha256").touch()
    sweep(tmp_path)
    assert set(tmp_path.iterdir()) == kept


def test_every_line_end_is_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one\r\ntwo\rthree\n")
    assert read_text(tmp_path / "file") == "one\ntwo\nthree\n"
