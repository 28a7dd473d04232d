"""Discourse dependency structures: every EDU has one head EDU, or is a root.

Where the relations come from a constituency tree they end in ``_m`` (the dependent is a nucleus) or ``_r``
(it is a satellite), as in .rsd files.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from discourse_nmt.discourse.structures.trees import NUCLEUS, ROOT_RELATION, SATELLITE, Nuclearity, StructureError

SUFFIXES: dict[Nuclearity, str] = {NUCLEUS: "_m", SATELLITE: "_r"}


@dataclass(frozen=True)
class Dependencies:
    """A forest over the EDUs ``0 .. M - 1`` of a document.

    ``heads[m]`` is the head EDU of EDU ``m``, -1 for a root; ``relations[m]`` is the relation to it,
    :data:`ROOT_RELATION` for a root. ``levels[m]`` (column 3 of .rsd; may be unknown) is the number of constituents of
    the same head below the one that ``m`` is attached to: it shows how the dependents of one head nest. Raises
    :class:`StructureError` for a head outside the document, a cycle, or fields of different lengths.
    """

    heads: tuple[int, ...]
    relations: tuple[str, ...]
    levels: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.relations) != len(self.heads) or len(self.levels) not in (0, len(self.heads)):
            raise StructureError(
                f"{len(self.heads)} heads, {len(self.relations)} relations and {len(self.levels)} levels"
            )
        check_heads(self.heads)
        for number, (head, relation) in enumerate(zip(self.heads, self.relations)):
            if not relation or (head < 0) != (relation == ROOT_RELATION):
                raise StructureError(f"EDU {number} (from 0) has head {head} and relation {relation!r}")

    @property
    def roots(self) -> tuple[int, ...]:
        """EDUs without a head, in text order."""
        return tuple(number for number, head in enumerate(self.heads) if head < 0)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Dependents of each EDU, in text order."""
        children: list[list[int]] = [[] for _ in self.heads]
        for number, head in enumerate(self.heads):
            if head >= 0:
                children[head].append(number)
        return tuple(map(tuple, children))

    @cached_property
    def top_down(self) -> tuple[int, ...]:
        """All EDUs, every head before its dependents."""
        order = list(self.roots)
        for number in order:
            order.extend(self.children[number])
        return tuple(order)

    @cached_property
    def yields(self) -> tuple[tuple[int, int], ...]:
        """First and last EDU of each EDU's subtree (itself included)."""
        yields = [(number, number) for number in range(len(self.heads))]
        for number in reversed(self.top_down):
            head = self.heads[number]
            if head >= 0:
                yields[head] = (
                    min(yields[head][0], yields[number][0]),
                    max(yields[head][1], yields[number][1]),
                )
        return tuple(yields)

    @cached_property
    def gaps(self) -> tuple[int, ...]:
        """EDUs whose subtree skips EDUs of the text; empty if and only if the structure is projective."""
        sizes = [1] * len(self.heads)
        for number in reversed(self.top_down):
            if self.heads[number] >= 0:
                sizes[self.heads[number]] += sizes[number]
        return tuple(number for number, (first, last) in enumerate(self.yields) if last - first + 1 != sizes[number])


def check_heads(heads: Sequence[int], first: int = 0, unit: str = "EDU") -> None:
    """Raise :class:`StructureError` unless ``heads`` (from 0, -1 for a root) is a forest.

    Messages call an element ``unit`` and count from ``first``.
    """
    for number, head in enumerate(heads):
        if not -1 <= head < len(heads):
            raise StructureError(f"{unit} {number + first} has the head {head + first}, which is no {unit}")
    if heads and -1 not in heads:
        raise StructureError(f"no {unit} is a root")
    finished = [False] * len(heads)
    for number in range(len(heads)):
        path: dict[int, None] = {}
        while number >= 0 and not finished[number]:
            if number in path:
                raise StructureError(f"{unit} {number + first} is its own ancestor")
            path[number] = None
            number = heads[number]
        for visited in path:
            finished[visited] = True


def labelled(relation: str, nuclearity: Nuclearity) -> str:
    """The dependency relation of a nucleus (``joint_m``) or a satellite (``evidence_r``)."""
    return relation + SUFFIXES[nuclearity]


def split_label(label: str) -> tuple[str, Nuclearity]:
    """Relation and role of a dependency relation; one without a suffix counts as a satellite's."""
    for nuclearity, suffix in SUFFIXES.items():
        if label.endswith(suffix):
            return label.removesuffix(suffix), nuclearity
    return label, SATELLITE
