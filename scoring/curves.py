"""Learning curves as SVG: development loss and BLEU against updates, one line per training run."""

import altair
import pandas as pd

from scoring.charts import COLOURS, svg

CURVES = {"dev_loss": "development loss", "dev_bleu": "development BLEU"}


def learning_curve(metrics: pd.DataFrame, measure: str) -> str:
    """SVG of ``measure`` (a key of CURVES); empty where nothing was measured.

    ``metrics`` has the columns experiment, seed, update and ``measure``; rows without a value are left out.
    """
    points = metrics.dropna(subset=[measure])[["experiment", "seed", "update", measure]]
    if points.empty:
        return ""
    chart = (
        altair.Chart(points)
        .mark_line(point={"size": 16})
        .encode(
            x=altair.X("update", type="quantitative", title="update"),
            y=altair.Y(measure, type="quantitative", title=CURVES[measure], scale=altair.Scale(zero=False)),
            color=altair.Color("experiment", type="nominal", sort=None, scale=altair.Scale(range=COLOURS)),
            detail=altair.Detail("seed", type="nominal"),
        )
    )
    return svg(chart)
