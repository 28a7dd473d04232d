"""Learning curves as SVG: development loss and BLEU against updates, one line per training run.

Vega-Altair describes the chart and vl-convert draws it, without a browser, a network or a script in the page.
Text and axes have the colour of the text around them, so that one drawing serves light and dark pages.
"""

import altair
import pandas as pd
import vl_convert

CURVES = {"dev_loss": "development loss", "dev_bleu": "development BLEU"}
# Okabe and Ito's palette without black and yellow: readable for the colour-blind and on both backgrounds.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
WIDTH, HEIGHT = 380, 240


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
        .properties(width=WIDTH, height=HEIGHT)
        .configure(background="transparent")
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            domainColor="currentColor",
            tickColor="currentColor",
            gridColor="currentColor",
            gridOpacity=0.15,
        )
        .configure_legend(orient="bottom", columns=2, labelColor="currentColor", titleColor="currentColor")
    )
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))
