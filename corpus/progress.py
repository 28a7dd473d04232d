"""Progress of long work: items per second and the time left, on a terminal and in a log."""

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tqdm import tqdm

Item = TypeVar("Item")


def progress(items: Iterable[Item], title: str, unit: str, total: int | None = None) -> Iterator[Item]:
    """Yield ``items`` and show progress under ``title``: a live bar on a terminal, a line every ten seconds in a log.

    ``unit`` names the items, in the plural (``sentences``). ``total`` is their number where ``items`` has no length.
    """
    live = sys.stderr.isatty()
    yield from tqdm(
        items,
        desc=title,
        unit=f" {unit}",
        total=total,
        mininterval=0.2 if live else 10.0,
        dynamic_ncols=live,
        ascii=not live,
        file=sys.stderr,
    )
