"""Differences of systems from their baselines as SVG, one line for each system."""

import altair
import pandas as pd

from discourse_nmt.scoring.charts.drawing import COLOURS, GREY, svg

COLOUR_OF_VERDICT = {"better": COLOURS[0], "worse": COLOURS[1], "not significant": GREY}
LINE_HEIGHT = 20  # pixels of a system
SEED_HEIGHT = 9  # of the mark of a seed
TICKS = [sign * tick for tick in (50, 20, 10, 5, 2, 1, 0.5) for sign in (-1, 1)] + [0]


def difference_chart(differences: pd.DataFrame, seeds: pd.DataFrame) -> str:
    """SVG of the columns experiment, baseline, gain, low, high and verdict; empty without two rows.

    A small mark stands at the gain of each row of ``seeds``, with columns experiment and gain.

    A verdict is one of :data:`COLOUR_OF_VERDICT`. The axis names the most frequent baseline; the line of a system with
    another one names that. One system may be 0.1 point away and another 20, so that the axis grows with the logarithm
    of 1 + |difference|.
    """
    if len(differences) < 2:
        return ""
    usual = differences["baseline"].mode()[0]
    labels = [
        name if baseline == usual else f"{name} − {baseline}"
        for name, baseline in zip(differences["experiment"], differences["baseline"])
    ]
    ends = [0.0, *differences["low"], *differences["high"], *seeds["gain"]]
    scale = altair.Scale(type="symlog", constant=1, domain=[min(ends), max(ends)])
    ticks = altair.Axis(values=[tick for tick in TICKS if min(ends) <= tick <= max(ends)], format="~g")
    title = f"difference from {usual} (points of BLEU)"
    x, low = (altair.X(end, type="quantitative", title=title, scale=scale, axis=ticks) for end in ("gain", "low"))
    colours = altair.Scale(domain=list(COLOUR_OF_VERDICT), range=list(COLOUR_OF_VERDICT.values()))
    systems = differences.assign(system=labels)
    of_seeds = seeds.merge(systems[["experiment", "system", "verdict"]], on="experiment")
    base, seed_base = (
        altair.Chart(rows).encode(
            y=altair.Y("system", type="nominal", sort=labels, title=None, axis=altair.Axis(labelLimit=0)),
            color=altair.Color("verdict", type="nominal", title=None, scale=colours),
        )
        for rows in (systems, of_seeds)
    )
    lines = base.mark_rule(strokeWidth=2, aria=False).encode(x=low, x2="high")
    dots = base.mark_point(filled=True, size=45, opacity=1).encode(x=x)
    marks = seed_base.mark_tick(thickness=1.5, size=SEED_HEIGHT, opacity=1, aria=False).encode(x=x)
    zero = altair.Chart(pd.DataFrame({"gain": [0]})).mark_rule(strokeDash=[4, 3], aria=False, color=GREY).encode(x=x)
    return svg(altair.LayerChart(layer=[zero, lines, marks, dots]), height=LINE_HEIGHT * len(differences))
