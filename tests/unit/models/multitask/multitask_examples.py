"""The paragraph of specification 04, section 12, random ones with a parser's analysis, and small networks."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.context.lines import Lines, lines_of_paragraphs
from discourse_nmt.models.context.paragraphs import Paragraphs, ParagraphSource
from discourse_nmt.models.multitask.network import Multitask
from discourse_nmt.models.multitask.paragraph_analysis import ParagraphAnalysis
from discourse_nmt.models.multitask.unit_pooling import units_of_lines
from tests.unit.models.context.context_examples import network, paragraph

RELATIONS = ["a", "b_m", "c_r"]
STATES = torch.tensor([[1.0, 0], [0, 2], [-1, 1], [2, -1], [0, 1]], dtype=torch.float64)
EDUS = torch.tensor([[[1.0, 2], [-1, 1], [2, 1]]], dtype=torch.float64)
CUTS = [False, True, True, False, True]
BOUNDARIES = torch.tensor([0.1, 0.8, 0.9, 0.2, 0.7], dtype=torch.float64).logit()
ATTENTION = torch.tensor(
    [[0.721399, 0.013213, 0.265388], [0.259496, 0.705385, 0.035119], [0.268455, 0.001809, 0.729736]],
    dtype=torch.float64,
)


def lines() -> Lines:
    """Two sentences of three and of two words."""
    ids = torch.tensor([[BEGIN, 9, 9, 9, END], [BEGIN, 9, 9, END, 0]])
    return lines_of_paragraphs(ParagraphSource(ids, Paragraphs(torch.tensor([0, 0]))))


def in_line(values: Tensor) -> Tensor:
    """The ``values`` [5, ...] of the words at their places in the line: [1, 9, ...]."""
    found = lines()
    placed = values.new_zeros(1, len(found.words[0]), *values.shape[1:])
    placed[found.words] = values
    return placed


def units() -> Lines:
    """The units 0 1, 2 and 3 4."""
    return units_of_lines(lines(), in_line(torch.tensor(CUTS)))


def analysed(one: Paragraph, seed: int, unknown: bool = False) -> Paragraph:
    """The paragraph with random words, units, heads and relations; ``unknown`` leaves one unit without a head."""
    rng = np.random.default_rng(seed)
    words, found, before = [], [], 0
    for ids in one.source:
        words.append(np.cumsum(np.concatenate([[0], rng.random(len(ids) - 1) < 0.7])))
        starts = np.concatenate([[0], (np.diff(words[-1]) > 0) & (rng.random(len(ids) - 1) < 0.5)])
        found.append(np.cumsum(starts) + before)
        before = int(found[-1][-1]) + 1
    order = rng.permutation(before)
    heads = np.arange(before)
    for place in range(1, before):
        heads[order[place]] = order[rng.integers(place)]
    relations = ["ROOT" if head == unit else RELATIONS[rng.integers(3)] for unit, head in enumerate(heads.tolist())]
    if unknown:
        heads[0], relations[0] = -1, ""
    return replace(one, structure=ParagraphAnalysis(words, found, heads, relations))


PARAGRAPHS = [
    analysed(paragraph([3, 5, 2, 4, 6], 1), 1),
    analysed(paragraph([4], 2), 2),
    analysed(paragraph([1, 7, 3], 3), 3, unknown=True),
]


def without_parser(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """The paragraphs with nothing but their words."""
    return [replace(one, structure=ParagraphAnalysis(one.structure.words)) for one in paragraphs]


def multitask(seed: int = 1, end: float = 2.0, **switches: Any) -> Multitask:
    """A random network."""
    model = network("multitask", seed, end, relations=RELATIONS, **switches)
    assert isinstance(model, Multitask)
    return model
