"""The tables that papers print, from the files of ``resources/published``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import yaml

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.base.storage.files import read_text

FOLDER = ROOT / "resources" / "published"
NOT_PRINTED = "-"


@dataclass(frozen=True)
class PublishedTable:
    """A table as it is printed; values are texts with the marks of significance, :data:`NOT_PRINTED` without a number.

    ``source`` is its place in the paper, ``title`` says what its numbers are. ``rows`` have a value for each of the
    ``columns``.
    """

    paper: str
    source: str
    title: str
    note: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[str]]


def published_table(name: str) -> PublishedTable:
    """The table of a ``name`` such as rst_transformer.table_2; an :class:`InputError` if there is none."""
    paper, _, table = name.partition(".")
    if paper not in published_papers():
        raise InputError(f"no published tables {paper}", remedy=nearest(paper, published_papers()))
    tables = _content(paper)["tables"]
    if table not in tables:
        raise InputError(f"no published table {name}", remedy=nearest(table, tables))
    found = tables[table]
    rows = {row: values.split() for row, values in found["rows"].items()}
    texts = {key: found[key] for key in ("source", "title", "note")}
    return PublishedTable(_content(paper)["paper"], **texts, columns=found["columns"], rows=rows)


def published_papers() -> list[str]:
    """The names of the files, without their endings."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def published_names() -> list[str]:
    """The names of all tables."""
    return [f"{paper}.{table}" for paper in published_papers() for table in _content(paper)["tables"]]


@cache
def _content(paper: str) -> Any:
    """The content of a file, in which every number is text: a zero at its end counts."""
    return yaml.load(read_text(FOLDER / f"{paper}.yaml"), Loader=yaml.BaseLoader)
