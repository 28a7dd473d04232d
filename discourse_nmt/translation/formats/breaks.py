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
    costs = np.array(
        [[_cost(position, index + 1, source, target, links) for index in places] for position in positions]
    )
    costs = costs.reshape(len(positions), len(places))
    count = min(len(positions), len(places))
    # The cheapest places in order, by dynamic programming; breaks for which none is left end the line.
    best = np.full((count + 1, len(places) + 1), np.inf)
    best[0] = 0
    for row in range(1, count + 1):
        for column in range(row, len(places) + 1):
            taken = best[row - 1, column - 1] + costs[row - 1, column - 1]
            best[row, column] = min(best[row, column - 1], taken)
    chosen: list[int] = []
    column = len(places)
    for row in range(count, 0, -1):
        while best[row, column] == best[row, column - 1]:
            column -= 1
        column -= 1
        chosen.insert(0, column)
    found = [gaps[places[index]] for index in chosen]
    return found + [(len(target), len(target))] * (len(positions) - count)


def _cost(position: int, first: int, source: str, target: str, links: WordLinks) -> float:
    """The weight of links across a break before the target word ``first``, and its distance from its share."""
    before = np.array([end <= position for _, end in links.source], float)
    across = links.weights[:first] @ (1 - before), links.weights[first:] @ before
    distance = abs(position / max(1, len(source)) - links.target[first][0] / max(1, len(target)))
    return float(across[0].sum() + across[1].sum()) + DISTANCE * distance * len(links.target) / 2
