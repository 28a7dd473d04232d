"""An RST tree as SVG: the classic diagram turned on its side, so that documents of any length stay readable.

Every EDU has a line from left to right that ends at its text. The line begins at the largest constituent that the EDU
heads, where this is joined to its sibling, at the depth of the joining node: with an arrow from a satellite to its
nucleus, without one from a further nucleus. The label before an EDU's text thus names the relation of its line, lines
never cross, and a pale bar at each depth shows the EDUs that the node covers.
"""

from collections.abc import Sequence

from discourse_nmt.discourse.drawings.canvas import Element, arrowhead, drawing, element, group, line
from discourse_nmt.discourse.drawings.edu_list import MARGIN, EduList, Label
from discourse_nmt.discourse.drawings.palette import relation_colour
from discourse_nmt.discourse.structures.trees import NUCLEUS, RstTree

STEPS = (22.0, 12.0)  # widest and narrowest level
TREE_WIDTH = 320.0  # above this width, levels get narrower
BEND = 6.0


def rst_tree(tree: RstTree, texts: Sequence[str], title: str = "RST tree") -> str:
    """SVG of a tree; ``texts`` has one text per EDU."""
    inner = [number for number, below in enumerate(tree.children) if below]
    levels = max((tree.depths[number] + 1 for number in inner), default=0)
    step = max(STEPS[1], min(STEPS[0], TREE_WIDTH / max(levels, 1)))
    left = MARGIN + max(levels, 1) * step + 8
    rows = EduList(texts, _labels(tree), left)
    first_line = line([(MARGIN, rows.middles[tree.heads[0]]), (left, rows.middles[tree.heads[0]])])
    bars, joints = [], [first_line]
    for number in inner:
        x = MARGIN + tree.depths[number] * step
        node = tree.nodes[number]
        top, bottom = rows.middles[node.first_edu], rows.middles[node.last_edu]
        bars.append(element("rect", x=x - 3, y=top - 7, width=6.0, height=bottom - top + 14, rx=3.0))
        joints += _joints(tree, number, x, rows)
    description = (
        f"{len(tree.leaves)} elementary discourse units from top to bottom, each with its relation; "
        "lines join a satellite, with an arrow, or a further nucleus to its nucleus."
    )
    parts = [
        group(bars, fill_opacity="0.1"),
        group(joints, stroke="currentColor", stroke_width="1.6", fill="none"),
        *rows.elements(),
    ]
    return drawing(rows.width, rows.height, title, description, parts)


def _labels(tree: RstTree) -> list[Label]:
    """The relation of the largest constituent that each EDU heads."""
    labels = [Label("", "none", "")] * len(tree.leaves)
    for number, (node, head) in enumerate(zip(tree.nodes, tree.heads)):
        if number == 0:
            labels[head] = Label("root", "currentColor", f"EDU {head + 1}: head of the document")
        elif number != tree.head_child(node.parent):
            governor = tree.heads[node.parent] + 1
            covered = f"EDUs {node.first_edu + 1} to {node.last_edu + 1}"
            covered = covered if node.last_edu > node.first_edu else f"EDU {head + 1}"
            role = "nucleus beside" if node.nuclearity == NUCLEUS else "satellite of"
            meaning = f"{covered}: {node.relation}, {role} EDU {governor}"
            labels[head] = Label(node.relation, relation_colour(node.relation), meaning)
    return labels


def _joints(tree: RstTree, number: int, x: float, rows: EduList) -> list[Element]:
    """The lines of a node's children except its head child, the farthest first, so that near ones are drawn above."""
    nucleus = rows.middles[tree.heads[number]]
    others = [child for child in tree.children[number] if child != tree.head_child(number)]
    others.sort(key=lambda child: -abs(rows.middles[tree.heads[child]] - nucleus))
    drawn: list[Element] = []
    for child in others:
        node = tree.nodes[child]
        y = rows.middles[tree.heads[child]]
        colour = relation_colour(node.relation)
        down = 1.0 if nucleus > y else -1.0
        if node.nuclearity == NUCLEUS:
            drawn.append(line([(x, nucleus), (x, y), (rows.left, y)], BEND, stroke=colour))
        else:
            drawn.append(line([(x, nucleus - 3 * down), (x, y), (rows.left, y)], BEND, stroke=colour))
            head = arrowhead((x, nucleus - down), (0.0, down), colour, 6.0)
            head.set("stroke", "none")
            drawn.append(head)
    return drawn
