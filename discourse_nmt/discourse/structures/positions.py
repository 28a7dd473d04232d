"""Discourse structural positions of elementary discourse units (EDUs) in a tree.

Specification 02 (sections 3 and 12) defines five positions, all of them plain numbers: the index and the depth of each
EDU; and for each ordered pair (e, e') the difference of the indices, the difference of the depths, and the strength of
the path between them. In every table of pairs, the row is the current EDU e and the column the other EDU e'.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.structures.trees import NUCLEUS, RstTree

Integers = npt.NDArray[np.integer[Any]]
Reals = npt.NDArray[np.floating[Any]]
DepthBase = Literal["min_edu", "root_child"]


@dataclass(frozen=True)
class PositionTables:
    """The tables from which the positions of the M EDUs of a tree are computed; they depend on no switch.

    Without a tree (after a failure of the parser), and for a single EDU, all tables and all positions are 0.
    """

    depths: Integers
    """Edges between each EDU and the root, [M]."""
    corrections: Reals
    """Correction of each EDU's depth by nuclearity, [M].

    -0.5 for a nucleus with a satellite EDU beside it, 0.5 for that satellite, else 0.
    """
    nuclei: Integers
    """Nucleus edges on the path P(e, e') of each pair, [M, M]."""
    satellites: Integers
    """Satellite edges on the path P(e, e') of each pair, [M, M]."""

    @property
    def parsed(self) -> bool:
        """Whether there is a tree of several EDUs: then every EDU is below the root."""
        return bool(self.depths.any())

    def abs_edu(self, base: int = 0) -> Reals:
        """The index of each EDU, counted from ``base``; [M]."""
        count = len(self.depths)
        return np.arange(base, count + base, dtype=float) if self.parsed else np.zeros(count)

    def rel_edu(self) -> Reals:
        """Distance from e to e' in EDUs, negative where e' comes first; [M, M]."""
        indices = self.abs_edu()
        return indices[None, :] - indices[:, None]

    def abs_depth(self, base: DepthBase = "min_edu") -> Reals:
        """The corrected depth of each EDU, counted from the topmost EDU or from a child of the root; [M]."""
        if not self.parsed:
            return np.zeros(len(self.depths))
        top = self.depths.min() if base == "min_edu" else 1
        return self.depths - top + self.corrections

    def rel_depth(self) -> Reals:
        """Depth of e' minus depth of e, with the correction of e' only; 0 on the diagonal; [M, M].

        The base of the depths cancels out.
        """
        differences = (self.depths + self.corrections)[None, :] - self.depths[:, None]
        np.fill_diagonal(differences, 0)
        return differences

    def path(self, w_n: float = 0.8, log_base: float = 10) -> Reals:
        """1 / (1 - sum of log w over the edges of P(e, e')), w = ``w_n`` for a nucleus edge, else 1 - ``w_n``; [M, M].

        Equation (4). Between 0 and 1, larger for fewer and stronger edges; 0 on the diagonal. Raises
        :class:`InputError` for a ``w_n`` outside [0.5, 1).
        """
        if not 0.5 <= w_n < 1:
            raise InputError(f"w_n is {w_n}", remedy="it must be at least 0.5 and less than 1")
        if not self.parsed:
            return np.zeros(self.nuclei.shape)
        logs = np.log([w_n, 1 - w_n]) / np.log(log_base)
        strengths: Reals = 1 / (1 - self.nuclei * logs[0] - self.satellites * logs[1])
        np.fill_diagonal(strengths, 0)
        return strengths


def without_tree(count: int) -> PositionTables:
    """The tables of ``count`` EDUs without a tree: all positions are 0."""
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

    # 1 where the edge above the ancestor of EDU e (or e itself) at depth d is a nucleus edge, [M, depth + 1].
    edges = np.zeros((len(leaves), int(depths.max()) + 1), np.int64)
    nodes = leaves
    for _ in range(edges.shape[1] - 1):
        edges[np.arange(len(leaves)), levels[nodes]] = nuclear[nodes]
        nodes = np.where(parents[nodes] < 0, nodes, parents[nodes])
    below_root = edges.cumsum(1)  # nucleus edges between that ancestor and the root

    lowest = _depths_of_ancestors(parents, firsts, levels, depths)
    own = np.arange(len(leaves))[:, None]
    sides = np.minimum(lowest + 1, depths[:, None])  # the depth of n; on the diagonal that of e
    total = below_root[:, -1]
    nuclei = total[None, :] - below_root[own, lowest] + total[:, None] - below_root[own, sides]
    satellites = depths[None, :] - lowest + depths[:, None] - sides - nuclei
    return PositionTables(depths, _corrections(parents[leaves], nuclear[leaves]), nuclei, satellites)


def _depths_of_ancestors(parents: Integers, firsts: Integers, levels: Integers, depths: Integers) -> Integers:
    """The depth of the lowest common ancestor of each pair of EDUs, [M, M]; on the diagonal the depth of the EDU."""
    later = np.flatnonzero((parents >= 0) & (firsts > firsts[parents]))  # children that are not the first child
    borders = np.zeros(len(depths), np.int64)  # depth of the node that divides an EDU from the one before
    borders[firsts[later]] = levels[parents[later]]
    # The node that divides e from e' > e is the highest one that divides two adjacent EDUs between them.
    count = len(depths)
    between = np.triu(np.broadcast_to(borders, (count, count)), 1)
    between += np.tril(np.full((count, count), len(levels)))
    lowest = np.minimum.accumulate(between, axis=1)
    lowest = np.minimum(lowest, lowest.T)
    np.fill_diagonal(lowest, depths)
    return lowest


def _corrections(parents: Integers, nuclear: npt.NDArray[np.bool_]) -> Reals:
    """The correction of each EDU, from its parent node [M] and whether it is ``nuclear`` [M].

    The EDUs among the children of a node are corrected if at least one is a nucleus and one a satellite.
    """
    mixed = np.isin(parents, parents[nuclear]) & np.isin(parents, parents[~nuclear])
    return np.where(mixed, np.where(nuclear, -0.5, 0.5), 0.0)
