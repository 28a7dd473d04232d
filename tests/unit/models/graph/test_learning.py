"""A task that the words alone do not tell: each sentence is translated by the word that its own is linked to."""

from typing import Any

import numpy as np
import torch

from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.base.vocabulary import BEGIN, END, SPECIALS
from discourse_nmt.models.context.paragraphs import ParagraphBatch, Paragraphs, ParagraphSource
from discourse_nmt.models.graph.network import DocumentGraph
from discourse_nmt.models.graph.word_graphs import GraphWords, LinkedWords, ParagraphGraphs
from tests.unit.models.context.learning_task import accuracy_after

WORDS, SENTENCES, PARAGRAPHS = 6, 4, 24
SIZE = len(SPECIALS) + WORDS
PLACES = np.arange(SENTENCES)


def batch(model: DocumentGraph, rng: np.random.Generator) -> ParagraphBatch:
    """Sentences of one word; mentions of one entity, two by two at random, are linked, forward as in a graph."""
    words = np.stack([rng.permutation(WORDS)[:SENTENCES] for _ in range(PARAGRAPHS)]) + len(SPECIALS)
    partners = np.empty_like(words)
    structures = []
    for paragraph in range(PARAGRAPHS):
        pairs = np.sort(rng.permutation(SENTENCES).reshape(-1, 2), axis=1)
        partners[paragraph, pairs] = words[paragraph, pairs[:, ::-1]]
        kinds = np.full(len(pairs), RELATIONS.index("coreference"))
        linked = LinkedWords(GraphWords(PLACES, words[paragraph], PLACES), pairs[:, 0], pairs[:, 1], kinds)
        structures.append(ParagraphGraphs(paragraph, 0, SENTENCES, {"source": linked, "target": linked}))
    begins, ends = (torch.full((words.size, 1), mark) for mark in (BEGIN, END))
    source, target = (torch.from_numpy(side.reshape(-1, 1)) for side in (words, partners))
    ids = torch.cat((begins, source, ends), dim=1)
    numbers = torch.arange(PARAGRAPHS).repeat_interleave(SENTENCES)
    context = ParagraphSource(ids, Paragraphs(numbers), model.arrange(structures, ids))
    return ParagraphBatch(context, torch.cat((begins, target), 1), torch.cat((target, ends), 1))


def accuracy(updates: int, **switches: Any) -> float:
    """How many words are right after so many updates."""
    return accuracy_after(updates, "document_graph", {"graph_dropout": 0.0, **switches}, SIZE, batch)


def test_it_learns_what_only_the_graph_tells() -> None:
    assert accuracy(150, target_graph="none") > 0.9
    assert accuracy(150) > 0.9
    assert accuracy(40, target_graph="none", relations=["lexical"]) < 0.6  # three other words, and no way to choose
