"""Tables of the forms in translations of items: the scores of each subset."""

import numpy as np
import pandas as pd

from discourse_nmt.scoring.metrics.score import ACCURACY, BOUNDS, ITEMS, NEITHER, WRONG, subset_names
from discourse_nmt.scoring.tables.narrow import MISSING, grid


def form_tables(scores: pd.DataFrame) -> str:
    """A Markdown table of the generation scores of each experiment, a row for each subset, and its other counts."""
    texts = []
    for name, rows in scores.groupby("experiment", sort=False):
        items, others = rows[rows["task"] != ""], rows[rows["task"] == ""]
        values = items.assign(items=subset_names(items)).pivot_table("value", "items", "figure", sort=False)
        cells: list[list[object]] = []
        for subset, found in values.iterrows():
            low, high = (found[bound] for bound in BOUNDS)
            counts = [found.get(figure, np.nan) for figure in (ITEMS, WRONG, NEITHER)]
            shown = [MISSING if np.isnan(count) else f"{count:.0f}" for count in counts]
            cells.append([str(subset), shown[0], f"{found[ACCURACY]:.1f}", f"{low:.1f}–{high:.1f}", *shown[1:]])
        columns = ["items", "number", "right %", "95 % interval", "wrong form", "neither form"]
        told = ", ".join(f"{metric}: {value:.0f}" for metric, value in zip(others["metric"], others["value"]))
        texts.append(f"{name}\n\n{grid(pd.DataFrame(cells, columns=columns))}\n" + f"\n{told}\n" * bool(told))
    return "\n".join(texts)
