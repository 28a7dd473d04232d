"""Discourse-aware self-attention, DASA, of the units of a paragraph (spec 04, section 4).

One attention head finds the head of each unit, by a bi-affine score as in the parser of Dozat and Manning 2017 ("Deep
biaffine attention for neural dependency parsing", ICLR):

    A = softmax(E W_Q W (E W_K)^T)

The heads of a parser may replace A. A has no notion of the order of units: a permutation of the units permutes it. With
relative positions a key depends on its distance in units from the query (not in the paper).
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.sublayers.parts import join_heads, linear, split_heads


class DiscourseAttention(nn.Module):
    """Multi-head self-attention of units (spec 04, equations 2 and 3).

    With ``dependency`` the first attention head is a dependency head (equations 6 and 7).

    ``scaled`` divides its scores by sqrt(d_k); ``prior`` adds a term that does not depend on the dependent. With
    ``reach`` above 0, the score of the unit j for unit i with query q_i (of a dependency head, after W) grows by
    (q_i + v) · r, where r is the vector of the distance j - i, cut to ``reach`` on either side, and v one of the
    attention head (relative positions as in Transformer-XL: Dai et al. 2019, section 3.3, with learnt r).
    """

    def __init__(
        self,
        width: int,
        heads: int,
        dropout: float,
        dependency: bool,
        scaled: bool = False,
        prior: bool = False,
        reach: int = 0,
    ) -> None:
        super().__init__()
        size = width // heads
        self.heads = heads
        self.scale = 1 / math.sqrt(size)
        self.scaled = scaled
        self.query, self.key, self.value, self.output = (linear(width, width, bias=False) for _ in range(4))
        self.biaffine = nn.Parameter(nn.init.xavier_uniform_(torch.empty(size, size))) if dependency else None
        self.prior = nn.Parameter(torch.zeros(size)) if prior else None
        self.reach = reach
        self.distances: nn.Parameter | None = None
        self.distance_bias: nn.Parameter | None = None
        if reach:
            self.distances = nn.Parameter(nn.init.xavier_uniform_(torch.empty(2 * reach + 1, size)))
            self.distance_bias = nn.Parameter(torch.zeros(heads, size))
        self.dropout = Dropout(dropout)

    def forward(self, units: Tensor, present: Tensor, heads: Tensor | None = None) -> tuple[Tensor, Tensor | None]:
        """Vectors of ``units`` [P, M, d] in view of the ``present`` ones [P, M] bool, and scores of heads.

        The scores [P, M, M] are of each unit's heads, itself included, before the softmax, and lowest for absent units;
        None without a dependency head. ``heads`` [P, M] replace the predicted ones, unless they are
        :data:`UNANNOTATED`. The vectors of absent units are undefined.
        """
        query, key, value = (split_heads(layer(units), self.heads) for layer in (self.query, self.key, self.value))
        if self.biaffine is None:
            query = query * self.scale
        else:
            folded = query[:, :1] @ self.biaffine
            query = torch.cat((folded * self.scale if self.scaled else folded, query[:, 1:] * self.scale), dim=1)
        scores = query @ key.transpose(-1, -2)
        if self.distances is not None and self.distance_bias is not None:
            scores = scores + self._by_distance(query + self.distance_bias[:, None], self.distances)
        if self.prior is not None:
            scores = torch.cat((scores[:, :1] + (key[:, 0] @ self.prior)[:, None, None], scores[:, 1:]), dim=1)
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        scores = scores.masked_fill(~present[:, None, None], torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if heads is not None and self.biaffine is not None:
            parsed = F.one_hot(heads.clamp(min=0), weights.shape[-1]).to(weights.dtype)
            chosen = torch.where((heads == UNANNOTATED)[..., None], weights[:, 0], parsed)
            weights = torch.cat((chosen[:, None], weights[:, 1:]), dim=1)
        mixed = self.dropout(weights).to(value.dtype) @ value
        vectors: Tensor = self.output(join_heads(mixed))
        return vectors, None if self.biaffine is None else scores[:, 0]

    def _by_distance(self, query: Tensor, distances: Tensor) -> Tensor:
        """The scores [P, h, M, M] of ``query`` [P, h, M, d_k] with the vector of each distance."""
        units = torch.arange(query.shape[2], device=query.device)
        index = (units - units[:, None]).clamp(-self.reach, self.reach) + self.reach  # [M, M]
        of_distances = query @ distances.T  # [P, h, M, 2 reach + 1]
        return of_distances.gather(-1, index.expand(*query.shape[:2], -1, -1))
