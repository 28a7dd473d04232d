"""Which words a cache of recent words holds after each sentence, and which uses of a word its entry is a mean of."""

from collections.abc import Sequence

from discourse_nmt.corpus.vocabulary import PAD
from discourse_nmt.models.context.paragraphs import NO_SENTENCE


def remembered_words(
    ids: Sequence[Sequence[int]], seen: Sequence[Sequence[int]], size: int
) -> tuple[dict[int, int], list[list[int]], list[list[int]]]:
    """The entries of a cache of ``size`` words.

    ``ids`` are R rows of T symbols, ``<s> ids`` and padding; ``seen`` are the sentences before some of them, the
    nearest first. A use of a word is numbered r * T + t for the position t in row r that predicts it, the one before.

    Returns for each use of a word that was in the cache the use before it; these uses, first those that are the second
    since the word entered, then the third …; and for each of the R rows the ``size`` uses that the cache after it
    holds, :data:`NO_SENTENCE` for free places. What a use writes is the mean of it and of what the use before it wrote.
    """
    width = len(ids[0])
    previous: dict[int, int] = {}
    depth: dict[int, int] = {}
    after: dict[int, list[int]] = {}
    for chain in sorted(([row for row in rows if row != NO_SENTENCE] for rows in seen), key=len, reverse=True):
        if not chain or chain[0] in after:
            continue
        cache: dict[int, int] = {}  # the last use of each word, that of the word used longest ago first
        for row in reversed(chain):
            for place, word in enumerate(ids[row][1:]):
                if word == PAD:
                    break
                use = row * width + place
                if word in cache:
                    previous[use] = cache.pop(word)
                    depth[use] = depth[previous[use]] + 1
                else:
                    depth[use] = 0
                    if len(cache) == size:
                        del cache[next(iter(cache))]
                cache[word] = use
            after[row] = list(cache.values())
    levels: list[list[int]] = [[] for _ in range(max(depth.values(), default=0))]
    for use in previous:
        levels[depth[use] - 1].append(use)
    free = [NO_SENTENCE] * size
    return previous, levels, [(after.get(row, []) + free)[:size] for row in range(len(ids))]
