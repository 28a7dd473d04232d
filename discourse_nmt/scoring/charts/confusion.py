"""The confusion of labels of words as a picture."""

from collections.abc import Sequence

import altair

from discourse_nmt.scoring.charts.drawing import svg
from discourse_nmt.scoring.metrics.labelling import Numbers, confusion_table


def confusion_chart(counts: Numbers, labels: Sequence[str]) -> str:
    """SVG of a :func:`.confusion`: how many words of each label (rows) were given which, as numbers and as shades."""
    table = confusion_table(counts, labels, "")
    wanted = table.groupby("label")["words"].transform("sum")
    table["share"] = (table["words"] / wanted.clip(lower=1)).round(4)
    base = altair.Chart(table).encode(
        x=altair.X("found", type="nominal", sort=list(labels), title="label found", axis=altair.Axis(labelAngle=-30)),
        y=altair.Y("label", type="nominal", sort=list(labels), title="label"),
    )
    shades = base.mark_rect().encode(
        color=altair.Color("share", type="quantitative", scale=altair.Scale(scheme="blues", domain=[0, 1]), legend=None)
    )
    numbers = base.mark_text().encode(
        text=altair.Text("words", type="quantitative", format=","),
        color=altair.condition("datum.share > 0.5", altair.value("white"), altair.value("black")),
    )
    return svg(altair.LayerChart(layer=[shades, numbers]))
