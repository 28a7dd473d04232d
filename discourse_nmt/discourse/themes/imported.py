"""Settings of a corpus of labelled words, ``labellers.NAME.imported`` in the configuration."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import required, setting
from discourse_nmt.discourse.themes.ctrd import LABELS


@dataclass(frozen=True)
class ImportedWords:
    """A corpus of labelled words; its documents are sorted by file name."""

    format: Literal["ctrd"] = required("format of the files")
    files: list[str] = required("files of the corpus, archive members (archive::member) too")
    test: int = setting(45, "number of documents of the test split, the last ones", minimum=1)
    dev: int = setting(45, "number of documents of the development split, those before them", minimum=1)
    omitted: bool = setting(False, "give rhemes of clauses without a topical theme a label of their own")
    where: str = setting("", "source of the files, shown when one is missing")

    def __post_init__(self) -> None:
        if not self.files:
            raise InputError("files is empty", remedy="name the files of the corpus")

    @property
    def labels(self) -> list[str]:
        """The possible labels of its words."""
        return sorted(label for kind, label in LABELS.items() if kind != "OMN" or self.omitted)
