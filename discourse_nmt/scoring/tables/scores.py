"""The table of scores in long form: one row per score, as tab-separated text.

Columns: corpus, experiment, system, seed (a whole number), test_set, metric (its full name), value, signature (how it
was computed), and the parts of the name (:class:`.MetricParts`). Values are written with all their digits, so that the
same value is read back.
"""

from collections.abc import Iterable
from dataclasses import astuple, fields
from pathlib import Path

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.score import MetricParts, Score

IDENTITY = ["corpus", "experiment", "system", "seed", "test_set", "metric"]
COLUMNS = [*IDENTITY, "value", "signature", *(part.name for part in fields(MetricParts))]
REMEDY = "delete it and score again"


def score_table(
    scores: Iterable[Score], *, corpus: str, experiment: str, system: str, seed: int, test_set: str
) -> pd.DataFrame:
    """The scores of one experiment on one test set as rows of the long table."""
    names = corpus, experiment, system, seed, test_set
    rows = [(*names, score.metric, float(score.value), score.signature, *astuple(score.parts)) for score in scores]
    return pd.DataFrame(rows, columns=COLUMNS)


def render(table: pd.DataFrame) -> str:
    """The long table as text.

    Raises :class:`InputError`: a name has a tab or a line break.
    """
    lines = ["\t".join(COLUMNS)]
    for row in table[COLUMNS].itertuples(index=False):
        cells = [number(cell) if isinstance(cell, float) else str(cell) for cell in row]
        for cell in cells:
            if set("\t\r\n") & set(cell):
                raise InputError(f"the name {cell!r} has a tab or a line break", remedy="rename it")
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    """The shortest text that reads back as ``value``; whole numbers without a point."""
    return str(int(value)) if value.is_integer() else repr(value)


def parse(text: str, *, file: str | Path) -> pd.DataFrame:
    """Read a long table.

    Raises :class:`InputError`: with the line, the text is no such table, or a score occurs twice.
    """
    lines = text.removesuffix("\n").split("\n")
    if lines[0].split("\t") != COLUMNS:
        raise InputError("not a table of scores", file=file, line=1, remedy=REMEDY)
    rows: dict[tuple[object, ...], tuple[object, ...]] = {}
    for line, content in enumerate(lines[1:], start=2):
        cells = content.split("\t")
        if len(cells) != len(COLUMNS):
            raise InputError(f"not {len(COLUMNS)} columns", file=file, line=line, remedy=REMEDY)
        corpus, experiment, system, seed, test_set, metric, value, *texts = cells
        try:
            row = (corpus, experiment, system, int(seed), test_set, metric, float(value), *texts)
        except ValueError:
            raise InputError("seed or value is not a number", file=file, line=line, remedy=REMEDY) from None
        if row[:6] in rows:
            raise InputError(f"{metric} is given twice", file=file, line=line, remedy=REMEDY)
        rows[row[:6]] = row
    return pd.DataFrame(list(rows.values()), columns=COLUMNS)


def collect(tables: Iterable[tuple[pd.DataFrame, str | Path]]) -> pd.DataFrame:
    """One table of all rows, in order.

    Raises :class:`InputError`: a score is in two tables.
    """
    collected = pd.DataFrame(columns=COLUMNS)
    for table, file in tables:
        collected = table if collected.empty else pd.concat([collected, table], ignore_index=True)
        repeated = collected[collected.duplicated(IDENTITY)]
        if len(repeated):
            row = repeated.iloc[0]
            run = f"{row['experiment']} (seed {row['seed']}) on {row['corpus']} {row['test_set']}"
            what = f"{row['metric']} of {run} is also in another table"
            raise InputError(what, file=file, remedy="name each table once")
    return collected
