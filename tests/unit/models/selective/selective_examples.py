"""Random paragraphs with random trees, and networks of selective attention, for their tests."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS
from discourse_nmt.discourse.structures.positions import PositionTables
from discourse_nmt.models.context.paragraphs import ParagraphBatch, Paragraphs, ParagraphSource
from discourse_nmt.models.selective.network import Selective
from discourse_nmt.models.selective.paragraph_positions import ParagraphPositions
from discourse_nmt.models.systems import build

SIZE = 23
SMALL = {"encoder_layers": 1, "decoder_layers": 1, "width": 8, "heads": 2, "feed_forward_width": 16, "dropout": 0.0}
KINDS = ["abs_edu", "rel_edu", "abs_depth", "rel_depth", "path"]


class Example(NamedTuple):
    """A paragraph: the subwords of its sentences, the unit of each subword, and the tables of its tree."""

    sentences: list[list[int]]
    units: list[np.ndarray]
    tables: Any


def network(seed: int = 1, **switches: Any) -> Selective:
    """A network in double precision whose parameters are all random."""
    torch.manual_seed(seed)
    model = build("selective", {**SMALL, **switches}, SIZE, SIZE, True).eval()
    assert isinstance(model, Selective)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.2)
    return model.double()


def example(lengths: Sequence[int], seed: int = 1) -> Example:
    """Sentences of these ``lengths`` with one to three units each, and tables of the kind that trees have."""
    rng = np.random.default_rng(seed)
    units, count = [], 0
    for length in lengths:
        own = min(length, int(rng.integers(1, 4)))
        units.append(count + np.sort(np.concatenate([np.arange(own), rng.integers(0, own, length - own)])))
        count += own
    nuclei, satellites = rng.integers(0, 4, (2, count, count))
    tables = PositionTables(rng.integers(1, 6, count), rng.choice([-0.5, 0, 0.5], count), nuclei, satellites)
    return Example([rng.integers(len(SPECIALS), SIZE, length).tolist() for length in lengths], units, tables)


def source_of(model: Selective, examples: Sequence[Example]) -> ParagraphSource:
    rows = [[BEGIN, *ids, END] for one in examples for ids in one.sentences]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
    numbers = torch.tensor([number for number, one in enumerate(examples) for _ in one.sentences])
    structures = [ParagraphPositions(one.units, one.tables) for one in examples]
    structure = model.arrange(structures, ids) if model.settings.dsp else None
    return ParagraphSource(ids, Paragraphs(numbers), structure)


def batch_of(model: Selective, examples: Sequence[Example], seed: int = 1) -> ParagraphBatch:
    """The examples with random translations of one to six subwords."""
    source = source_of(model, examples)
    generator = torch.Generator().manual_seed(seed)
    target = torch.randint(len(SPECIALS), SIZE, (len(source.ids), 8), generator=generator)
    lengths = torch.randint(1, 7, (len(target), 1), generator=generator)
    places = torch.arange(8)
    target = target.masked_fill(places > lengths, PAD).masked_fill(places == lengths, END)
    begin = torch.full((len(target), 1), BEGIN)
    entered = torch.cat((begin, target.masked_fill(target == END, PAD)), dim=1)[:, :-1]
    return ParagraphBatch(source, entered, target)


def states_of(model: Selective, examples: Sequence[Example]) -> list[Tensor]:
    """The memory of each sentence, without padding."""
    memory = model.encode_source(source_of(model, examples))
    return [states[~padding] for states, padding in zip(memory.states, memory.padding)]
