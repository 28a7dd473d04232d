"""Opening the structure file that a system reads beside its dataset.

A kind has a module of its own, found by name, so that a change of one kind re-trains no system that reads another.
"""

import importlib
from pathlib import Path
from typing import Any

from discourse_nmt.models.systems import STRUCTURES as TABLES
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.kinds import STRUCTURES


def open_structure(kind: str, path: Path | None, dataset: ParallelDataset) -> Any:
    """What the structure file holds for the rows of ``dataset``; None where the system reads none, or there is none.

    A kind that is made of no tables needs no file. Raises :class:`.InputError` where the file is another
    one or damaged.
    """
    if not kind or (path is None and TABLES[kind]):
        return None
    module, name = STRUCTURES[kind]
    return getattr(importlib.import_module(module), name)(path, dataset)
