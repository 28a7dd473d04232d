"""The option ``--learn``: all systems, or those whose turn it is today."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

# Runs every week meet all groups, too, as 7 and 8 have no common divisor.
GROUPS = 8


def systems_of_turn(names: Sequence[str], day: int) -> list[str]:
    """The systems of a day, a number that grows by one each day; eight days in a row have all ``names``."""
    return list(names[day % GROUPS :: GROUPS])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--learn", choices=["all", "turn"], default="all", help="turn: those whose turn it is today")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--learn") == "all":
        return
    learning = [item for item in items if isinstance(item, pytest.Function) and "desk" in item.fixturenames]
    day = datetime.now(UTC).date().toordinal()
    chosen = systems_of_turn([item.name for item in learning], day)
    left = [item for item in learning if item.name not in chosen]
    items[:] = [item for item in items if item not in left]
    config.hook.pytest_deselected(items=left)
    reporter = config.pluginmanager.getplugin("terminalreporter")
    reporter.write_line(f"group {day % GROUPS + 1} of {GROUPS}: {', '.join(chosen)}")
