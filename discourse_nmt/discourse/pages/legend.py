"""The legend of a page of drawings: every relation, mark and label that its documents have, with a sample."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml import etree
from markupsafe import Markup

from discourse_nmt.discourse.drawings.canvas import Element, arrowhead, element
from discourse_nmt.discourse.drawings.palette import chain_colour, relation_colour
from discourse_nmt.discourse.drawings.theme_views import look
from discourse_nmt.discourse.structures.dependencies import split_label
from discourse_nmt.discourse.structures.relation_classes import coarse
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.discourse.structures.trees import NUCLEUS

WIDTH, HEIGHT = 34.0, 16.0
MIDDLE = HEIGHT / 2
# Classes of relations as in the guidelines of GUM (Zeldes 2017, "The GUM corpus", Language Resources and Evaluation).
MEANINGS = {
    "adversative": "contrast, concession or correction",
    "attribution": "the source of what is said or thought",
    "causal": "cause or result",
    "context": "background or circumstances",
    "contingency": "condition",
    "elaboration": "more detail",
    "evaluation": "a comment or judgement",
    "explanation": "evidence, justification or motivation",
    "joint": "list, sequence or other parts of equal rank",
    "mode": "manner or means",
    "organization": "heading, introduction or other preparation",
    "purpose": "goal of an action",
    "restatement": "the same in other words",
    "same": "parts of one unit that another one interrupts",
    "topic": "question and answer, or problem and solution",
}
THEMES = {
    "theme-topical": "what the clause is about",
    "theme-textual": "link to the text before, such as and or however",
    "theme-interpersonal": "attitude, address or question, such as perhaps",
    "rheme": "what the clause says about its theme",
}


@dataclass(frozen=True)
class LegendEntry:
    """A drawn sample, its name, its meaning, and how often it occurs; None where this is not counted."""

    sample: Markup
    name: str
    meaning: str
    count: int | None = None


def legend(tables: Mapping[str, Sequence[Row]]) -> dict[str, list[LegendEntry]]:
    """Entries by title for the rows of the tables ``rst_dependencies``, ``coreference`` and ``themes``.

    A table without rows to explain has no title.
    """
    labels = [split_label(row["relation"]) for row in tables.get("rst_dependencies", ()) if row["head"] >= 0]
    relations = Counter(relation for relation, _ in labels)
    themes = Counter(row["label"] for row in tables.get("themes", ()))
    parts = {
        "Relations": [_relation(name, count) for name, count in relations.most_common()],
        "Lines of trees and dependencies": list(_lines({role for _, role in labels})) if labels else [],
        "Coreference": list(_chains()) if tables.get("coreference") else [],
        "Themes and rhemes": [_theme(name, count) for name, count in themes.most_common()],
    }
    return {title: entries for title, entries in parts.items() if entries}


def _relation(name: str, count: int) -> LegendEntry:
    colour = relation_colour(name)
    box = element("rect", x=1.0, y=1.0, width=WIDTH - 2, height=HEIGHT - 2, rx=7.0, fill=colour, fill_opacity="0.14")
    box.set("stroke", colour)
    return LegendEntry(_sample(box), name, MEANINGS.get(coarse(name), ""), count)


def _lines(roles: set[str]) -> Iterator[LegendEntry]:
    """The lines of trees and dependencies; ``roles`` are those of the dependents."""
    plain = _path(f"M1 {MIDDLE:g}H{WIDTH - 6:g}")
    tip = arrowhead((WIDTH - 1, MIDDLE), (1.0, 0.0), "currentColor")
    if roles - {NUCLEUS}:
        meaning = "from a satellite to its nucleus, the part on which it depends"
        yield LegendEntry(_sample(plain, tip), "arrow of a tree", meaning)
    if NUCLEUS in roles:
        meaning = "a further nucleus, of equal rank"
        yield LegendEntry(_sample(_path(f"M1 {MIDDLE:g}H{WIDTH - 1:g}")), "line of a tree without arrow", meaning)
    bar = element("rect", x=WIDTH / 2 - 3, y=0.0, width=6.0, height=HEIGHT, rx=3.0, fill_opacity="0.1")
    yield LegendEntry(_sample(bar), "pale bar of a tree", "the units that are joined, from the first to the last")
    head = arrowhead((WIDTH - 1, HEIGHT - 3), (1.0, 0.0), "currentColor")
    arc = f"M{WIDTH - 6:g} 3A{WIDTH - 8:g} 5 0 0 0 {WIDTH - 6:g} {HEIGHT - 3:g}"
    if roles - {NUCLEUS}:
        yield LegendEntry(_sample(_path(arc), head), "arc of dependencies", "from a head, a nucleus, to its satellite")
    if NUCLEUS in roles:
        dashed = _path(arc)
        dashed.set("stroke-dasharray", "4 3")
        yield LegendEntry(_sample(dashed, head), "dashed arc", "from a nucleus to a further one")
    yield LegendEntry(Markup(), "number after a relation", "the head of the unit, in dependencies")


def _chains() -> Iterator[LegendEntry]:
    colour = chain_colour(0)
    box = element("rect", x=1.0, y=1.0, width=WIDTH - 2, height=HEIGHT - 2, rx=4.0, fill=colour, fill_opacity="0.13")
    box.set("stroke", colour)
    place: dict[str, float | str] = {"x": 5.0, "y": MIDDLE + 1, "font_size": 9.0, "font_weight": "bold"}
    meaning = "a mention; mentions of one number and colour mean the same"
    yield LegendEntry(_sample(box, element("text", "1", **place)), "numbered box", meaning)
    lane = element("path", d=f"M{WIDTH / 2:g} 0V{HEIGHT:g}", stroke=colour, stroke_width="1.5")
    dot = element("circle", cx=WIDTH / 2, cy=MIDDLE, r=3.5, fill=colour)
    yield LegendEntry(
        _sample(lane, dot), "lane on the left", "a chain from its first mention to its last, a dot for each line"
    )


def _theme(label: str, count: int) -> LegendEntry:
    line = element("path", d=f"M1 {MIDDLE:g}H{WIDTH - 1:g}", fill="none", **look(label))
    return LegendEntry(_sample(line), label, THEMES.get(label, ""), count)


def _path(d: str) -> Element:
    return element("path", d=d, fill="none", stroke="currentColor", stroke_width="1.6")


def _sample(*parts: Element) -> Markup:
    """A small SVG for the eye alone: the words beside it say the same."""
    size: dict[str, float | str] = {"width": WIDTH, "height": HEIGHT, "fill": "currentColor", "aria_hidden": "true"}
    return Markup(etree.tostring(element("svg", *parts, **size), encoding="unicode"))
