"""Copies of work: an empty machine goes on from them, they follow the files, and a storage that fails costs no work."""

import logging
import os
import shutil
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage import store as store_module
from discourse_nmt.base.storage.remote import KEPT_IN, KeptFiles, RemoteCopies
from discourse_nmt.base.storage.store import DocumentStore


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the copies; the working directory is an empty one."""
    folder = tmp_path / "remote"
    monkeypatch.setenv(KEPT_IN, str(folder))
    (tmp_path / "machine").mkdir()
    monkeypatch.chdir(tmp_path / "machine")
    return folder


WORK = Path("work", "run", "checkpoints")


def files(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()
    }


def write(**texts: str) -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (WORK / name).write_text(text, encoding="utf-8")


def test_an_empty_machine_gets_what_another_one_sent(remote: Path) -> None:
    write(one="1", two="2")
    KeptFiles(WORK).send()
    sent = files(Path())
    assert files(remote) == sent
    shutil.rmtree("work")
    KeptFiles(WORK).fetch()
    assert files(Path()) == sent


def test_copies_follow_the_files_and_only_changes_are_sent(remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, str]] = []

    def record(name: str) -> None:
        original = getattr(RemoteCopies, name)

        def recorded(self: RemoteCopies, path: Path) -> None:
            calls.append((name, path.name))
            original(self, path)

        monkeypatch.setattr(RemoteCopies, name, recorded)

    record("send")
    record("remove")
    kept = KeptFiles(WORK)
    kept.fetch()
    write(**{"1.json": "names 1.tensors", "1.tensors": "t"})
    kept.send()
    assert calls == [("send", "1.tensors"), ("send", "1.json")]
    write(**{"2.json": "names 2.tensors", "2.tensors": "u", ".2.tensors.sha256": "seal"})
    for name in ("1.json", "1.tensors"):
        (WORK / name).unlink()
    calls.clear()
    kept.send()
    assert calls == [("send", "2.tensors"), ("send", "2.json"), ("remove", "1.json"), ("remove", "1.tensors")]
    assert set(files(remote)) == {str(WORK / "2.json"), str(WORK / "2.tensors")}
    (WORK / "2.json").write_text("names 2.tensors again", encoding="utf-8")
    calls.clear()
    kept.send()
    kept.send()
    assert calls == [("send", "2.json")]


def test_a_file_that_is_here_is_not_replaced(remote: Path) -> None:
    write(one="old")
    KeptFiles(WORK).send()
    write(one="new")
    KeptFiles(WORK).fetch()
    assert (WORK / "one").read_text() == "new"


def test_a_storage_that_fails_while_work_goes_on_is_a_warning(remote: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = KeptFiles(WORK)
    write(one="1")
    remote.rmdir()
    remote.write_text("no folder")
    with caplog.at_level(logging.WARNING):
        kept.send()
    assert len(caplog.messages) == 1 and "work is not kept there for now" in caplog.messages[0]
    remote.unlink()
    kept.send()
    assert files(remote) == {str(WORK / "one"): "1"}


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/dev/null/x", "nothing can be kept there"),
        ("nothing://x/y", "Protocol not known"),
        ("dropbox://folder/x", r"pip install --editable '\.\[storage\]'"),
    ],
)
def test_an_address_that_does_not_serve_is_one_line_before_any_work(
    address: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEPT_IN, address)
    with pytest.raises(InputError, match=message) as error:
        KeptFiles(WORK)
    assert str(error.value).startswith(address) and "\n" not in str(error.value)


def test_without_the_variable_nothing_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEPT_IN, raising=False)
    monkeypatch.chdir(tmp_path)
    kept = KeptFiles(WORK)
    kept.fetch()
    write(one="1")
    kept.send()
    assert set(files(tmp_path)) == {str(WORK / "one")}


def test_a_document_store_continues_on_an_empty_machine(remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path("work", "run", "0.sqlite")
    with DocumentStore(path) as store:
        store.put({"one": [1]})
    shutil.rmtree("work")
    with DocumentStore(path) as store:
        assert store.get("one") == [1]
        monkeypatch.setattr(store_module, "MINUTES", 0)
        store.put({"two": [2]})
        # As if the machine were lost here.
        shutil.copytree("work", "lost")
        os.rename("work", "gone")  # noqa: PTH104
        with DocumentStore(path) as other:
            assert other.get("two") == [2]
        shutil.rmtree("work")
        os.rename("gone", "work")  # noqa: PTH104
