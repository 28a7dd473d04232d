"""Metrics of a run on disk."""

import errno
import threading
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.training.checkpoints.work import MetricsRow
from discourse_nmt.training.operation.metrics import COLUMNS, Metrics

FULL = Path("/dev/full")  # each write fails as on a full disk
ROW: MetricsRow = {"update": 1, "epoch": 0.5}


def full_disk(path: Path, _mode: str) -> object:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_is_full_at_the_start_names_the_folder_of_the_curves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "open", full_disk)
    with pytest.raises(OSError, match="No space left on device") as raised:
        Metrics(tmp_path, [ROW])
    assert raised.value.filename == str(tmp_path / "tensorboard")


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has /dev/full")
def test_a_disk_that_fills_names_the_folder_of_the_curves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: Any = Path.open
    curves = []

    def open_full(path: Path, *arguments: str, **named: Any) -> Any:
        if path.parent.name != "tensorboard":
            return opened(path, *arguments, **named)
        curves.append(opened(FULL, *arguments, **named))
        return curves[-1]

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(OSError, match="No space left on device") as raised:
        Metrics(tmp_path, [ROW])
    assert raised.value.filename == str(tmp_path / "tensorboard")
    assert [file.closed for file in curves] == [True]


def test_no_thread_writes_the_curves(tmp_path: Path) -> None:
    """A thread that meets a full disk prints a traceback beside the command's line."""
    before = threading.active_count()
    Metrics(tmp_path, [ROW])
    assert threading.active_count() == before


def test_a_row_has_the_columns_that_are_described() -> None:
    assert MetricsRow.__annotations__.keys() == COLUMNS.keys()
