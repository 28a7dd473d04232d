"""Progress of long work in a log, which jobs that run beside each other share."""

import logging
import sys

import pytest

from discourse_nmt.base.progress import counted, progress, quiet


class _Stream:
    """Standard error that remembers each write by itself."""

    encoding = "utf-8"

    def __init__(self, terminal: bool = False) -> None:
        self.writes: list[str] = []
        self.terminal = terminal

    def write(self, text: str) -> int:
        self.writes.append(text)
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return self.terminal


def test_each_write_to_a_log_is_one_whole_line_so_that_another_jobs_error_starts_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = _Stream()
    monkeypatch.setattr(sys, "stderr", log)
    assert list(progress(["a", "b"], "read", "files")) == ["a", "b"]
    with counted("count", "words", 4) as done:
        done(3)
    assert log.writes
    for text in log.writes:
        assert text.endswith("\n") and text.count("\n") == 1 and "\r" not in text, text
    assert log.writes[0].startswith("read:   0%") and "0/2" in log.writes[0]
    assert log.writes[-1].startswith("count:  75%") and "3/4" in log.writes[-1]


def test_work_that_fails_leaves_no_open_line(monkeypatch: pytest.MonkeyPatch) -> None:
    log = _Stream()
    monkeypatch.setattr(sys, "stderr", log)
    with pytest.raises(ValueError), counted("count", "words", 4):
        raise ValueError
    assert "".join(log.writes).endswith("\n")


def test_a_terminal_gets_a_live_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Stream(terminal=True)
    monkeypatch.setattr(sys, "stderr", terminal)
    list(progress(["a", "b"], "read", "files"))
    assert any(text.startswith("\r") for text in terminal.writes)


@pytest.mark.parametrize("name", [None, "discourse_nmt.example"])
def test_quiet_work_says_warnings_alone_whoever_says_them(name: str | None, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with quiet():
        logging.getLogger(name).info("a stage")
        logging.getLogger(name).warning("a fault")
    logging.getLogger(name).info("a request")
    assert [record.getMessage() for record in caplog.records] == ["a fault", "a request"]
