"""Accuracy on subsets of items as SVG: by phenomenon, and by the distance to the sentence that decides."""

from collections.abc import Mapping, Sequence
from statistics import fmean, stdev

import altair
import pandas as pd

from discourse_nmt.scoring.charts.drawing import COLOURS, svg
from discourse_nmt.scoring.metrics.score import ACCURACY, DISTANCE, EVERY_ITEM, PHENOMENON, interval_of, subset_names

TENTHS = altair.Axis(values=list(range(0, 101, 10)))
LINE_HEIGHT = 14  # pixels of an experiment in a row of the chart


def accuracy_points(scores: pd.DataFrame, task: str, experiments: Sequence[str]) -> pd.DataFrame:
    """Experiment, by, subset, share, low and high (per cent) of the ``experiments`` in the rows of a test set.

    The ends are those of the 95 % interval of one seed, or one sample standard deviation over several seeds.

    Raises :class:`InputError`: the accuracy of one seed has no interval.
    """
    chosen = scores[(scores["task"] == task) & scores["experiment"].isin(experiments)]
    rows = []
    for names, group in chosen.groupby(["experiment", "by", "subset"], sort=False):
        values = {str(figure): list(of_figure) for figure, of_figure in group.groupby("figure")["value"]}
        if ACCURACY in values:
            rows.append([*names, fmean(values[ACCURACY]), *_ends(values)])
    return pd.DataFrame(rows, columns=["experiment", "by", "subset", "share", "low", "high"])


def _ends(values: Mapping[str, Sequence[float]]) -> Sequence[float]:
    """Both ends of the bar of an accuracy, from the values of each figure of its items."""
    shares = values[ACCURACY]
    if len(shares) == 1:
        return interval_of(values)
    mean, deviation = fmean(shares), stdev(shares)
    return max(0.0, mean - deviation), min(100.0, mean + deviation)


def by_phenomenon(points: pd.DataFrame) -> str:
    """SVG of the shares of all items and of each phenomenon; empty without points."""
    shown = points[points["by"].isin([EVERY_ITEM, PHENOMENON])]
    if shown.empty:
        return ""
    shown = shown.assign(subset=subset_names(shown))
    rows, look = shown["subset"].nunique(), colour(shown)
    y = altair.Y("subset", type="nominal", sort=None, title=None)
    offset = altair.YOffset("experiment", type="nominal", sort=None)
    scale = altair.Scale(domain=[0, 100])
    base = altair.Chart(shown).encode(y=y, yOffset=offset, color=look)
    bars = base.mark_rule(strokeWidth=2, aria=False).encode(
        x=altair.X("low", type="quantitative", title="accuracy (%)", axis=TENTHS, scale=scale), x2="high"
    )
    dots = base.mark_point(filled=True, size=45, opacity=1).encode(
        x=altair.X("share", type="quantitative", title="accuracy (%)", axis=TENTHS, scale=scale)
    )
    return svg(altair.LayerChart(layer=[bars, dots]), height=rows * (LINE_HEIGHT * shown["experiment"].nunique() + 10))


def by_distance(points: pd.DataFrame) -> str:
    """SVG of the shares by distance in sentences; empty without two distances."""
    known = points[points["by"] == DISTANCE]
    known = known.assign(distance=known["subset"].astype(int))
    if known["distance"].nunique() < 2:
        return ""
    scale = altair.Scale(domain=[0, 100])
    x = altair.X(
        "distance", type="ordinal", title="sentences back to the one that decides", axis=altair.Axis(labelAngle=0)
    )
    base = altair.Chart(known).encode(
        x=x, color=colour(known), xOffset=altair.XOffset("experiment", type="nominal", sort=None)
    )
    bars = base.mark_rule(strokeWidth=2, aria=False).encode(
        y=altair.Y("low", type="quantitative", title="accuracy (%)", axis=TENTHS, scale=scale), y2="high"
    )
    dots = base.mark_point(filled=True, size=45, opacity=1).encode(
        y=altair.Y("share", type="quantitative", title="accuracy (%)", axis=TENTHS, scale=scale)
    )
    return svg(altair.LayerChart(layer=[bars, dots]))


def colour(points: pd.DataFrame) -> altair.Color:
    """A colour for each experiment, the same in all layers."""
    names = list(points["experiment"].unique())
    scale = altair.Scale(domain=names, range=[COLOURS[place % len(COLOURS)] for place in range(len(names))])
    return altair.Color("experiment", type="nominal", title=None, scale=scale)
