"""The number of inputs, and their count by reader at the end."""

import pytest

COUNTS: dict[str, tuple[int, int]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--inputs", type=int, default=2000, help="damaged files for each reader")


@pytest.fixture
def counts() -> dict[str, tuple[int, int]]:
    """How many inputs each reader read and refused."""
    return COUNTS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not COUNTS:
        return
    terminalreporter.section("inputs by reader: read, refused")
    for name, (read, refused) in COUNTS.items():
        terminalreporter.write_line(f"{name:32}{read:10,}{refused:10,}")
    total = sum(map(sum, COUNTS.values()))
    terminalreporter.write_line(f"{len(COUNTS)} readers, {total:,} inputs")
