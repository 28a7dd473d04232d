"""Selective attention word by word, as specification 02 writes it, in double precision."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.selective.network import Selective, SelectiveBlock
from discourse_nmt.models.selective.structural_positions import Fusion
from tests.unit.models.selective.selective_examples import Example

ABSOLUTE = {"abs_edu", "abs_depth"}


def sinusoid(value: float, width: int) -> Tensor:
    """Equation 0.1, kept in single precision."""
    angles = [value / 10000 ** (2 * (i // 2) / width) for i in range(width)]
    return torch.tensor([math.cos(a) if i % 2 else math.sin(a) for i, a in enumerate(angles)]).float().double()


def sparsemax(scores: Sequence[Tensor]) -> list[Tensor]:
    ordered = sorted(scores, key=lambda score: score.item(), reverse=True)
    size = max(k for k in range(1, len(ordered) + 1) if 1 + k * ordered[k - 1] > sum(ordered[:k]))
    threshold = (sum(ordered[:size]) - 1) / size
    return [torch.clamp(score - threshold, min=0) for score in scores]


class Reference:
    """One paragraph; its words are named by (sentence, place), the marks included."""

    def __init__(self, model: Selective, paragraph: Example) -> None:
        self.model, self.settings, self.width = model, model.settings, model.settings.width
        self.rows = [[BEGIN, *ids, END] for ids in paragraph.sentences]
        self.units = [[units[0], *units, units[-1]] for units in paragraph.units]
        tables, settings = paragraph.tables, model.settings
        self.tables = {
            "abs_edu": tables.abs_edu(settings.edu_index_base),
            "rel_edu": tables.rel_edu(),
            "abs_depth": tables.abs_depth(settings.depth_base),
            "rel_depth": tables.rel_depth(),
            "path": tables.path(settings.w_n, settings.path_log_base),
        }
        relative = {"rel_edu", "rel_depth", "path"} & set(settings.dsp)
        embedded = set(settings.dsp) - (relative if settings.rel_injection == "ctx" else set())
        self.embedded = [kind for kind in ("abs_edu", "abs_depth", "rel_edu", "rel_depth", "path") if kind in embedded]
        self.passes: dict[tuple[int, int], Tensor] = {}
        self.attended = [kind for kind in ("rel_edu", "rel_depth", "path") if kind in set(settings.dsp) - embedded]

    def value(self, kind: str, current: int, other: int) -> float:
        table = self.tables[kind]
        return float(np.float32(table[other] if kind in ABSOLUTE else table[current, other]))

    def states(self, sentence: int, current: int) -> Tensor:
        """The states of a sentence as seen from the unit ``current``."""
        seen_from = current if set(self.embedded) - ABSOLUTE else 0
        if (sentence, seen_from) not in self.passes:
            self.passes[sentence, seen_from] = self.encode(sentence, seen_from)
        return self.passes[sentence, seen_from]

    def encode(self, sentence: int, current: int) -> Tensor:
        states = []
        for place, (symbol, unit) in enumerate(zip(self.rows[sentence], self.units[sentence])):
            parts = [sinusoid(place, self.width)]
            parts += [sinusoid(self.value(kind, current, unit), self.width) for kind in self.embedded]
            position = torch.stack(parts).sum(0)
            if self.embedded and self.settings.dsp_fusion == "nonlinear":
                position = mixed(self.model.embedding_fusion, parts)
            states.append(self.model.source_embedding.weight[symbol] * math.sqrt(self.width) + position)
        found = torch.stack(states)[None]
        for layer in self.model.encoder_layers:
            found = layer(found, torch.ones(1, 1, 1, len(states), dtype=torch.bool))
        return found[0]

    def addition(self, current: int, sentence: int, place: int, other: int) -> Tensor:
        """F of section 5."""
        if not self.attended:
            return torch.zeros(self.width).double()
        parts = [sinusoid(self.value(kind, current, other), self.width) for kind in self.attended]
        if self.settings.dsp_fusion == "add":
            return torch.stack(parts).sum(0)
        return mixed(self.model.context_fusion, [sinusoid(place, self.width), *parts])

    def memory(self) -> list[Tensor]:
        """What the decoder reads of each sentence."""
        return [
            torch.stack([self.word(sentence, place) for place in range(len(row))])
            for sentence, row in enumerate(self.rows)
        ]

    def word(self, sentence: int, place: int) -> Tensor:
        current = self.units[sentence][place]
        own = self.states(sentence, current)[place]
        seen = [
            n for n in range(len(self.rows)) if n < sentence or (n > sentence and self.settings.context == "offline")
        ]
        if not seen:
            return own
        query = own + self.addition(current, sentence, place, current)
        words = []
        for n in seen:
            states = self.states(n, current)
            states = states if self.settings.context_gradient else states.detach()
            added = [self.addition(current, n, j, unit) for j, unit in enumerate(self.units[n])]
            words.append([states[j] + added[j] for j in range(1, len(self.rows[n]) - 1)])  # without <s> and </s>
        return joined(self.model.source_block, own, attended(self.model.source_block, query, words))


def mixed(fusion: Fusion | None, parts: Sequence[Tensor]) -> Tensor:
    """Equation 5."""
    assert fusion is not None and fusion.mix is not None
    return torch.tanh(fusion.mix.weight @ torch.cat(list(parts)) + fusion.mix.bias)


def attended(block: SelectiveBlock, query: Tensor, words: Sequence[Sequence[Tensor]]) -> Tensor:
    """Attention of one query to the words of some sentences."""
    attention = block.attention
    width = len(query) // attention.heads
    values = [[attention.value.weight @ word for word in sentence] for sentence in words]
    scores = [
        products(attention.word_query, attention.word_key, query, sentence, attention.heads) for sentence in words
    ]
    if attention.hierarchical:
        means = [torch.stack(list(sentence)).mean(0) for sentence in words]
        of_sentences = products(attention.sentence_query, attention.sentence_key, query, means, attention.heads)
    results = []
    for head in range(attention.heads):
        own = [torch.stack([word[head] for word in sentence]) for sentence in scores]
        if attention.hierarchical:
            shares = sparsemax([sentence[head] for sentence in of_sentences])
            weights = [share * sentence.softmax(0) for share, sentence in zip(shares, own)]
        else:
            weights = list(torch.cat(own).softmax(0).split([len(sentence) for sentence in own]))
        result = torch.zeros(width).double()
        for of, sentence in zip(weights, values):
            for weight, value in zip(of, sentence):
                result = result + weight * value[head * width : (head + 1) * width]
        results.append(result)
    return attention.output.weight @ torch.cat(results)


def products(
    query_layer: torch.nn.Linear, key_layer: torch.nn.Linear, query: Tensor, words: Sequence[Tensor], heads: int
) -> list[list[Tensor]]:
    """The score of each word in each head."""
    own = (query_layer.weight @ query).chunk(heads)
    keys = [(key_layer.weight @ word).chunk(heads) for word in words]
    return [[one @ key / math.sqrt(len(key)) for one, key in zip(own, of)] for of in keys]


def joined(block: SelectiveBlock, own: Tensor, attended: Tensor) -> Tensor:
    """The feed-forward block and the gate."""
    context = block.feed_forward_norm(block.feed_forward(block.attention_norm(attended)))
    gate = torch.sigmoid(block.gate.weight @ torch.cat((own, context)) + block.gate.bias)
    return gate * own + (1 - gate) * context
