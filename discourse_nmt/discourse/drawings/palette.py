"""Colours of relations and chains: readable on light and dark backgrounds, distinct for colour-blind readers.

A colour never carries information alone: a word or a number always says the same.
"""

import zlib

INK, PAPER = "#1d2228", "#fdfdfc"
DARK_INK, DARK_PAPER = "#e4e6e8", "#16191c"
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#00916a",
    "#b8659a",
    "#a87800",
    "#7a6bd1",
    "#2f8fc0",
    "#c0413c",
    "#6b8e23",
    "#8c6d5a",
    "#008a99",
    "#7d838a",
)
# Frequent coarse relations of GUM and RST-DT; similar ones share a colour.
RELATIONS = {
    "elaboration": 0,
    "adversative": 1,
    "contrast": 1,
    "concession": 1,
    "joint": 2,
    "attribution": 3,
    "explanation": 4,
    "evidence": 4,
    "context": 5,
    "background": 5,
    "organization": 6,
    "causal": 7,
    "cause": 7,
    "purpose": 8,
    "mode": 8,
    "evaluation": 9,
    "contingency": 10,
    "condition": 10,
    "restatement": 10,
    "topic": 9,
    "same": 11,
}


def relation_colour(relation: str) -> str:
    """Colour of a relation by its coarse name, the part before the first dash; a stable choice for unknown ones."""
    coarse = relation.partition("-")[0].lower()
    return COLOURS[RELATIONS.get(coarse, zlib.crc32(coarse.encode("utf-8", "replace")) % len(COLOURS))]


def chain_colour(number: int) -> str:
    """Colour of the chain ``number``; consecutive numbers have different colours."""
    return COLOURS[number % (len(COLOURS) - 1)]
