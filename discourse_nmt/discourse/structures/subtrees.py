"""A tree restricted to some of its units."""

from collections.abc import Collection

from discourse_nmt.discourse.structures.trees import NUCLEUS, ROOT_ROLE, Nuclearity, RstTree, assemble


def restricted(tree: RstTree, edus: Collection[int]) -> RstTree:
    """The tree over some of its EDUs (at least one), renumbered in text order.

    A node without any of these EDUs is left out. A node with one child left is replaced by that child, which takes the
    node's role and relation, as these describe its relation to the remaining siblings. Satellites that are left without
    a nucleus become nuclei, since none of them depends on another.
    """
    wanted = sorted(edus)
    if len(wanted) == len(tree.leaves):
        return tree
    new_edus = {tree.leaves[edu]: index for index, edu in enumerate(wanted)}
    children: dict[int, list[int]] = {}
    tops: dict[int, int] = {}  # the remaining node for each node that covers a wanted EDU
    for number in reversed(range(len(tree.nodes))):
        below = [tops[child] for child in tree.children[number] if child in tops]
        if len(below) > 1:
            children[number] = below
        if below or number in new_edus:
            tops[number] = number if len(below) != 1 else below[0]
    roles: dict[int, tuple[Nuclearity, str]] = {}
    for number, node in enumerate(tree.nodes):
        if node.nuclearity != ROOT_ROLE and number in tops:
            roles.setdefault(tops[number], (node.nuclearity, node.relation))  # the highest node comes first
    for below in children.values():
        if all(roles[child][0] != NUCLEUS for child in below):
            roles |= dict.fromkeys(below, (NUCLEUS, roles[below[0]][1]))
    texts = [tree.texts[edu] for edu in wanted] if tree.texts else []
    return assemble(tops[0], children, roles, new_edus, texts)
