"""Figures of discourse analysers as rows of the table of scores, and the table of them that people read.

A figure's metric is ``METRIC (TASK, SETTING)``, for example ``EDU F1 (edu, predicted)``; docs/analysers/evaluation.md
says what each is, docs/systems/theme-labeller.md for labellers. The column experiment has the name of the analysis, or
of the labeller and the experiment whose encoder it reads; the column system what was analysed.
"""

import re
from pathlib import Path

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.scoring.metrics.bleu import Score

COLUMNS = ["task", "metric", "value", "setting"]
LABELLER = "theme labeller"
# What the column system says: an analysis of a side of a corpus, analysers that were trained on treebanks, a labeller.
SYSTEMS = ("source analysis", "target analysis", "analysers", LABELLER)
# Task and metric of the figures that are shown, by their column.
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
NAME = re.compile(r"^(?P<figure>.+) \((?P<task>\w+), (?P<setting>\w+)\)$")


def analysis_scores(figures: str, against: str, *, file: str | Path) -> list[Score]:
    """The rows of a table of figures as scores; ``against`` names the annotation that they are measured by."""
    lines = figures.removesuffix("\n").split("\n")
    if lines[0].split("\t") != COLUMNS:
        raise InputError("not a table of figures", file=file, line=1, remedy="delete it and run again")
    scores = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            task, metric, value, setting = line.split("\t")
            scores.append(Score(f"{metric} ({task}, {setting})", float(value), f"against:{against}|average:micro"))
        except ValueError:
            raise InputError("not a figure", file=file, line=number, remedy="delete it and run again") from None
    return scores


def summarise_analyses(scores: pd.DataFrame) -> pd.DataFrame:
    """Cells of text: corpus, test set, analysis, text, input, and each figure of SHOWN that occurs.

    ``scores`` is a long table; rows of translation systems are left out. ``input`` says what analysers build on. Of
    several seeds the mean is shown.
    """
    chosen = scores[scores["system"].isin(SYSTEMS)]
    chosen = pd.concat([chosen, chosen["metric"].str.extract(NAME)], axis=1)
    columns = {
        column: name
        for column, name in SHOWN.items()
        if ((chosen["task"] == name[0]) & (chosen["figure"] == name[1])).any()
    }
    rows = []
    for names, group in chosen.groupby(["corpus", "test_set", "experiment", "system", "setting"], sort=False):
        means = group.groupby(["task", "figure"])["value"].mean()
        rows.append([*names, *(f"{means[name]:.2f}" if name in means else "–" for name in columns.values())])
    return pd.DataFrame(rows, columns=["corpus", "test set", "analysis", "of", "input", *columns])
