"""A task that the words alone do not tell: each sentence is translated by the word of its sister in the tree."""

import numpy as np
import torch

from discourse_nmt.base.vocabulary import BEGIN, END, SPECIALS
from discourse_nmt.discourse.structures.positions import PositionTables
from discourse_nmt.models.context.paragraphs import ParagraphBatch, Paragraphs, ParagraphSource
from discourse_nmt.models.selective.network import Selective
from discourse_nmt.models.selective.paragraph_positions import ParagraphPositions
from tests.unit.models.context.learning_task import accuracy_after

WORDS, SENTENCES, PARAGRAPHS = 6, 4, 24
SIZE = len(SPECIALS) + WORDS


def batch(model: Selective, rng: np.random.Generator) -> ParagraphBatch:
    """Sentences of one word, which is one unit; sisters, two by two at random, have a short path, others a long one."""
    words = np.stack([rng.permutation(WORDS)[:SENTENCES] for _ in range(PARAGRAPHS)]) + len(SPECIALS)
    sisters = np.empty_like(words)
    structures = []
    for paragraph in range(PARAGRAPHS):
        order = rng.permutation(SENTENCES)
        partners = np.empty(SENTENCES, int)
        partners[order] = order[[1, 0, 3, 2]]
        sisters[paragraph] = words[paragraph, partners]
        near = np.zeros((SENTENCES, SENTENCES), bool)
        near[np.arange(SENTENCES), partners] = True
        tables = PositionTables(np.full(SENTENCES, 2), np.zeros(SENTENCES), near.astype(int), np.where(near, 0, 3))
        structures.append(ParagraphPositions([np.array([unit]) for unit in range(SENTENCES)], tables))
    begins, ends = (torch.full((words.size, 1), mark) for mark in (BEGIN, END))
    source, target = (torch.from_numpy(side.reshape(-1, 1)) for side in (words, sisters))
    ids = torch.cat((begins, source, ends), dim=1)
    structure = model.arrange(structures, ids) if model.settings.dsp else None
    numbers = torch.arange(PARAGRAPHS).repeat_interleave(SENTENCES)
    return ParagraphBatch(
        ParagraphSource(ids, Paragraphs(numbers), structure),
        torch.cat((begins, target), 1),
        torch.cat((target, ends), 1),
    )


def accuracy(dsp: list[str], updates: int) -> float:
    """How many words are right after so many updates."""
    return accuracy_after(updates, "selective", {"dsp": dsp}, SIZE, batch)


def test_it_learns_what_only_the_tree_tells() -> None:
    assert accuracy(["path"], 150) > 0.9
    assert accuracy([], 60) < 0.6  # three other words, and no way to choose
