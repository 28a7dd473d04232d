"""The table of scores in long form: one row per score, as tab-separated text.

Columns: corpus, experiment, system, seed (a whole number), test_set, metric (its full name, see :mod:`.metrics.score`),
value, signature (how it was computed). Values are written with all their digits, so that the same value is read back.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.score import Score

COLUMNS = ["corpus", "experiment", "system", "seed", "test_set", "metric", "value", "signature"]
IDENTITY = COLUMNS[:6]
REMEDY = "delete it and score again"


def score_table(
    scores: Iterable[Score], *, corpus: str, experiment: str, system: str, seed: int, test_set: str
) -> pd.DataFrame:
    """The scores of one experiment on one test set as rows of the long table."""
    rows = [
        (corpus, experiment, system, seed, test_set, score.metric, float(score.value), score.signature)
        for score in scores
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def render(table: pd.DataFrame) -> str:
    """The long table as text.

    Raises :class:`InputError`: a name has a tab or a line break.
    """
    lines = ["\t".join(COLUMNS)]
    for row in table[COLUMNS].itertuples(index=False):
        fields = [number(field) if isinstance(field, float) else str(field) for field in row]
        for field in fields:
            if set("\t\r\n") & set(field):
                raise InputError(f"the name {field!r} has a tab or a line break", remedy="rename it")
        lines.append("\t".join(fields))
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
        fields = content.split("\t")
        if len(fields) != len(COLUMNS):
            raise InputError(f"not {len(COLUMNS)} columns", file=file, line=line, remedy=REMEDY)
        *names, seed, test_set, metric, value, signature = fields
        try:
            row = (*names, int(seed), test_set, metric, float(value), signature)
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
