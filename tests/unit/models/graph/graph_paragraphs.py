"""Random documents with word graphs, paragraphs of them, and networks that read them."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.base.vocabulary import SPECIALS
from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.graph.network import DocumentGraph
from discourse_nmt.models.graph.word_graphs import GraphWords, LinkedWords, ParagraphGraphs
from tests.unit.models.context.context_examples import SIZE, network

Sentences = list[list[int]]
ARCHITECTURES = ("serial", "parallel", "hybrid")
SWITCHES: list[dict[str, Any]] = [
    *(
        {"architecture": architecture, "target_graph": target}
        for architecture, target in itertools.product(ARCHITECTURES, ("none", "serial", "parallel"))
    ),
    *({"scope": scope, "prune_hops": hops} for scope, hops in (("all", 1), ("all", None), ("related", 2))),
    {"draft": "earlier", "earlier_sentences": 2},
    {"draft": "earlier", "target_graph": "serial", "scope": "related"},
    {"norm": "pre", "direction_weights": "multi_head"},
    {"relation_gates": True, "graph_residual": True, "graph_layer_norm": True, "graph_activation": "relu"},
    {"relation_gates": True, "scope": "related", "draft": "earlier", "relations": ["lexical", "adjacency"]},
    *(
        {"scope": scope, "graph_layers": layers, "prune_hops": hops, "pruning": "printed"}
        for scope, layers, hops in (("all", 2, 1), ("related", 2, 2), ("current", 3, 1))
    ),
    {"context_sentences": 1},
    {"context_sentences": 2, "scope": "all", "prune_hops": 1, "pruning": "printed", "relation_gates": True},
    {"share_graph_encoder": False, "share_decoder_attention": False, "share_decoder_gate": False},
]


def linked(sentences: Sequence[Sequence[int]], seed: int) -> LinkedWords:
    """Words of one or two subwords, neighbours linked both ways, and words linked to a later one at random."""
    rng = np.random.default_rng(seed)
    begins = [np.flatnonzero(np.append(True, rng.random(len(ids) - 1) < 0.7)) for ids in sentences]
    counts = [len(of) for of in begins]
    words = GraphWords(
        np.repeat(np.arange(len(sentences)), counts),
        np.concatenate([np.array(ids, np.int64) for ids in sentences]),
        np.concatenate([of + sum(map(len, sentences[:place])) for place, of in enumerate(begins)]),
    )
    edges = [(w, w + 1, 0) for w in range(len(words) - 1) if words.sentences[w] == words.sentences[w + 1]]
    edges += [(target, source, 0) for source, target, _ in edges]
    for source in range(0, len(words) - 1, 2):
        edges.append((source, int(rng.integers(source + 1, len(words))), int(rng.integers(1, len(RELATIONS)))))
    sources, targets, relations = np.array(sorted(edges), np.int64).reshape(-1, 3).T
    return LinkedWords(words, sources, targets, relations)


def document(number: int, lengths: Sequence[int]) -> tuple[Sentences, Sentences, Sentences, ParagraphGraphs]:
    """Source, target and draft of a random document, and it as a paragraph."""
    rng = np.random.default_rng(number)
    sides = [
        [rng.integers(len(SPECIALS), SIZE, max(1, length + extra)).tolist() for length, extra in zip(lengths, more)]
        for more in (np.zeros(len(lengths), int), rng.integers(-1, 2, len(lengths)), rng.integers(-1, 2, len(lengths)))
    ]
    graphs = {"source": linked(sides[0], number), "target": linked(sides[2], number + 100)}
    return *sides, ParagraphGraphs(number, 0, len(lengths), graphs)  # type: ignore[return-value]


def paragraph(number: int, lengths: Sequence[int], first: int = 0, count: int | None = None) -> Paragraph:
    """``count`` sentences of a random document."""
    source, target, _, graphs = document(number, lengths)
    last = len(lengths) if count is None else first + count
    return Paragraph(source[first:last], target[first:last], replace(graphs, first=first, count=last - first))


PARAGRAPHS = [
    paragraph(1, [3, 5, 2, 4, 6, 3]),
    paragraph(2, [4]),
    paragraph(3, [5, 3, 1, 7, 3, 8], 2, 3),
    paragraph(3, [5, 3, 1, 7, 3, 8], 5, 1),
]


def graph_network(seed: int = 1, **switches: Any) -> DocumentGraph:
    """A random model."""
    model = network("document_graph", seed, **switches)
    assert isinstance(model, DocumentGraph)
    return model


def changed_word(one: Paragraph, side: str, word: int) -> Paragraph:
    """The paragraph whose graph has another first subword in the place of ``word``."""
    graphs = one.structure
    words = graphs.sides[side].words
    subwords = words.subwords.copy()
    subwords[words.starts[word]] = len(SPECIALS) + (subwords[words.starts[word]] - len(SPECIALS) + 1) % (
        SIZE - len(SPECIALS)
    )
    other = replace(graphs.sides[side], words=replace(words, subwords=subwords))
    return replace(one, structure=replace(graphs, sides={**graphs.sides, side: other}))


def close(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two results agree to 1e-9."""
    return torch.allclose(one, other, atol=1e-9, rtol=1e-9)
