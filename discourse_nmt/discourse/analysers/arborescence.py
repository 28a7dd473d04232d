"""The best dependency tree of a sentence: maximum spanning arborescence with exactly one root."""

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]


def is_tree(heads: npt.NDArray[np.int64]) -> bool:
    """Whether ``heads`` [words] (0 is the root node, words count from 1) has one root and no cycle."""
    if (heads == 0).sum() != 1:
        return False
    ancestors = np.concatenate([[0], heads])
    for _ in range(max(1, len(heads).bit_length())):
        ancestors = ancestors[ancestors]
    return not ancestors.any()


def best_tree(scores: Scores) -> npt.NDArray[np.int64]:
    """Heads [words] of the tree with the highest sum of scores and exactly one word under the root node 0.

    ``scores`` [words, 1 + words] are finite; row d - 1 has the scores of the heads of word d. A word is never its own
    head. Words are tried as roots in order of an upper bound (every other word with its best head), each with
    Chu-Liu/Edmonds, until no bound exceeds the best tree so far. The result is exact; one try is usually enough.
    """
    words = len(scores)
    among = scores[:, 1:].copy()  # [dependent, head], without the root node
    np.fill_diagonal(among, -np.inf)
    best_heads = among.max(1, initial=-np.inf)
    bounds = [scores[root, 0] + best_heads[:root].sum() + best_heads[root + 1 :].sum() for root in range(words)]
    best, total = np.zeros(words, np.int64), -np.inf
    for root in np.argsort(bounds, kind="stable")[::-1].tolist():
        if bounds[root] <= total:
            break
        order = np.concatenate([[root], np.delete(np.arange(words), root)])
        inner = _arborescence(among[order][:, order])
        heads = np.empty(words, np.int64)
        heads[order] = order[inner] + 1
        heads[root] = 0
        reached = scores[np.arange(words), heads].sum()
        if reached > total:
            best, total = heads, reached
    return best


def _arborescence(scores: Scores) -> npt.NDArray[np.int64]:
    """Heads [nodes] of the maximum arborescence from node 0, for ``scores`` [dependent, head]; node 0 gets itself."""
    heads = scores.argmax(1)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    inside = np.zeros(len(heads), bool)
    inside[cycle] = True
    outside, members = np.flatnonzero(~inside), np.flatnonzero(inside)  # outside begins with node 0
    # Contract the cycle to a new last node: an arc into a member replaces that member's arc in the cycle.
    gains = scores[members][:, outside] - scores[members, heads[members]][:, None]
    leaving = scores[outside][:, members]
    size = len(outside)
    contracted = np.full((size + 1, size + 1), -np.inf)
    contracted[:size, :size] = scores[outside][:, outside]
    contracted[:size, size] = leaving.max(1)
    contracted[size, :size] = gains.max(0)
    inner = _arborescence(contracted)
    result = heads.copy()
    result[outside] = np.where(
        inner[:size] == size, members[leaving.argmax(1)], outside[np.minimum(inner[:size], size - 1)]
    )
    result[members[gains[:, inner[size]].argmax()]] = outside[inner[size]]
    result[0] = 0
    return result


def _cycle(heads: npt.NDArray[np.int64]) -> list[int] | None:
    """Nodes of a cycle without node 0, or None."""
    state = np.zeros(len(heads), np.int64)  # 0 unseen, otherwise the walk that saw it
    state[0] = -1
    for start in range(1, len(heads)):
        node = start
        while state[node] == 0:
            state[node] = start
            node = int(heads[node])
        if state[node] == start:
            cycle = [node]
            while (next_node := int(heads[cycle[-1]])) != node:
                cycle.append(next_node)
            return cycle
    return None
