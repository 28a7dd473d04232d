"""The .rsd format of discourse dependencies in GUM and GCDT: ten tab-separated columns, one line per EDU.

Columns: EDU from 1, text, level, ``_``, ``_``, features, head (0 for the root), relation with ``_m`` or
``_r``, secondary edges, signals. Columns 6, 9 and 10 are kept as they are.
"""

from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import blaming, lines_of, whole_number
from discourse_nmt.discourse.structures.dependencies import Dependencies, check_heads


@dataclass(frozen=True)
class RsdDocument:
    """Dependencies with levels, the texts of the EDUs, and the columns that are not interpreted (or ``()``)."""

    dependencies: Dependencies
    texts: tuple[str, ...]
    features: tuple[str, ...] = ()
    secondary_edges: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()


def read_rsd(content: str | bytes, name: str) -> RsdDocument:
    """Read one document; heads must form a forest."""
    rows: list[list[str]] = []
    for number, line in lines_of(content, name):
        if not line:
            continue
        fields = line.split("\t")
        if len(fields) != 10:
            raise InputError(f"{len(fields)} columns instead of 10", file=name, line=number)
        if whole_number(fields[0], "EDU", name, number) != len(rows) + 1:
            raise InputError(f"EDU {fields[0]}, but EDU {len(rows) + 1} comes next", file=name, line=number)
        whole_number(fields[2], "level", name, number)
        head = whole_number(fields[6], "head", name, number)
        if not fields[7] or (head == 0) != (fields[7] == "ROOT"):
            raise InputError(f"EDU {fields[0]} has head {head} and relation {fields[7]!r}", file=name, line=number)
        rows.append(fields)
    if not rows:
        raise InputError("no EDU", file=name)
    heads = tuple(int(row[6]) - 1 for row in rows)
    with blaming(name):
        check_heads(heads, first=1)
        dependencies = Dependencies(heads, tuple(row[7] for row in rows), tuple(int(row[2]) for row in rows))
    texts, features, edges, signals = (tuple(row[column] for row in rows) for column in (1, 5, 8, 9))
    return RsdDocument(dependencies, texts, features, edges, signals)
