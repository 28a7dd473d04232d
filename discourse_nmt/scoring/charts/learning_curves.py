"""Learning curves as SVG: development loss and BLEU against updates, one line per training run."""

import altair
import pandas as pd

from discourse_nmt.scoring.charts.drawing import COLOURS, svg

# Lines of one colour differ in their dashes: all colours are used with the first dashes, then with the second.
DASHES = [[1, 0], [6, 3], [2, 2]]
CURVES = {"dev_loss": "development loss", "dev_bleu": "development BLEU"}


def learning_curve(metrics: pd.DataFrame, measure: str) -> str:
    """SVG of ``measure`` (a key of CURVES); empty without values.

    ``metrics`` has the columns experiment, seed, update and ``measure``; rows without a value are left out.
    """
    points = metrics.dropna(subset=[measure])[["experiment", "seed", "update", measure]]
    if points.empty:
        return ""
    # Legend symbols are lines, so that dashes are visible.
    legend = altair.Legend(symbolType="stroke", symbolSize=500, symbolStrokeWidth=2)
    colours = altair.Scale(range=COLOURS * len(DASHES))
    dashes = altair.Scale(range=[dash for dash in DASHES for _ in COLOURS])
    chart = (
        altair.Chart(points)
        .mark_line(point={"size": 16})
        .encode(
            x=altair.X("update", type="quantitative", title="update"),
            y=altair.Y(measure, type="quantitative", title=CURVES[measure], scale=altair.Scale(zero=False)),
            color=altair.Color("experiment", type="nominal", sort=None, legend=legend, scale=colours),
            strokeDash=altair.StrokeDash("experiment", type="nominal", sort=None, legend=legend, scale=dashes),
            detail=altair.Detail("seed", type="nominal"),
        )
    )
    return svg(chart)
