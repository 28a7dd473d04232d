"""The part of a tree that is about some of its units."""

from collections.abc import Collection

from discourse_nmt.discourse.structures.trees import NUCLEUS, ROOT_ROLE, Nuclearity, RstTree, assemble


def restricted(tree: RstTree, edus: Collection[int]) -> RstTree:
    """The tree over some of its EDUs (at least one), numbered anew in text order.

    A node that covers none of them is left out. One of which a single child is left is replaced by that child, which
    takes the node's role and relation: they say what it is to those that are still beside it. Where no nucleus is left
    beside several satellites these become nuclei, since none of them depends on another.
    """
    wanted = sorted(edus)
    if len(wanted) == len(tree.leaves):
        return tree
    numbers = {tree.leaves[edu]: place for place, edu in enumerate(wanted)}
    children: dict[int, list[int]] = {}
    tops: dict[int, int] = {}  # the node that stands for each node that covers a wanted EDU
    for number in reversed(range(len(tree.nodes))):
        below = [tops[child] for child in tree.children[number] if child in tops]
        if len(below) > 1:
            children[number] = below
        if below or number in numbers:
            tops[number] = number if len(below) != 1 else below[0]
    roles: dict[int, tuple[Nuclearity, str]] = {}
    for number, node in enumerate(tree.nodes):
        if node.nuclearity != ROOT_ROLE and number in tops:
            roles.setdefault(tops[number], (node.nuclearity, node.relation))  # the highest edge comes first
    for below in children.values():
        if all(roles[child][0] != NUCLEUS for child in below):
            roles |= dict.fromkeys(below, (NUCLEUS, roles[below[0]][1]))
    texts = [tree.texts[edu] for edu in wanted] if tree.texts else []
    return assemble(tops[0], children, roles, numbers, texts)
