"""Fixtures that all tests share."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Idle OpenMP threads must sleep, not spin: two test processes on two cores would otherwise stall each other.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The development corpora beside the checkout; tests that need them are skipped elsewhere."""
    folder = Path(os.environ.get("DISCOURSE_NMT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("development data absent: set DISCOURSE_NMT_DATA to the folder that holds parallel/")
    return folder


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fail-on-skip", action="store_true", help="a skipped test fails, for continuous integration")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and item.config.getoption("--fail-on-skip") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which continuous integration does not allow: {report.longrepr}"
    return report
