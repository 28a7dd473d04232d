"""The two small networks: one finds mentions and their types, the other scores antecedents."""

from dataclasses import dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn

from discourse_nmt.base.settings import setting


@dataclass(frozen=True)
class CoreferenceNetworkSettings:
    """Sizes of the networks."""

    mention_buckets: int = setting(16384, "buckets that mention features are hashed to", minimum=2, below=1 << 24)
    pair_buckets: int = setting(32768, "buckets that pair features are hashed to", minimum=2, below=1 << 24)
    detection_width: int = setting(64, "hidden units of the network that finds mentions", minimum=1, below=1025)
    ranking_width: int = setting(32, "hidden units of the network that scores antecedents", minimum=1, below=1025)


COUNT = {"minimum": 0}


@dataclass(frozen=True)
class KnownCounts:
    """How many buckets have a vector: those of candidates, of mentions, and of pairs; 0 stands for all buckets."""

    candidates: int = field(default=0, metadata=COUNT)
    mentions: int = field(default=0, metadata=COUNT)
    pairs: int = field(default=0, metadata=COUNT)


class CoreferenceDropout(NamedTuple):
    """Dropout rates of features and of hidden units."""

    features: float = 0.0
    units: float = 0.0


NONE = CoreferenceDropout()
EVERY = KnownCounts()


class KnownFeatures(nn.Module):
    """The buckets with a vector, ``known`` [count] in rising order; other features count as none.

    With many buckets few features share one, and the tables of vectors have rows for the known ones only. A ``count``
    of 0 knows every bucket.
    """

    known: Tensor

    def __init__(self, buckets: int, count: int) -> None:
        super().__init__()
        self.buckets, self.count = buckets, count
        self.rows = count + 1 if count else buckets
        if count:
            self.register_buffer("known", torch.zeros(count, dtype=torch.int32))
        self.row_of: Tensor | None = None

    def learn(self, known: Tensor) -> None:
        """Know these buckets [count], in rising order, and no others."""
        if self.count:
            self.known.copy_(known)
            self.row_of = None

    def forward(self, features: Tensor) -> Tensor:
        """Rows of the tables for buckets of any shape; row 0 for unknown ones."""
        if not self.count:
            return features
        if self.row_of is None:
            self.row_of = torch.zeros(self.buckets, dtype=torch.int32)
            self.row_of[self.known.long()] = torch.arange(1, self.count + 1, dtype=torch.int32)
        return self.row_of[features]


class FeatureSum(nn.Module):
    """Sums of the vectors of hashed features; row 0 is no feature."""

    def __init__(self, rows: int, width: int, deviation: float) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(rows, width, mode="sum", padding_idx=0)
        nn.init.normal_(self.table.weight, std=deviation)

    def forward(self, features: Tensor, hidden: float = 0.0) -> Tensor:
        """Sums [..., width] over features [..., templates]; a random share ``hidden`` of them is left out."""
        if hidden:
            features = features.masked_fill(torch.rand(features.shape) < hidden, 0)
        total: Tensor = self.table(features) / (1 - hidden)
        return total


class DetectionNetwork(nn.Module):
    """Scores of the types of entities for candidates, from their features; the first type is *no mention*."""

    def __init__(self, settings: CoreferenceNetworkSettings, types: int, known: KnownCounts = EVERY) -> None:
        super().__init__()
        width = settings.detection_width
        self.candidates = KnownFeatures(settings.mention_buckets, known.candidates)
        self.candidate = FeatureSum(self.candidates.rows, width, 0.1)
        self.bias = nn.Parameter(torch.zeros(width))
        self.output = nn.Linear(width, types)

    def forward(self, features: Tensor, dropout: CoreferenceDropout = NONE) -> Tensor:
        """Scores [candidates, types] of features [candidates, templates]."""
        units = torch.relu(self.candidate(self.candidates(features), dropout.features) + self.bias)
        scores: Tensor = self.output(nn.functional.dropout(units, dropout.units, dropout.units > 0))
        return scores


class RankingNetwork(nn.Module):
    """Scores of antecedents: a hidden layer over the sum of the vectors of mention, antecedent and pair."""

    def __init__(self, settings: CoreferenceNetworkSettings, known: KnownCounts = EVERY) -> None:
        super().__init__()
        width = settings.ranking_width
        self.mentions = KnownFeatures(settings.mention_buckets, known.mentions)
        self.pairs = KnownFeatures(settings.pair_buckets, known.pairs)
        self.mention = FeatureSum(self.mentions.rows, width, 0.05)
        self.antecedent = FeatureSum(self.mentions.rows, width, 0.05)
        self.pair = FeatureSum(self.pairs.rows, width + 1, 0.05)
        self.new = FeatureSum(self.mentions.rows, width + 1, 0.05)
        self.bias = nn.Parameter(torch.zeros(2, width))
        self.output = nn.Parameter(torch.empty(2, width))
        nn.init.normal_(self.output, std=0.3)

    def vectors(self, features: Tensor, dropout: CoreferenceDropout = NONE) -> tuple[Tensor, Tensor]:
        """Vectors [mentions, width] of mentions [mentions, templates] as the later and as the earlier one of a pair."""
        rows = self.mentions(features)
        return self.mention(rows, dropout.features) + self.bias[0], self.antecedent(rows, dropout.features)

    def linked(self, later: Tensor, earlier: Tensor, pairs: Tensor, dropout: CoreferenceDropout = NONE) -> Tensor:
        """Scores [pairs] of antecedents from both mentions' vectors [pairs, width] and the features of the pairs
        [pairs, templates]."""
        pair = self.pair(self.pairs(pairs), dropout.features)
        scores: Tensor = pair[:, -1] + self._output(pair[:, :-1] + later + earlier, 0, dropout)
        return scores

    def unlinked(self, features: Tensor, dropout: CoreferenceDropout = NONE) -> Tensor:
        """Scores [mentions] of having no antecedent, from features [mentions, templates]."""
        new = self.new(self.mentions(features), dropout.features)
        scores: Tensor = new[:, -1] + self._output(new[:, :-1] + self.bias[1], 1, dropout)
        return scores

    def _output(self, values: Tensor, row: int, dropout: CoreferenceDropout) -> Tensor:
        return nn.functional.dropout(torch.relu(values), dropout.units, dropout.units > 0) @ self.output[row]
