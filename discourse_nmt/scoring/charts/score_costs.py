"""Scores of experiments against the time of their training, as SVG."""

import altair
import pandas as pd

from discourse_nmt.scoring.charts.drawing import COLOURS, svg


def score_cost_chart(points: pd.DataFrame, metric: str) -> str:
    """SVG of the columns experiment, minutes and score; empty without two points."""
    if len(points) < 2:
        return ""
    base = altair.Chart(points).encode(
        x=altair.X("minutes", type="quantitative", title="training (minutes, mean over seeds)"),
        y=altair.Y("score", type="quantitative", title=metric, scale=altair.Scale(zero=False, padding=20)),
    )
    names = base.mark_text(align="left", dx=8, fill="currentColor", aria=False).encode(text="experiment")
    dots = base.mark_point(filled=True, size=60, color=COLOURS[0], opacity=1).encode(detail="experiment")
    return svg(altair.LayerChart(layer=[names, dots]))
