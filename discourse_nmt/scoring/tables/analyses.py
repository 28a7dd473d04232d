"""Figures of discourse analysers as rows of the table of scores, and their table in the summary.

A figure is an :func:`.analyser_score`, for example ``EDU F1 (edu, predicted)``; docs/analysers/evaluation.md explains
the figures, docs/systems/theme-labeller.md those of labellers. The column experiment holds the name of the
analysis, or those of the labeller and of the experiment whose encoder it reads. The column system holds one of
:data:`SYSTEMS`.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.score import Score, analyser_score

COLUMNS = ["task", "metric", "value", "setting"]
LABELLER = "theme labeller"
# Values of the column system: an analysis of a side of a corpus, analysers trained on treebanks, a labeller.
SYSTEMS = ("source analysis", "target analysis", "analysers", LABELLER)
# Task and figure of each column of the summary.
SHOWN = {
    "EDU F1": ("edu", "EDU F1"),
    "Parseval Span": ("rst_parseval_original", "Span F1"),
    "Parseval Full": ("rst_parseval_original", "Full F1"),
    "RST-Parseval Span": ("rst_parseval", "Span F1"),
    "RST-Parseval Full": ("rst_parseval", "Full F1"),
    "RST UAS": ("rst_dependencies", "UAS"),
    "RST LAS": ("rst_dependencies", "LAS"),
    "syntax UAS": ("syntax", "UAS"),
    "syntax LAS": ("syntax", "LAS"),
    "coreference CoNLL F1": ("coreference", "CoNLL F1"),
    "themes accuracy": ("themes", "accuracy"),
    "labelling accuracy": ("labelling", "accuracy"),
    "scorer F1": ("scorer", "F1"),
}


def analysis_scores(figures: str, against: str, *, file: str | Path) -> list[Score]:
    """The rows of a table of figures as scores; ``against`` is the name of the gold annotation.

    Raises :class:`InputError`: ``figures`` is not the text of such a table.
    """
    lines = figures.removesuffix("\n").split("\n")
    if lines[0].split("\t") != COLUMNS:
        raise InputError("not a table of figures", file=file, line=1, remedy="delete it and run again")
    scores = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            task, metric, value, setting = line.split("\t")
            scores.append(analyser_score(task, metric, setting, float(value), f"against:{against}|average:micro"))
        except ValueError:
            raise InputError("not a figure", file=file, line=number, remedy="delete it and run again") from None
    return scores


def summarise_analyses(scores: pd.DataFrame) -> pd.DataFrame:
    """Cells of text: corpus, test set, analysis, system, input, and each figure of :data:`SHOWN` that occurs.

    ``scores`` is a long table; rows of translation systems are left out. ``input`` is the setting: gold or predicted
    input of the analysers. For several seeds the mean is shown.
    """
    seeds: dict[tuple[str, ...], dict[tuple[str, str], list[float]]] = {}  # values by row and by task and figure
    for score in scores[scores["system"].isin(SYSTEMS)].to_dict("records"):
        row = score["corpus"], score["test_set"], score["experiment"], score["system"], score["setting"]
        seeds.setdefault(row, {}).setdefault((score["task"], score["figure"]), []).append(score["value"])
    columns = {title: column for title, column in SHOWN.items() if any(column in values for values in seeds.values())}
    rows = [
        [*row, *(f"{np.mean(values[column]):.2f}" if column in values else "–" for column in columns.values())]
        for row, values in seeds.items()
    ]
    return pd.DataFrame(rows, columns=["corpus", "test set", "analysis", "of", "input", *columns])
