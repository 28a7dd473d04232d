"""Random word graphs of documents around given paragraphs."""

from collections.abc import Sequence

import numpy as np

from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.models.graph.word_graphs import GraphWords, LinkedWords, ParagraphGraphs

SENTENCES = 100  # of a talk
SUBWORDS = 1.25  # of a word
TYPES = 5000


def paragraph_graphs(
    number: int, sides: Sequence[Sequence[np.ndarray]], size: int, rng: np.random.Generator
) -> ParagraphGraphs:
    """The graphs of both ``sides``, source and target, of a paragraph in the middle of a talk, document ``number``.

    Frequencies of words follow Zipf's law. A word is linked to all equal words and depends on a neighbouring word; one
    of 20 has an earlier mention.
    """
    count = len(sides[0])
    first = max(0, SENTENCES - count) // 2
    names = ("source", "target")
    graphs = {name: _linked(first, sentences, size, rng) for name, sentences in zip(names, sides)}
    return ParagraphGraphs(number, first, count, graphs)


def _linked(first: int, sentences: Sequence[np.ndarray], size: int, rng: np.random.Generator) -> LinkedWords:
    lengths = [len(ids) for ids in sentences]
    drawn = rng.choice(lengths, max(0, SENTENCES - len(sentences)))
    around = [rng.integers(10, size, length) for length in drawn.tolist()]
    text = [*around[:first], *sentences, *around[first:]]
    counts = np.array([max(1, round(len(ids) / SUBWORDS)) for ids in text])
    starts = [np.linspace(0, len(ids), words, endpoint=False).astype(np.int64) for ids, words in zip(text, counts)]
    begins = np.cumsum([0, *map(len, text[:-1])])
    sentence_of_word = np.repeat(np.arange(len(text)), counts)
    words = GraphWords(sentence_of_word, np.concatenate(text), np.concatenate([s + b for s, b in zip(starts, begins)]))
    inside = np.flatnonzero(sentence_of_word[:-1] == sentence_of_word[1:])
    weights = 1 / np.arange(1, TYPES + 1)
    types = rng.choice(TYPES, len(words), p=weights / weights.sum())
    same = np.argwhere(np.triu(types[:, None] == types, 1)).T
    mentions = rng.choice(np.arange(1, len(words)), len(words) // 20, replace=False)
    edges = {
        "adjacency": np.concatenate([[inside, inside + 1], [inside + 1, inside]], axis=1),
        "dependency": np.stack([inside + 1, inside]),
        "lexical": same,
        "coreference": np.stack([rng.integers(0, mentions), mentions]),
    }
    kinds = np.concatenate([np.full(edges[name].shape[1], relation) for relation, name in enumerate(RELATIONS)])
    sources, targets = np.concatenate([edges[name] for name in RELATIONS], axis=1).astype(np.int64)
    return LinkedWords(words, sources, targets, kinds)
