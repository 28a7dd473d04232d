"""The multi-task system as specification 04 has it: paragraph by paragraph, unit by unit, word by word."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.multitask.network import Multitask


def heads_of(states: Tensor, weight: Tensor, heads: int) -> list[Tensor]:
    """The projection of [n, d] for each head."""
    return list((states @ weight.T).chunk(heads, dim=1))


def gated(gate: Any, first: Tensor, second: Tensor) -> Tensor:
    """Equations 8 and 9."""
    share = torch.sigmoid(torch.cat((first, second), dim=-1) @ gate.weight.T + gate.bias)
    return share * first + (1 - share) * second


class Reference:
    """A paragraph by the network ``model``; with ``parsed`` units are the parser's, and ``given`` are heads."""

    def __init__(self, model: Multitask, one: Paragraph, parsed: bool, given: list[int] | None) -> None:
        self.model, self.settings = model, model.settings
        self.encoded = [Transformer.encode(model, torch.tensor([[BEGIN, *ids, END]])).states[0] for ids in one.source]
        self.words = torch.cat([states[1:-1] for states in self.encoded])
        self.logits = self.words @ model.boundary.weight[0] + model.boundary.bias
        self.units: list[int] = []
        self.word_ends: list[bool] = []
        self.cuts: list[bool] = []
        for number, words in enumerate(one.structure.words):
            for place in range(len(words)):
                last = place == len(words) - 1
                ends = last or words[place] != words[place + 1]
                place_in_line = len(self.cuts)
                if parsed:
                    own = one.structure.units[number]
                    cut = last or own[place] != own[place + 1]
                else:
                    likely = self.logits[place_in_line].sigmoid().item() > self.settings.segmentation_threshold
                    cut = last or (ends and likely)
                self.units.append(sum(self.cuts))
                self.word_ends.append(ends)
                self.cuts.append(cut)
        vectors = torch.stack([self.words[self.of(unit)].max(dim=0).values for unit in range(sum(self.cuts))])
        for layer in model.unit_layers:
            found = self.attended(layer, vectors, given)
            vectors = vectors + found if self.settings.dasa_residual else found
        self.vectors = vectors

    def of(self, unit: int) -> list[int]:
        return [place for place, own in enumerate(self.units) if own == unit]

    def attended(self, layer: Any, edus: Tensor, given: list[int] | None) -> Tensor:
        count, parts = self.settings.heads, []
        queries, keys, values = (heads_of(edus, part.weight, count) for part in (layer.query, layer.key, layer.value))
        for number, (query, key, value) in enumerate(zip(queries, keys, values)):
            dependency = number == 0 and layer.biaffine is not None
            query = query @ layer.biaffine if dependency else query / math.sqrt(query.shape[1])
            scores = query @ key.T + self.of_distances(layer, query, number)
            weights = scores.softmax(dim=1)
            if dependency:
                self.scores = scores
                if given is not None:
                    chosen = [
                        torch.eye(len(edus))[head] if head >= 0 else weights[unit] for unit, head in enumerate(given)
                    ]
                    weights = torch.stack([row.to(edus.dtype) for row in chosen])
            parts.append(weights @ value)
        return torch.cat(parts, dim=1) @ layer.output.weight.T

    def of_distances(self, layer: Any, query: Tensor, head: int) -> Tensor:
        """What the distance of each pair of units adds to its score."""
        added = torch.zeros(len(query), len(query), dtype=query.dtype)
        if self.settings.unit_order == "none":
            return added
        reach = self.settings.unit_reach
        for i in range(len(query)):
            for j in range(len(query)):
                vector = layer.distances[reach + max(-reach, min(reach, j - i))]
                added[i, j] = (query[i] + layer.distance_bias[head]) @ vector
        return added

    def hierarchical(self, attention: Any, queries: Tensor, words: Tensor) -> Tensor:
        """Equations 10 to 13."""
        count, parts = self.settings.heads, []
        size = queries.shape[1] // count
        projected = [
            heads_of(states, layer.weight, count)
            for layer, states in (
                (attention.word_query, queries),
                (attention.word_key, words),
                (attention.value, words),
            )
        ]
        for head, (query, key, value) in enumerate(zip(*projected)):
            scores = query @ key.T / math.sqrt(size)
            weights = scores.softmax(dim=1)
            if attention.unit_query is not None:
                asked = heads_of(queries, attention.unit_query.weight, count)[head]
                compared = heads_of(self.vectors, attention.unit_key.weight, count)[head]
                shares = (asked @ compared.T / math.sqrt(size)).softmax(dim=1)
                if self.settings.tok_norm == "edu":
                    columns: list[Tensor] = [scores[:, 0]] * scores.shape[1]
                    for unit in range(shares.shape[1]):
                        for place, column in zip(self.of(unit), scores[:, self.of(unit)].softmax(dim=1).T):
                            columns[place] = column
                    weights = torch.stack(columns, dim=1)
                weights = weights * shares[:, self.units]
                if self.settings.tok_norm == "global_renorm":
                    weights = weights / weights.sum(dim=1, keepdim=True)
            parts.append(weights @ value)
        return torch.cat(parts, dim=1) @ attention.output.weight.T

    def translated(self, one: Paragraph) -> list[Tensor]:
        """Log-probabilities [T, V] of each sentence."""
        model, settings = self.model, self.settings
        fused, before, memories = [], 0, []
        for states in self.encoded:
            count = len(states) - 2
            own = [self.units[before], *self.units[before : before + count], self.units[before + count - 1]]
            if settings.fuse != "decoder":
                if settings.enc_fuse == "gate":
                    context = self.vectors[own]
                else:
                    context = self.hierarchical(model.encoder_attention, states, self.words)
                states = gated(model.encoder_gate, states, context)
            memories.append(states)
            fused.append(states[1:-1])
            before += count
        words = torch.cat(fused) if settings.dec_tok_keys == "fused" else self.words
        results = []
        for ids, states in zip(one.target, memories):
            memory = Memory(states[None], torch.zeros(1, len(states), dtype=torch.bool))
            top = Transformer.decode(model, torch.tensor([[BEGIN, *ids]]), memory)[0]
            if settings.fuse != "encoder":
                top = gated(model.decoder_gate, top, self.hierarchical(model.decoder_attention, top, words))
            results.append(model.logits(top).log_softmax(-1))
        return results

    def losses(self, one: Paragraph, classes: list[str]) -> tuple[Tensor, Tensor, Tensor]:
        """Equations 15, 16 and 18."""
        segmentation = heads = relations = torch.zeros((), dtype=self.words.dtype)
        for ends, cut, logit in zip(self.word_ends, self.cuts, self.logits):
            if ends:
                segmentation = segmentation - (logit if cut else -logit).sigmoid().log()
        layer: nn.Module = self.model.relation
        for unit, head in enumerate(one.structure.heads):
            if head >= 0:
                if self.settings.edu_attn == "dasa":
                    heads = heads - self.scores[unit].softmax(0)[head].log()
                pair = torch.cat((self.vectors[unit], self.vectors[head]))
                probabilities = (layer.weight @ pair + layer.bias).softmax(0)  # type: ignore[operator]
                relations = relations - probabilities[classes.index(one.structure.relations[unit])].log()
        return segmentation, heads, relations
