"""Curves of ablations: scores of experiments against the numeric switch in which they differ."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import altair
import pandas as pd
from markupsafe import Markup

from discourse_nmt.scoring.charts.drawing import COLOURS, svg
from discourse_nmt.scoring.charts.learning_curves import DASHES
from discourse_nmt.scoring.charts.switch_lines import LEAST, SwitchLine, lines_of
from discourse_nmt.scoring.comparison.marks import lower_is_better
from discourse_nmt.scoring.tables.ablations import Switches, differing, shown_value
from discourse_nmt.scoring.tables.summary import main_metrics


@dataclass(frozen=True)
class SwitchCurves:
    """Drawings by metric, the ``switch`` of the x axis, and a sentence on the other switches."""

    switch: str
    note: str
    drawings: Mapping[str, Markup]


def switch_curves(
    switches: Mapping[str, Switches], scores: pd.DataFrame
) -> dict[tuple[str, str, str], list[SwitchCurves]]:
    """Curves of the main metrics by corpus, test set and system; groups without curves are left out.

    ``switches`` is as in :func:`.ablations`, ``scores`` the long table.
    """
    groups = {}
    metrics = main_metrics(scores)
    chosen = scores[scores["metric"].isin(metrics) & scores["experiment"].isin(list(switches))]
    for (corpus, test_set, system), group in chosen.groupby(["corpus", "test_set", "system"], sort=False):
        of_group = {name: switches[name] for name in group["experiment"].unique()}
        curves = []
        for switch in differing(list(of_group.values())):
            lines = lines_of(of_group, switch)
            drawings = {metric: curve(lines, group[group["metric"] == metric], switch) for metric in metrics}
            drawn = {metric: Markup(drawing) for metric, drawing in drawings.items() if drawing}
            if drawn:
                curves.append(SwitchCurves(switch, note(lines), drawn))
        if curves:
            groups[str(corpus), str(test_set), str(system)] = curves
    return groups


def note(lines: Sequence[SwitchLine]) -> str:
    """A note on the switches that all lines share, and on those that are off at 0."""
    apart = differing([line.held for line in lines])
    common = ", ".join(f"{name} {shown_value(value)}" for name, value in lines[0].held.items() if name not in apart)
    off = ", ".join(dict.fromkeys(name for line in lines for name in line.off))
    return " ".join(filter(None, [f"With {common}." if common else "", f"Off at 0: {off}." if off else ""]))


def points_of(lines: Sequence[SwitchLine], scores: pd.DataFrame) -> pd.DataFrame:
    """Line, value, score and deviation of each experiment with a score.

    The name of a line has the switches in which it differs from the others. Score and deviation are mean and sample
    standard deviation over seeds; the deviation of one seed is missing. Lines of fewer than three points are left out.
    """
    apart = differing([line.held for line in lines])
    seeds = scores.groupby("experiment")["value"].agg(list)
    rows: list[tuple[str, float, float, float | None]] = []
    for line in lines:
        label = ", ".join(shown_value(line.held[name]) for name in apart)
        points = [(value, seeds[name]) for value, name in line.experiments.items() if name in seeds.index]
        if len(points) >= LEAST:
            rows += [
                (label, value, statistics.mean(scored), statistics.stdev(scored) if len(scored) > 1 else None)
                for value, scored in points
            ]
    return pd.DataFrame(rows, columns=["line", "value", "score", "deviation"])


def curve(lines: Sequence[SwitchLine], scores: pd.DataFrame, switch: str) -> str:
    """SVG of the scores of one metric on ``lines``, with bars of the standard deviation; empty without a point."""
    points = points_of(lines, scores)
    if points.empty:
        return ""
    metric = scores["metric"].iloc[0]
    title = f"{metric} (lower is better)" if lower_is_better(metric, scores["better"].iloc[0]) else metric
    # Fields are renamed, as Vega would read a point in a name as access to a part.
    x = altair.X("value", type="quantitative", title=switch, scale=altair.Scale(zero=False, nice=False, padding=10))
    score, low = (
        altair.Y(field, type="quantitative", title=title, scale=altair.Scale(zero=False)) for field in ("score", "low")
    )
    look = looks(list(points["line"].unique()), ", ".join(differing([line.held for line in lines])))
    layers = [altair.Chart(points).mark_line(point={"size": 30}, color=COLOURS[0]).encode(*look, x=x, y=score)]
    several = points.dropna(subset=["deviation"])
    if len(several):
        ends = several.assign(low=several["score"] - several["deviation"], high=several["score"] + several["deviation"])
        # Screen readers skip the bars, as the table has the numbers.
        bars = altair.Chart(ends).mark_rule(color=COLOURS[0], aria=False)
        layers.insert(0, bars.encode(*look, x=x, y=low, y2="high"))
    return svg(altair.LayerChart(layer=layers))


def looks(lines: list[str], title: str) -> Sequence[altair.Color | altair.StrokeDash]:
    """Colours and dashes of the named lines, with a legend; none for a single line, which has no ``title``."""
    if not title:
        return ()
    # Colours do not depend on the lines that a layer has.
    colours = altair.Scale(domain=lines, range=COLOURS * len(DASHES))
    dashes = altair.Scale(domain=lines, range=[dash for dash in DASHES for _ in COLOURS])
    legend = altair.Legend(symbolType="stroke", symbolSize=500, symbolStrokeWidth=2)
    return (
        altair.Color("line", type="nominal", title=title, legend=legend, scale=colours),
        altair.StrokeDash("line", type="nominal", title=title, legend=legend, scale=dashes),
    )
