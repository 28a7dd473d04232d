"""Discourse structural positions: what a tree says about where its elementary discourse units (EDUs) stand.

The five positions of specification 02 (sections 3 and 12) are real numbers without a unit: of each EDU its number and
its depth, of each ordered pair (e, e') the difference of their numbers, that of their depths, and the strength of the
path between them. In every table of pairs the row is the current EDU e, the column the other EDU e'.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.discourse.structures.trees import NUCLEUS, RstTree

Integers = npt.NDArray[np.integer[Any]]
Reals = npt.NDArray[np.floating[Any]]
DepthBase = Literal["min_edu", "root_child"]


@dataclass(frozen=True)
class PositionTables:
    """What the positions of the M EDUs of a tree are made of; nothing here depends on a switch.

    Without a tree (its parser failed), and for a single EDU, everything here is 0 and so are all positions.
    """

    depths: Integers
    """Edges between each EDU and the root, [M]."""
    corrections: Reals
    """What nuclearity adds to each EDU's depth, [M]: -0.5 for a nucleus that has an EDU as satellite beside it, 0.5 for
    that satellite, else 0."""
    nuclei: Integers
    """Nucleus edges on the path P(e, e') of each pair, [M, M]."""
    satellites: Integers
    """Satellite edges on the path P(e, e') of each pair, [M, M]."""

    @property
    def parsed(self) -> bool:
        """Whether there are EDUs below a root: no EDU of a tree of several is the root itself."""
        return bool(self.depths.any())

    def abs_edu(self, base: int = 0) -> Reals:
        """The number of each EDU, counted from ``base``; [M]."""
        count = len(self.depths)
        return np.arange(base, count + base, dtype=float) if self.parsed else np.zeros(count)

    def rel_edu(self) -> Reals:
        """How many EDUs e' is after e, negative where it is before; [M, M]."""
        numbers = self.abs_edu()
        return numbers[None, :] - numbers[:, None]

    def abs_depth(self, base: DepthBase = "min_edu") -> Reals:
        """The corrected depth of each EDU, counted from the topmost EDU or from a child of the root; [M]."""
        if not self.parsed:
            return np.zeros(len(self.depths))
        top = self.depths.min() if base == "min_edu" else 1
        return self.depths - top + self.corrections

    def rel_depth(self) -> Reals:
        """How much deeper e' is than e, where only the depth of e' is corrected; 0 on the diagonal; [M, M].

        The depth that counts as 0 cancels out.
        """
        found = (self.depths + self.corrections)[None, :] - self.depths[:, None]
        np.fill_diagonal(found, 0)
        return found

    def path(self, w_n: float = 0.8, log_base: float = 10) -> Reals:
        """1 / (1 - sum of log w over the edges of P(e, e')), w = ``w_n`` for a nucleus edge, else 1 - ``w_n``; [M, M].

        Equation 4. Between 0 and 1, larger for fewer and stronger edges; 0 on the diagonal. Raises :class:`InputError`
        for a ``w_n`` outside [0.5, 1).
        """
        if not 0.5 <= w_n < 1:
            raise InputError(f"w_n is {w_n}", remedy="it must be at least 0.5 and less than 1")
        if not self.parsed:
            return np.zeros(self.nuclei.shape)
        logs = np.log([w_n, 1 - w_n]) / np.log(log_base)
        found: Reals = 1 / (1 - self.nuclei * logs[0] - self.satellites * logs[1])
        np.fill_diagonal(found, 0)
        return found


def without_tree(count: int) -> PositionTables:
    """The tables of ``count`` EDUs of which there is no tree: all positions are 0."""
    empty = np.zeros((count, count), np.int64)
    return PositionTables(np.zeros(count, np.int64), np.zeros(count), empty, empty)


def position_tables(tree: RstTree) -> PositionTables:
    """The tables of a tree, in time and memory proportional to M x depth + M x M.

    With f the lowest common ancestor of e and e', and n its child on the way to e (which may be e), P(e, e') holds the
    edges from e' up to f and those from e up to n; the edge from n to f is left out.
    """
    parents, firsts = (np.array([getattr(node, name) for node in tree.nodes]) for name in ("parent", "first_edu"))
    nuclear = np.array([node.nuclearity == NUCLEUS for node in tree.nodes])
    levels, leaves = np.array(tree.depths), np.array(tree.leaves)
    depths = levels[leaves]

    # Whether the edge above the ancestor of EDU e (or itself) at depth d is a nucleus edge, [M, depth + 1].
    edges = np.zeros((len(leaves), int(depths.max()) + 1), np.int64)
    nodes = leaves
    for _ in range(edges.shape[1] - 1):
        edges[np.arange(len(leaves)), levels[nodes]] = nuclear[nodes]
        nodes = np.where(parents[nodes] < 0, nodes, parents[nodes])
    below_root = edges.cumsum(1)  # nucleus edges between that node and the root

    lowest = _depths_of_ancestors(parents, firsts, levels, depths)
    own = np.arange(len(leaves))[:, None]
    sides = np.minimum(lowest + 1, depths[:, None])  # the depth of n; on the diagonal that of e
    total = below_root[:, -1]
    nuclei = total[None, :] - below_root[own, lowest] + total[:, None] - below_root[own, sides]
    satellites = depths[None, :] - lowest + depths[:, None] - sides - nuclei
    return PositionTables(depths, _corrections(parents[leaves], nuclear[leaves]), nuclei, satellites)


def _depths_of_ancestors(parents: Integers, firsts: Integers, levels: Integers, depths: Integers) -> Integers:
    """The depth of the lowest common ancestor of each pair of EDUs, [M, M]; of an EDU and itself its own."""
    inner = np.flatnonzero(
        (parents >= 0) & (firsts > firsts[parents])
    )  # children that are not the first of their parent
    borders = np.zeros(len(depths), np.int64)  # depth of the node that divides an EDU from the one before
    borders[firsts[inner]] = levels[parents[inner]]
    # The node that divides e from e' > e is the highest of those that divide neighbours between them.
    count = len(depths)
    between = np.triu(np.broadcast_to(borders, (count, count)), 1)
    between += np.tril(np.full((count, count), len(levels)))
    found = np.minimum.accumulate(between, axis=1)
    found = np.minimum(found, found.T)
    np.fill_diagonal(found, depths)
    return found


def _corrections(parents: Integers, nuclear: npt.NDArray[np.bool_]) -> Reals:
    """The correction of each EDU by its ``parents`` [M] and whether it is ``nuclear`` [M].

    All EDUs among the children of a node are corrected where at least one is a nucleus and one a satellite.
    """
    mixed = np.isin(parents, parents[nuclear]) & np.isin(parents, parents[~nuclear])
    return np.where(mixed, np.where(nuclear, -0.5, 0.5), 0.0)
