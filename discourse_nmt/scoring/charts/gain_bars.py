"""Gains over a baseline or a control as SVG: by length of the document, by position in it, or by phenomenon."""

import altair
import pandas as pd

from discourse_nmt.scoring.charts.accuracies import colour
from discourse_nmt.scoring.charts.drawing import GREY, svg
from discourse_nmt.scoring.comparison.gains import PHENOMENON


def gain_chart(gains: pd.DataFrame, kind: str, measure: str = "gain (points of BLEU)") -> str:
    """SVG of the rows of a kind (see :mod:`.comparison.gains`), which have an ``experiment``; empty without two groups.

    A rule stands at 0, which is the baseline; ``measure`` is the title of the gains.
    """
    shown = gains[gains["by"] == kind]
    if shown["group"].nunique() < 2:
        return ""
    unit = "" if kind == PHENOMENON else " (sentences)"
    groups = shown["group"].unique().tolist()  # which are in order
    x = altair.X("group", type="ordinal", sort=groups, title=f"{kind}{unit}", axis=altair.Axis(labelAngle=0))
    offset = altair.XOffset("experiment", type="nominal", sort=None)
    base = altair.Chart(shown).encode(x=x, xOffset=offset, color=colour(shown))
    low, gain, at_zero = (altair.Y(name, type="quantitative", title=measure) for name in ("low", "gain", "zero"))
    bars = base.mark_rule(strokeWidth=2, aria=False).encode(y=low, y2="high")
    dots = base.mark_point(filled=True, size=45, opacity=1).encode(y=gain)
    zero = altair.Chart(pd.DataFrame({"zero": [0]})).mark_rule(strokeDash=[4, 3], aria=False, color=GREY)
    return svg(altair.LayerChart(layer=[zero.encode(y=at_zero), bars, dots]))
