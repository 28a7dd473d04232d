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

    ``scores`` [words, 1 + words]: row d - 1 holds the scores of the heads of word d, finite; a word is never its own
    head. Chu-Liu/Edmonds; one root is enforced by lowering all root scores by more than a tree's scores can differ
    (Stanojevic and Cohen, 2021, "A root of a problem").
    """
    words = len(scores)
    if words == 0:
        return np.zeros(0, np.int64)
    full = np.full((words + 1, words + 1), -np.inf)  # [dependent, head]
    full[1:] = scores
    np.fill_diagonal(full, -np.inf)
    greedy = full[1:].argmax(1)
    if is_tree(greedy):
        return greedy
    finite = full[1:][np.isfinite(full[1:])]
    full[1:, 0] -= (finite.max() - finite.min() + 1) * words
    return _arborescence(full)[1:]


def _arborescence(scores: Scores) -> npt.NDArray[np.int64]:
    """Heads [nodes] of the maximum arborescence from node 0, for ``scores`` [dependent, head]; node 0 gets itself."""
    heads = scores.argmax(1)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    inside = np.zeros(len(heads), bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)  # begins with node 0
    members = np.flatnonzero(inside)
    # Contract the cycle to a last node: entering it at m costs the cycle arc of m.
    gains = scores[members][:, outside] - scores[members, heads[members]][:, None]
    size = len(outside)
    contracted = np.full((size + 1, size + 1), -np.inf)
    contracted[:size, :size] = scores[np.ix_(outside, outside)]
    leaving = scores[np.ix_(outside, members)]
    contracted[:size, size] = leaving.max(1)
    contracted[size, :size] = gains.max(0)
    inner = _arborescence(contracted)
    result = heads.copy()
    for place, node in enumerate(outside):
        head = inner[place]
        result[node] = members[leaving[place].argmax()] if head == size else outside[head]
    entering = inner[size]
    result[members[gains[:, entering].argmax()]] = outside[entering]
    result[0] = 0
    return result


def _cycle(heads: npt.NDArray[np.int64]) -> list[int] | None:
    """Nodes of a cycle that does not hold node 0, or None."""
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
