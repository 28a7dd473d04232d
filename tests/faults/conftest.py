"""The unbroken run that all faults are compared with, and the count of faults at the end."""

from collections import Counter
from pathlib import Path

import pytest

from tests.faults.runs import TARGETS, Job, new_folder, read_jobs, snakemake
from tests.forks.client import Server, running_server

INJECTED: Counter[str] = Counter()


class Reference:
    """The unbroken run: its working directory and its jobs."""

    def __init__(self, folder: Path, jobs: list[Job]) -> None:
        self.folder, self.jobs = folder, jobs

    @property
    def of_each_kind(self) -> list[Job]:
        """The longest job of each kind."""
        longest = {job.kind: job for job in sorted(self.jobs, key=lambda job: job.seconds)}
        return [longest[kind] for kind in sorted(longest)]


@pytest.fixture(scope="session")
def server() -> Server:
    return running_server()


@pytest.fixture(scope="session")
def reference(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    parent = tmp_path_factory.mktemp("unbroken")
    folder, recorded = new_folder(parent, "run"), parent / "jobs"
    recorded.mkdir()
    done = snakemake(folder, server, "--", *TARGETS, record=str(recorded))
    assert done.returncode == 0, done.stdout
    jobs = read_jobs(recorded)
    assert len(jobs) >= 100, "the workflow's jobs did not ask the server"
    return Reference(folder, jobs)


@pytest.fixture
def injected() -> Counter[str]:
    """Faults by what they are; a test counts those that it has injected and whose outcome was right."""
    return INJECTED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lost = terminalreporter.stats.get("failed", []) + terminalreporter.stats.get("error", [])
    terminalreporter.section("faults injected")
    for name, count in sorted(INJECTED.items()):
        terminalreporter.write_line(f"{count:6,}  {name}")
    verdict = "nothing was lost" if not lost else f"NOT ALL IS WELL: {len(lost)} tests have failed"
    terminalreporter.write_line(f"{sum(INJECTED.values()):6,}  faults: {verdict}")
