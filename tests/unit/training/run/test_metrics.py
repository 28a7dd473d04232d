"""Metrics of a run on disk."""

import errno
from pathlib import Path
from typing import Any

import pytest
from torch.utils.tensorboard import SummaryWriter

from discourse_nmt.training.run.metrics import Metrics


def no_space(*_: Any, **__: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("call", ["__init__", "flush", "add_scalar", "close"])
def test_a_full_disk_names_the_folder_of_the_curves(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SummaryWriter, call, no_space)
    with pytest.raises(OSError, match="No space left on device") as raised:
        Metrics(tmp_path, [{"update": 1, "epoch": 0.5}]).close()
    assert raised.value.filename == str(tmp_path / "tensorboard")
