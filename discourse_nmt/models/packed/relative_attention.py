"""Attention with relative positions: between the sentences of the source, and between target tokens.

Both are written as dot products of longer queries and keys, so that :func:`.attend` computes them and no tensor has an
entry for each pair of positions.
"""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.attention.kv_cache import KeysValues, KeyValueCache, RecordedNeighbourhood
from discourse_nmt.models.attention.multi_head import MultiHeadAttention, attend
from discourse_nmt.models.attention.neighbourhood import Neighbourhood
from discourse_nmt.models.core.embeddings import sinusoids
from discourse_nmt.models.packed.related_attention import SourcePlans, TargetPlans
from discourse_nmt.models.packed.relations import Relation
from discourse_nmt.models.sublayers.parts import join_heads, split_heads


@dataclass(frozen=True)
class TokenPlaces:
    """The sentence and the position of each token of a batch, [S] each, counted from 0."""

    sentences: Tensor
    """The number of its sentence in its instance."""
    positions: Tensor
    """Its position in the sentence."""
    count: int
    """The most sentences of an instance."""


def token_places(plans: SourcePlans) -> TokenPlaces:
    """The places of the tokens whose plans for ``sentence`` and ``instance`` these are."""
    plan, whole = plans["sentence"], plans["instance"]
    assert isinstance(plan, Neighbourhood) and isinstance(whole, Neighbourhood)
    sentences, instances = plan.query_units[0], whole.query_units[0]
    in_instance = sentences - sentences[np.searchsorted(instances, instances)]  # units are in the order of the text
    positions = np.arange(len(sentences)) - np.searchsorted(sentences, sentences)
    return TokenPlaces(
        sentences=torch.from_numpy(in_instance).to(plan.device),
        positions=torch.from_numpy(positions).to(plan.device),
        count=int(in_instance.max()) + 1,
    )


class SentenceDistanceAttention(MultiHeadAttention):
    """Attention to an instance whose keys and values know how many sentences away they are (after Shaw et al. 2018).

    ``q_t (k_j + a_{s(j) - s(t)}) / sqrt(d_k)`` and ``sum of alpha_j (v_j + b_{s(j) - s(t)})``, where s is the number of
    a token's sentence and the vectors a and b [d_k] are the same for all heads; distances beyond ``farthest`` count as
    it. With N sentences, ``q_t a_{n - s(t)}`` for each n follows the query, and the unit vector of s(j) follows key and
    value, so that the results hold the attention to each sentence.
    """

    relations: tuple[Relation, ...] = ("sentence", "instance")

    def __init__(self, width: int, heads: int, dropout: float, farthest: int) -> None:
        super().__init__(width, heads, dropout)
        self.farthest = farthest
        self.distance_keys = nn.Embedding(2 * farthest + 1, width // heads)
        self.distance_values = nn.Embedding(2 * farthest + 1, width // heads)
        for table in (self.distance_keys, self.distance_values):
            nn.init.normal_(table.weight, std=width**-0.5)

    def among(self, states: Tensor, plans: SourcePlans) -> Tensor:
        """Self-attention of ``states`` [1, S, d], the same shape."""
        query, keys, values = (split_heads(part, self.heads) for part in self.projection(states).chunk(3, dim=-1))
        places, plan, width = token_places(plans), plans["instance"], query.shape[-1]
        assert isinstance(plan, Neighbourhood)
        own = F.one_hot(places.sentences, places.count).to(values.dtype).expand(1, self.heads, -1, -1)  # (1, h, S, N)
        distances = self._distances(places)
        of_sentences = (query @ self.distance_keys.weight.T).gather(-1, distances)
        mixed = attend(
            torch.cat((query, of_sentences), dim=-1) * ((width + places.count) / width) ** 0.5,
            torch.cat((keys, own), dim=-1),
            torch.cat((values, own), dim=-1),
            plan,
            causal=False,
            dropout=self.dropout if self.training else 0.0,
        )
        content, to_sentences = mixed.split((width, places.count), dim=-1)
        to_distances = to_sentences.new_zeros(*to_sentences.shape[:-1], 2 * self.farthest + 1)
        to_distances = to_distances.scatter_add(-1, distances, to_sentences)
        heads = content + to_distances @ self.distance_values.weight
        result: Tensor = self.output(join_heads(heads))
        return result

    def _distances(self, places: TokenPlaces) -> Tensor:
        """The row of the tables for each token and each sentence, [1, h, S, N]."""
        distances = torch.arange(places.count, device=places.sentences.device) - places.sentences[:, None]
        rows = distances.clamp(-self.farthest, self.farthest) + self.farthest
        return rows.expand(1, self.heads, -1, -1)


class TokenDistanceAttention(MultiHeadAttention):
    """Causal attention to a relation, with the relative positions of Transformer-XL (Dai et al. 2019, section 3.3).

    ``((q_i + u) k_j + (q_i + v) W R_{i-j}) / sqrt(d_k)`` with biases u and v, W [d_k, d_k] of each head, and R the
    sinusoids of the distance; they are d_k wide here. As ``sin(a - b)`` and ``cos(a - b)`` are sums of products of the
    sines and cosines of a and b, the second term is a dot product of the turned ``W^T (q_i + v)`` and ``R_j``.
    """

    def __init__(self, width: int, heads: int, dropout: float, relation: Relation) -> None:
        super().__init__(width, heads, dropout)
        self.relation = relation
        self.content_bias = nn.Parameter(torch.zeros(heads, 1, width // heads))
        self.position_bias = nn.Parameter(torch.zeros(heads, 1, width // heads))
        self.position_projection = nn.Parameter(torch.empty(heads, width // heads, width // heads))
        for head in self.position_projection.data:
            nn.init.xavier_uniform_(head)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """See :class:`.PackedAttention`."""
        return (self.relation,)

    def among(self, states: Tensor, plans: TargetPlans, positions: Tensor) -> Tensor:
        """Self-attention of ``states`` [B, T, d] at ``positions`` [B, T]: [B, T, d]; with a cache the newest ones."""
        plan = plans[self.relation]
        shape = plan.ancestors.shape[::2] if isinstance(plan, KeyValueCache) else states.shape[:2]
        parts = self.projection(states).chunk(3, dim=-1)
        query, keys, values = (split_heads(part.reshape(*shape, -1), self.heads) for part in parts)
        query, keys = self._placed(query, keys, positions.reshape(shape))
        if isinstance(plan, KeyValueCache | RecordedNeighbourhood):
            newest = torch.cat((keys, values), dim=-1).transpose(1, 2).flatten(2)  # (B, r or T, 3 d)
            if isinstance(plan, KeyValueCache):
                keys, values = plan.extend(self, newest.flatten(0, 1))
            else:
                plan.keys_values[self] = newest[0]
        allowed = plan.mask if isinstance(plan, KeyValueCache) else plan
        return self._attend(query, keys, values, allowed, causal=False).view(states.shape)

    def by_head(self, keys_values: Tensor) -> KeysValues:
        """See :class:`.MultiHeadAttention`; of [B, K, 3d] keys [B, h, K, 2 d_k] and values [B, h, K, d_k]."""
        of_heads = split_heads(keys_values, self.heads)
        keys, values = of_heads.tensor_split((2 * of_heads.shape[-1] // 3,), dim=-1)
        return keys, values

    def _placed(self, query: Tensor, keys: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Queries and keys [B, h, T, 2 d_k] whose dot product over sqrt(2 d_k) is the logit; all [B, h, T, d_k]."""
        width = query.shape[-1]
        encoded = sinusoids(positions, width).to(query.dtype)[:, None]  # (B, 1, T, d_k)
        turned = turn((query + self.position_bias) @ self.position_projection, encoded)
        query = torch.cat((query + self.content_bias, turned), dim=-1) * 2**0.5
        return query, torch.cat((keys, encoded.expand_as(keys)), dim=-1)


def turn(states: Tensor, encoded: Tensor) -> Tensor:
    """The states whose dot product with ``sinusoids(j)`` is that of ``states`` with ``sinusoids(i - j)``.

    ``encoded`` is ``sinusoids(i)``; all [..., d].
    """
    sine, cosine = encoded.unflatten(-1, (-1, 2)).unbind(-1)
    of_sine, of_cosine = states.unflatten(-1, (-1, 2)).unbind(-1)
    turned = (of_cosine * sine - of_sine * cosine, of_sine * sine + of_cosine * cosine)
    return torch.stack(turned, dim=-1).flatten(-2)
