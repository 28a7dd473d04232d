"""The rhetorical structure of a document under construction: trees over sentence indices."""

from __future__ import annotations

from dataclasses import dataclass

from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, Nuclearity, RstTree, join, leaf


@dataclass(frozen=True)
class Group:
    """Adjacent parts joined by one relation; a part is a sentence index or another group, with its role."""

    relation: str
    parts: tuple[tuple[Part, Nuclearity], ...]


Part = int | Group


def supported(nucleus: Part, satellite: Part, relation: str) -> Group:
    """A nucleus with the satellite that follows it."""
    return Group(relation, ((nucleus, NUCLEUS), (satellite, SATELLITE)))


def introduced(satellite: Part, nucleus: Part, relation: str) -> Group:
    """A nucleus with the satellite that precedes it."""
    return Group(relation, ((satellite, SATELLITE), (nucleus, NUCLEUS)))


def coordinated(parts: list[Part], relation: str) -> Group:
    """Parts of equal weight."""
    return Group(relation, tuple((part, NUCLEUS) for part in parts))


def shifted(part: Part, offset: int) -> Part:
    """The structure with ``offset`` added to all sentence indices."""
    if isinstance(part, int):
        return part + offset
    return Group(part.relation, tuple((shifted(child, offset), role) for child, role in part.parts))


def tree(part: Part, sentences: dict[int, RstTree]) -> RstTree:
    """The tree of ``part``, with the tree of its own units for each sentence."""
    if isinstance(part, int):
        return sentences[part]
    nuclei = sum(role == NUCLEUS for _, role in part.parts)
    return join(
        [
            (tree(child, sentences), role, "span" if nuclei == 1 and role == NUCLEUS else part.relation)
            for child, role in part.parts
        ]
    )


def sentence_tree(relation: str, order: str) -> RstTree:
    """The tree of one sentence with a unit for each letter of ``order`` (N or S), or a single unit."""
    if len(order) < 2:
        return leaf()
    roles: list[Nuclearity] = [NUCLEUS if letter == "N" else SATELLITE for letter in order]
    nuclei = roles.count(NUCLEUS)
    return join([(leaf(), role, "span" if nuclei == 1 and role == NUCLEUS else relation) for role in roles])
