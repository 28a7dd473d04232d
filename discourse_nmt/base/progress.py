"""Progress of long work: items per second and the time left, on a terminal and in a log."""

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO, TypeVar

from tqdm import tqdm

Item = TypeVar("Item")
_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


def _said(record: logging.LogRecord) -> bool:
    return record.levelno > logging.INFO or not _quiet.get()


@contextmanager
def quiet() -> Iterator[None]:
    """Show no progress within, and no message but warnings: those of a part of work whose whole is shown."""
    for handler in logging.getLogger().handlers:  # a filter of the root logger would miss the records of others
        handler.addFilter(_said)  # it is added once
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


def progress(items: Iterable[Item], title: str, unit: str, total: int | None = None) -> Iterator[Item]:
    """Yield ``items`` and show progress under ``title``: a live bar on a terminal, a line every ten seconds in a log.

    ``unit`` names the items, in the plural (``sentences``). ``total`` is their number where ``items`` has no length.
    """
    yield from _bar(title, unit, total, items)


@contextmanager
def counted(title: str, unit: str, total: int) -> Iterator[Callable[[int], object]]:
    """The same for items that are done in steps: yields the function that is called with the number of items done."""
    with _bar(title, unit, total, None) as bar:
        yield bar.update


class _Lines:
    """A log that gets whole lines, each in one write: jobs that share it never continue each other's lines."""

    def __init__(self, log: TextIO) -> None:
        self.log = log

    def write(self, text: str) -> None:
        if line := text.strip():
            self.log.write(f"{line}\n")

    def flush(self) -> None:
        self.log.flush()


def _bar(title: str, unit: str, total: int | None, items: Iterable[Item] | None) -> tqdm:
    live = sys.stderr.isatty()
    return tqdm(
        items,
        desc=title,
        unit=f" {unit}",
        total=total,
        mininterval=0.2 if live else 10.0,
        dynamic_ncols=live,
        ascii=not live,
        file=sys.stderr if live else _Lines(sys.stderr),
        disable=_quiet.get(),
    )
