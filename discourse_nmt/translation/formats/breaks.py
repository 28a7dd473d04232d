"""Breaks: line ends of subtitles, ``<br>``, hard line ends of Markdown, and their places in a translation."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from discourse_nmt.translation.formats.blocks import BlockPiece, Span
from discourse_nmt.translation.word_links import WordLinks

DISTANCE = 1.0
"""Link weight that a break may lose for lying at its share of the letters: for the length of the whole line."""


def with_paragraphs(pieces: Sequence[BlockPiece]) -> list[BlockPiece]:
    """The pieces; breaks with only blanks between them part paragraphs, over which no sentence goes."""
    result = list(pieces)
    last_break: int | None = None  # while only blanks follow it
    for index, piece in enumerate(pieces):
        if piece.kind == "break":
            if last_break is not None:
                for place in (last_break, index):
                    result[place] = replace(pieces[place], text="\n", kind="line")
            last_break = index
        elif piece.text.strip():
            last_break = None
    return result


def break_places(positions: Sequence[int], source: str, target: str, links: WordLinks) -> list[Span]:
    """The blanks of ``target``, or places between its words, that breaks at ``positions`` of ``source`` take, in order.

    A break has as little as may be of the words before it behind it, and the other way round.
    """
    if not positions:
        return []
    gaps = [(end, start) for (_, end), (start, _) in pairwise(links.target)]
    spaced = any(end < start for end, start in gaps)
    places = [index for index, (end, start) in enumerate(gaps) if end < start or not spaced]
    costs = _costs(positions, source, target, links)[:, [index + 1 for index in places]]
    count = min(len(positions), len(places))
    # The cheapest places in order, by dynamic programming; breaks for which none is left end the line.
    best = np.full((count + 1, len(places) + 1), np.inf)
    best[0] = 0
    for row in range(1, count + 1):
        best[row, 1:] = np.minimum.accumulate(best[row - 1, :-1] + costs[row - 1])
    chosen: list[int] = []
    column = len(places)
    for row in range(count, 0, -1):
        column = int(np.searchsorted(-best[row, : column + 1], -best[row, column])) - 1
        chosen.insert(0, column)
    found = [gaps[places[index]] for index in chosen]
    return found + [(len(target), len(target))] * (len(positions) - count)


def _costs(positions: Sequence[int], source: str, target: str, links: WordLinks) -> np.ndarray:
    """The weight of links across a break before each target word, and its distance from its share.

    [break, target word]
    """
    places, ends = np.array(positions), np.array([end for _, end in links.source])
    starts = np.array([start for start, _ in links.target])
    early = links.weights @ (ends[:, None] <= places)  # [target word, break]: of links to words before the break
    late = links.weights.sum(1, keepdims=True) - early
    across = late.cumsum(0) - late + early[::-1].cumsum(0)[::-1]
    shares = places / max(1, len(source)) - starts[:, None] / max(1, len(target))
    return (across + DISTANCE * np.abs(shares) * len(starts) / 2).T
