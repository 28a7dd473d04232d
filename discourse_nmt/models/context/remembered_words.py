"""The words in a cache of recent words after each sentence, and the uses of a word that its entry is a mean of."""

from collections.abc import Sequence

from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.models.context.paragraphs import NO_SENTENCE

FREE = -1  # stands for "no use of a word", in a slot of the cache that is free


def remembered_words(
    ids: Sequence[Sequence[int]], earlier_rows: Sequence[Sequence[int]], size: int
) -> tuple[dict[int, int], list[list[int]], list[list[int]]]:
    """The entries of a cache of ``size`` words.

    ``ids`` are R rows of T symbols, ``<s> ids`` and padding; ``earlier_rows`` are the sentences before some of them,
    the nearest first. The use of a word that position t of row r predicts has the index r * T + t.

    Returns three things. The previous use of each use of a word that was in the cache. These uses by depth: the second
    uses of a word since it entered the cache, then the third ones, and so on. And the ``size`` uses that the cache
    holds after each of the R rows, :data:`FREE` in free slots. A use writes the mean of itself and of what the previous
    use wrote.
    """
    width = len(ids[0])
    previous_use: dict[int, int] = {}
    depth: dict[int, int] = {}
    uses_after_row: dict[int, list[int]] = {}
    for chain in sorted(([row for row in rows if row != NO_SENTENCE] for rows in earlier_rows), key=len, reverse=True):
        if not chain or chain[0] in uses_after_row:
            continue
        cache: dict[int, int] = {}  # the last use of each word, the word used longest ago first
        for row in reversed(chain):
            for position, word in enumerate(ids[row][1:]):
                if word == PAD:
                    break
                use = row * width + position
                if word in cache:
                    previous_use[use] = cache.pop(word)
                    depth[use] = depth[previous_use[use]] + 1
                else:
                    depth[use] = 0
                    if len(cache) == size:
                        del cache[next(iter(cache))]
                cache[word] = use
            uses_after_row[row] = list(cache.values())
    uses_of_depth: list[list[int]] = [[] for _ in range(max(depth.values(), default=0))]
    for use in previous_use:
        uses_of_depth[depth[use] - 1].append(use)
    free = [FREE] * size
    return previous_use, uses_of_depth, [(uses_after_row.get(row, []) + free)[:size] for row in range(len(ids))]
