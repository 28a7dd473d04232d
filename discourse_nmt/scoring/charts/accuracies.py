"""Accuracy on subsets of items as SVG: by phenomenon, and by the distance to the sentence that decides."""

import re
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Any

import altair
import pandas as pd

from discourse_nmt.scoring.charts.drawing import COLOURS, svg
from discourse_nmt.scoring.metrics.score import ACCURACY, ItemStatistic, interval_of

DISTANCE = re.compile(r"distance (\d+)")
OTHER_SUBSETS = re.compile(r"distance .*|whole blocks")
TENTHS = altair.Axis(values=list(range(0, 101, 10)))
LINE_HEIGHT = 14  # pixels of an experiment in a row of the chart


def accuracy_points(scores: pd.DataFrame, task: str, experiments: Sequence[str]) -> pd.DataFrame:
    """Experiment, subset, share, low and high (per cent) of the ``experiments`` in the rows of a test set.

    The ends are those of the 95 % interval of one seed, or one sample standard deviation over several seeds.

    Raises :class:`InputError`: the accuracy of one seed has no interval.
    """
    statistics_of: dict[tuple[str, str], dict[str, list[float]]] = {}
    for name, metric, value in zip(scores["experiment"], scores["metric"], scores["value"]):
        statistic = ItemStatistic.parse(metric)
        if statistic and statistic.task == task and name in experiments:
            statistics = statistics_of.setdefault((str(name), statistic.subset), {})
            statistics.setdefault(statistic.statistic, []).append(float(value))
    rows = []
    for (name, subset), statistics in statistics_of.items():
        if ACCURACY not in statistics:
            continue
        shares = statistics[ACCURACY]
        mean = fmean(shares)
        if len(shares) > 1:
            deviation = stdev(shares)
            low, high = max(0.0, mean - deviation), min(100.0, mean + deviation)
        else:
            low, high = interval_of(statistics)
        rows.append([name, subset, mean, low, high])
    return pd.DataFrame(rows, columns=["experiment", "subset", "share", "low", "high"])


def by_phenomenon(points: pd.DataFrame) -> str:
    """SVG of the shares of all items and of each phenomenon; empty without points."""
    shown = points[~points["subset"].str.fullmatch(OTHER_SUBSETS)]
    if shown.empty:
        return ""
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
    known = points[points["subset"].str.fullmatch(DISTANCE)]
    known = known.assign(distance=[int(str(name).split()[1]) for name in known["subset"]])
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
    options: dict[str, Any] = {"type": "nominal", "title": None, "scale": scale}
    return altair.Color("experiment", **options)
