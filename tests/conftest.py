"""Fixtures that all tests share."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA_FOLDERS = ("contrastive", "parallel", "theme_rheme", "treebanks")

# Idle OpenMP threads must sleep, not spin: two test processes on two cores would otherwise stall each other.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The development corpora beside the checkout; tests that need them are skipped elsewhere."""
    folder = Path(os.environ.get("DISCOURSE_NMT_DATA", ROOT.parent / "shared" / "data"))
    if missing := [name for name in DATA_FOLDERS if not (folder / name).is_dir()]:
        pytest.skip(f"development data absent: set DISCOURSE_NMT_DATA to a folder that holds {', '.join(missing)}")
    return folder


@pytest.fixture(scope="session")
def specification(shared_data: Path) -> Path:
    """The specifications of the papers' systems beside the development corpora."""
    folder = shared_data.parent / "spec"
    if not folder.is_dir():
        pytest.skip("specifications of the papers absent: spec/ beside the development data")
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
