"""Tables and text as lines of at most :data:`WIDTH` characters, for terminals."""

import textwrap
from collections.abc import Sequence

import pandas as pd

WIDTH = 100
MISSING = "–"


def constant(cells: pd.DataFrame, names: Sequence[str]) -> dict[str, str]:
    """Value by column of those columns among ``names`` that hold one value."""
    return {name: str(cells[name].iloc[0]) for name in names if cells[name].nunique() == 1}


def narrow_tables(cells: pd.DataFrame, names: Sequence[str], once: Sequence[str] = ()) -> list[str]:
    """The table ``cells`` in Markdown, in as many tables as its columns need.

    Each begins with the columns ``names``, the first also with ``once``. The first has all rows, the others those with
    a value that is not :data:`MISSING`. A column that is wider than :data:`WIDTH` with these stays whole.
    """
    tables, columns, own = [], [*names, *once], 0
    for column in [str(name) for name in cells if name not in columns]:
        if own and len(grid(cells[[*columns, column]]).split("\n")[0]) > WIDTH:
            tables.append(columns)
            columns, own = [*names], 0
        columns = [*columns, column]
        own += 1
    first, *others = [*tables, columns]
    with_values = [cells[columns][(cells[columns[len(names) :]] != MISSING).any(axis=1)] for columns in others]
    return [grid(table) for table in (cells[first], *with_values)]


def grid(cells: pd.DataFrame) -> str:
    """A Markdown table with aligned columns."""
    return cells.replace(r"\|", r"\\|", regex=True).to_markdown(index=False, disable_numparse=True)


def filled(text: str) -> str:
    """``text`` in lines; the lines after the first of a list's item are indented, and signatures are cut after bars."""
    indent = "  " if text.startswith("- ") else ""
    spaced = textwrap.wrap(
        text.replace("|", "| "), WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(line.replace("| ", "|") for line in spaced)
