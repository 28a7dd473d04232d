"""Discourse dependencies as SVG: an arc on the left of the list of EDUs from every head to each of its dependents."""

from collections.abc import Sequence

from discourse_nmt.discourse.drawings.canvas import Element, arrowhead, drawing, element, group, number
from discourse_nmt.discourse.drawings.edu_list import MARGIN, EduList, Label
from discourse_nmt.discourse.drawings.palette import relation_colour
from discourse_nmt.discourse.structures.dependencies import Dependencies, split_label
from discourse_nmt.discourse.structures.trees import NUCLEUS

REACH = 5.5  # half the width of an arc in pixels, per square root of its height: such arcs nest without crossing
SMALLEST = 40.0
GAP = 8.0  # between an arrow's tip and its label


def dependency_view(dependencies: Dependencies, texts: Sequence[str], title: str = "Discourse dependencies") -> str:
    """SVG of dependencies; ``texts`` has one text per EDU. Arrows point to dependents, dashed ones to nuclei."""
    labels = _labels(dependencies)
    middles = EduList(texts, labels, 0.0).middles
    arcs = [(head, dependent) for dependent, head in enumerate(dependencies.heads) if head >= 0]
    widths = [REACH * abs(middles[head] - middles[dependent]) ** 0.5 for head, dependent in arcs]
    x = MARGIN + max([SMALLEST, *widths])
    rows = EduList(texts, labels, x + GAP)
    # Long arcs first, so that short ones lie above.
    drawn = [
        part
        for (head, dependent), width in sorted(zip(arcs, widths), key=lambda arc: -arc[1])
        for part in _arc(dependencies.relations[dependent], x, middles[head], middles[dependent], width)
    ]
    drawn += [element("circle", cx=x, cy=middles[root], r=4.0, fill="currentColor") for root in dependencies.roots]
    description = (
        f"{len(texts)} elementary discourse units from top to bottom, each with its relation and the number of its "
        "head; arcs lead from heads to dependents."
    )
    return drawing(rows.width, rows.height, title, description, [group(drawn, stroke_width="1.5"), *rows.elements()])


def _labels(dependencies: Dependencies) -> list[Label]:
    labels = []
    for edu, (head, label) in enumerate(zip(dependencies.heads, dependencies.relations)):
        if head < 0:
            labels.append(Label("root", "currentColor", f"EDU {edu + 1}: root"))
            continue
        relation, role = split_label(label)
        kind = "nucleus beside" if role == NUCLEUS else "satellite of"
        meaning = f"EDU {edu + 1}: {relation}, {kind} EDU {head + 1}"
        labels.append(Label(f"{relation} · {head + 1}", relation_colour(relation), meaning))
    return labels


def _arc(label: str, x: float, start: float, end: float, width: float) -> list[Element]:
    """Half an ellipse to the left of ``x`` from the head's row to the dependent's."""
    relation, role = split_label(label)
    colour = relation_colour(relation)
    sweep = 0 if end > start else 1
    path = f"M{number(x)} {number(start)}A{number(width)} {number(abs(end - start) / 2)} 0 0 {sweep} {number(x)} "
    arc = element("path", d=path + number(end), fill="none", stroke=colour)
    if role == NUCLEUS:
        arc.set("stroke-dasharray", "4 3")
    return [arc, arrowhead((x + GAP - 2, end), (1.0, 0.0), colour, 7.0)]
