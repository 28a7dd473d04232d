"""The other processes of a training start with the first one, and wait until it has found no fault in the inputs."""

import logging
import time
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.operation import nodes, others
from discourse_nmt.training.operation.others import OtherProcesses, others_needed

PROGRAM = """
import os, pathlib, sys
from discourse_nmt.training.operation.others import wait_for_first
folder = pathlib.Path(sys.argv[1], os.environ["LOCAL_RANK"])
folder.mkdir()
wait_for_first()
(folder / "went_on").touch()
sys.exit(int(sys.argv[2]))
"""


def started(folder: Path, monkeypatch: pytest.MonkeyPatch, status: int = 0) -> OtherProcesses:
    """Two processes besides this one, once both run."""
    (folder / "program_of_test.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{folder}:{Path.cwd()}")
    for name in ("LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT"):
        monkeypatch.setenv(name, "")  # so that it is as before after the test
    processes = OtherProcesses(2, "program_of_test", [str(folder), str(status)])
    while not all((folder / name).exists() for name in ("1", "2")):
        assert [process.poll() for process in processes.processes] == [None, None]
        time.sleep(0.01)
    return processes


def test_the_others_wait_for_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = started(tmp_path, monkeypatch)
    assert not list(tmp_path.glob("*/went_on"))
    processes.release()
    assert [process.wait() for process in processes.processes] == [0, 0]
    assert len(list(tmp_path.glob("*/went_on"))) == 2


def test_the_others_end_without_a_word_where_the_first_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    processes = started(tmp_path, monkeypatch)
    for process in processes.processes:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait() == 1
    assert not list(tmp_path.glob("*/went_on"))
    assert capfd.readouterr() == ("", "")


def test_one_that_has_ended_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = started(tmp_path, monkeypatch)
    processes.processes[1].kill()
    processes.processes[1].wait()
    with pytest.raises(InputError, match=r"^process 2 of the training has ended \(status -9\)$"):
        processes.release()
    processes.processes[0].wait()


def test_the_first_ends_after_one_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(others.os, "_exit", ended.append)
    monkeypatch.setattr(others, "SECONDS_TO_END", 0)
    processes = started(tmp_path, monkeypatch, status=3)
    processes.release()
    while len(ended) < 2:
        time.sleep(0.01)
    assert ended == [1, 1]


@pytest.mark.parametrize(
    ("device", "gpu", "rank", "needed"),
    [
        ("auto", False, None, 3),
        ("auto", True, None, 0),
        ("cpu", True, None, 3),
        ("cuda", True, None, 3),
        ("cpu", False, "1", 0),
    ],
)
def test_who_starts_the_others(
    device: str, gpu: bool, rank: str | None, needed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without torch no one knows whether a file of a GPU means one; a process that was started starts none."""
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    if rank is not None:
        monkeypatch.setenv("LOCAL_RANK", rank)
    monkeypatch.setattr(others, "GPU_FILES", (str(tmp_path if gpu else tmp_path / "none"),))
    assert others_needed(device, 4) == needed


def test_a_node_that_leaves_last_prints_no_trace(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Torchrun tells with a trace that the first node has closed its store; nothing is wrong then."""

    def leave(*_: str) -> None:
        try:
            raise ConnectionError("Failed to recv, got 0 bytes")
        except ConnectionError:
            logging.getLogger("torch.distributed.elastic.agent.server.api").exception("Error waiting on exit barrier")

    monkeypatch.setenv("JOB_COMPLETION_INDEX", "1")
    monkeypatch.setattr(nodes, "elastic_launch", lambda configuration, program: leave)
    try:
        with pytest.raises(SystemExit) as end:
            nodes.start_on_nodes("module", [], nodes=2, processes=1, threads=1, rendezvous="first:29400")
    finally:
        logging.disable(logging.NOTSET)
    assert (end.value.code, caplog.records) == (0, [])
