"""Files that are taken over are whole, and have seals of their own."""

import sys
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text, seal, write_text
from discourse_nmt.workflow_scripts.corpus import take_over


def taken(monkeypatch: pytest.MonkeyPatch, files: list[Path], output: list[Path]) -> None:
    words = ["--files", *map(str, files), "--output", *map(str, output)]
    monkeypatch.setattr(sys, "argv", ["take_over", *words])
    take_over.main()


def test_files_are_copied_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [tmp_path / "model", tmp_path / "metrics"]
    for path in files:
        write_text(path.name, path)
    copies = [tmp_path / "other" / name for name in ("a", "b")]
    taken(monkeypatch, files, copies)
    assert [read_text(path) for path in copies] == ["model", "metrics"]
    assert all(seal(path).is_file() for path in copies)


def test_a_damaged_file_and_unequal_lists_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_text("whole", tmp_path / "a")
    (tmp_path / "a").write_text("broken", encoding="utf-8")
    with pytest.raises(InputError, match="damaged"):
        taken(monkeypatch, [tmp_path / "a"], [tmp_path / "b"])
    assert not (tmp_path / "b").exists()
    with pytest.raises(InputError, match="1 files and 2 outputs; name an output for each file"):
        taken(monkeypatch, [tmp_path / "a"], [tmp_path / "b", tmp_path / "c"])
