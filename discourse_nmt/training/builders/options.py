"""Common parts of the builders of all kinds of structure files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.split_files import Shards

Conversion = Literal["li14", "hirao13"]


@dataclass(frozen=True)
class BuilderOptions:
    """Options of builders; a kind of structure says which of them its builder reads."""

    conversion: Conversion = "li14"
    """Rule that makes dependencies of trees: of Li et al. 2014 or Hirao et al. 2013."""
    debinarise: bool = False
    """Whether chains of one multinuclear relation are first merged into one node."""
    language: str = ""
    """Language of the source side."""


class Builder(Protocol):
    """The function of a kind that builds its file."""

    def __call__(self, dataset: ParallelDataset, shards: Shards, path: Path, options: BuilderOptions, /) -> None:
        """Write the file ``path`` beside ``dataset`` from ``shards``, the tables that the kind is made of.

        Raises :class:`.InputError`, naming the document, where the tables are not about the dataset's sentences.
        """
        ...
