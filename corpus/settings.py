"""The settings of a corpus, as they stand under ``corpora.NAME`` in the configuration."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from corpus.errors import InputError
from corpus.filters import Filters
from corpus.options import build, nearest
from corpus.readers import FORMATS, Format

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
OTHER_STAGES = ("text",)


@dataclass(frozen=True)
class SplitSettings:
    """The files of one split; ``format`` and ``options`` where they differ from the corpus's."""

    source: list[str] | None = None
    target: list[str] | None = None
    documents: list[str] | None = None
    files: list[str] | None = None
    format: str | None = None
    options: dict[str, Any] | None = None

    def roles(self) -> dict[str, list[str]]:
        """The file patterns of each role that is given."""
        given = {
            "source": self.source,
            "target": self.target,
            "documents": self.documents,
            "files": self.files,
        }
        return {role: patterns for role, patterns in given.items() if patterns}


@dataclass(frozen=True)
class CorpusSettings:
    """Where a corpus is, how it is written, and what of it is wanted."""

    source_language: str
    target_language: str
    format: str
    splits: dict[str, Any]
    shards: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    held_out: dict[str, float] = field(default_factory=dict)  # split name to a share below 1 or a number of documents
    filters: dict[str, Any] = field(default_factory=dict)
    empty_sentences: Literal["error", "drop"] = "error"
    control_characters: Literal["error", "space"] = "error"
    where: str = ""  # where to get the files, told when they are missing


@dataclass(frozen=True)
class SplitPlan:
    """A checked split: its reader with options, and the file patterns of each role."""

    name: str
    format: Format
    options: Any
    roles: dict[str, list[str]]


@dataclass(frozen=True)
class Plan:
    """Checked settings: the corpus, its splits and its filters."""

    corpus: CorpusSettings
    splits: list[SplitPlan]
    filters: Filters


def plan(values: object) -> Plan:
    """Check the settings of a corpus (a JSON object); raises :class:`InputError` naming the key at fault.

    Keys that belong to later stages (``text``) are passed over.
    """
    if isinstance(values, dict):
        values = {key: value for key, value in values.items() if key not in OTHER_STAGES}
    corpus = build(CorpusSettings, values, "corpus")
    splits = [_split(name, files, corpus) for name, files in corpus.splits.items()]
    filters = build(Filters, corpus.filters, "filters")
    names = [*corpus.splits, *corpus.held_out]
    for name in names:
        if not NAME.fullmatch(name):
            raise InputError(f"{name!r} is no name for a split", remedy="use letters, digits, _, ., + and -")
    for name in filters.splits:
        if name not in (*names, "train"):
            raise InputError(f"filters.splits: there is no split {name}", remedy=nearest(name, names))
    _check_numbers(corpus, filters)
    return Plan(corpus, splits, filters)


def _split(name: str, values: object, corpus: CorpusSettings) -> SplitPlan:
    place = f"splits.{name}"
    split = build(SplitSettings, values, place)
    key = split.format or corpus.format
    if key not in FORMATS:
        raise InputError(f"unknown format {key}", remedy=nearest(key, list(FORMATS)))
    chosen, roles = FORMATS[key], split.roles()
    if not any(set(accepted) == set(roles) for accepted in chosen.roles):
        wanted = " or ".join(", ".join(accepted) for accepted in chosen.roles)
        raise InputError(f"{place} gives {', '.join(roles) or 'no files'}", remedy=f"the format {key} reads {wanted}")
    own = split.format is None or split.format == corpus.format
    options = split.options if split.options is not None else corpus.options if own else {}
    return SplitPlan(
        name,
        chosen,
        build(chosen.options, options, f"{place}.options" if split.options else "options"),
        roles,
    )


def _check_numbers(corpus: CorpusSettings, filters: Filters) -> None:
    if corpus.shards < 1:
        raise InputError(f"shards: {corpus.shards} is less than 1")
    for name, limit in (("max_tokens", filters.max_tokens), ("max_ratio", filters.max_ratio)):
        if limit is not None and limit < 1:
            raise InputError(f"filters.{name}: {limit} is less than 1", remedy="null switches the filter off")
    if corpus.held_out and "train" not in corpus.splits:
        raise InputError("held_out needs a split train to hold documents out of")
    for name, size in corpus.held_out.items():
        if name in corpus.splits:
            raise InputError(f"held_out.{name}: the split {name} has files of its own")
        if size <= 0 or (size >= 1 and size != int(size)):
            raise InputError(f"held_out.{name}: {size} is neither a share below 1 nor a number of documents")
    if sum(size for size in corpus.held_out.values() if size < 1) >= 1:
        raise InputError("held_out: the shares leave nothing for train")
