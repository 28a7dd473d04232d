"""A run in remote storage tells its jobs where work is kept, with the credentials of the storage."""

import logging
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.remote import KEPT_IN
from discourse_nmt.workflow.remote_storage import keep_work, linking


def provider(copies: Path | None = None, **settings: Any) -> SimpleNamespace:
    """A storage provider with ``settings``, whose local copies are in a folder."""
    of_query = SimpleNamespace(local_path=lambda: (copies or Path("copies")) / "name")
    return SimpleNamespace(settings=SimpleNamespace(**settings), object=lambda query: of_query)


def test_jobs_get_the_address_and_the_credentials() -> None:
    environment = {"AWS_DEFAULT_REGION": "own"}
    settings: dict[str, Any] = {
        "endpoint_url": "http://s3",
        "region": "r",
        "access_key": "a",
        "secret_key": "s",
        "token": None,
    }
    keep_work("s3://bucket/run", provider(**settings), environment, check=False)
    assert environment == {
        KEPT_IN: "s3://bucket/run",
        "AWS_ENDPOINT_URL": "http://s3",
        "AWS_DEFAULT_REGION": "own",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "s",
    }


def test_without_storage_there_is_nothing_to_say() -> None:
    environment: dict[str, str] = {}
    keep_work(None, None, environment, check=True)
    assert (environment, linking(None, None, Path("results"))) == ({}, "")


def test_another_address_takes_precedence_and_is_checked() -> None:
    environment = {KEPT_IN: "/dev/null/x"}
    keep_work("s3://bucket/run", provider(), environment, check=False)
    assert environment == {KEPT_IN: "/dev/null/x"}
    with pytest.raises(InputError, match="nothing can be kept there"):
        keep_work("s3://bucket/run", provider(), environment, check=True)


def test_storage_that_cannot_keep_work_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    environment: dict[str, str] = {}
    with caplog.at_level(logging.WARNING):
        keep_work("irods://zone/run", provider(), environment, check=True)
    assert environment == {} and "work is not kept in irods://zone/run" in caplog.text


def test_copies_are_linked_to_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = linking("s3://bucket/run", provider(Path("a b/run")), Path("results"))
    shell = ["bash", "-euo", "pipefail", "-c", f"{commands} true"]
    subprocess.run(shell, check=True)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a b" / "run" / "results").mkdir(parents=True)
    for name in ("results/one", "letter", "here"):
        (tmp_path / "a b" / "run" / name).write_text("copy", encoding="utf-8")
    (tmp_path / "here").write_text("own", encoding="utf-8")
    for _ in range(2):
        subprocess.run(shell, check=True)
    assert [Path(name).read_text() for name in ("results/one", "letter", "here")] == ["copy", "copy", "own"]


def test_results_of_a_run_without_storage_are_not_mixed_in(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a folder of a run without remote storage"):
        linking("s3://bucket/run", provider(), tmp_path)
