"""The resolver at work: documents with syntax in, coreference chains out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from corpus.settings import setting
from discourse.coreference.attributes import Attributes, attributes_of
from discourse.coreference.features import Buckets, mention_features
from discourse.coreference.network import DetectionNetwork, NetworkSettings, RankingNetwork
from discourse.coreference.pairs import Floats, Numbers, Pairs, context_features, pair_features, pairs_of
from discourse.mentions import Chain, Mention, Span
from discourse.syntax import Syntax

PIECE = 100_000  # pairs that are scored at a time, which bounds memory


@dataclass(frozen=True)
class ResolverSettings:
    """Where the resolver draws its lines."""

    threshold: float = setting(0.2, "probability from which a candidate is looked at as a mention", minimum=0, below=1)
    margin: float = setting(-1.25, "how much the best antecedent must outscore having none")


@dataclass(frozen=True)
class DetectedMentions:
    """Mentions of a document with their features [mentions, templates], the number of the likeliest type of each
    [mentions], and the features [mentions, templates] that tell whether it is new."""

    mentions: Attributes
    features: Buckets
    types: Numbers
    novelty: Buckets


class Resolver:
    """Trained networks and settings; ``types`` are the names of entity types, the first is empty: no mention."""

    def __init__(
        self,
        detection: DetectionNetwork,
        ranking: RankingNetwork,
        types: Sequence[str],
        sizes: NetworkSettings,
        settings: ResolverSettings,
    ) -> None:
        self.detection = detection.eval()
        self.ranking = ranking.eval()
        self.types = tuple(types)
        self.sizes = sizes
        self.settings = settings

    def resolve(self, documents: Sequence[Sequence[Syntax]]) -> list[tuple[Chain, ...]]:
        """Chains of two or more mentions over word spans, in the order of their first mentions.

        What a document gets does not depend on the others. Sentences without dependencies have no mentions.
        """
        return [self._resolve(document) for document in documents]

    def _resolve(self, document: Sequence[Syntax]) -> tuple[Chain, ...]:
        attributes = attributes_of(document)
        if not len(attributes):
            return ()
        detected = detect(attributes, self.detection, self.settings.threshold, self.sizes)
        pairs = pairs_of(detected.mentions)
        antecedents = best_antecedents(detected, pairs, self.ranking, self.sizes, self.settings.margin)
        entities = list(range(len(antecedents)))
        chains: dict[int, list[Mention]] = {}
        for number, (antecedent, (sentence, one)) in enumerate(zip(antecedents, detected.mentions.candidates)):
            if antecedent >= 0:
                entities[number] = entities[antecedent]
            mention = Mention(Span(sentence, one.start, one.end), Span(sentence, one.head, one.head + 1))
            chains.setdefault(entities[number], []).append(mention)
        return tuple(Chain(tuple(sorted(mentions))) for mentions in chains.values() if len(mentions) > 1)


@torch.inference_mode()
def detect(
    attributes: Attributes, network: DetectionNetwork, threshold: float, sizes: NetworkSettings
) -> DetectedMentions:
    """The candidates that are mentions with at least the probability ``threshold``."""
    features = mention_features(attributes, sizes.mention_buckets)
    probabilities = network(torch.from_numpy(features)).softmax(1).numpy()
    certainty: Floats = 1 - probabilities[:, 0]
    kept = np.flatnonzero(certainty >= threshold)
    mentions, features = attributes.chosen(kept), features[kept]
    types = probabilities[kept, 1:].argmax(1) + 1
    context = context_features(mentions, types, certainty[kept], sizes.mention_buckets)
    return DetectedMentions(mentions, features, types, np.concatenate([features, context], 1))


@torch.inference_mode()
def best_antecedents(
    detected: DetectedMentions, pairs: Pairs, network: RankingNetwork, sizes: NetworkSettings, margin: float
) -> list[int]:
    """The best antecedent of each mention, the nearer one of equals; -1 where none beats having none by ``margin``."""
    later, earlier = network.vectors(torch.from_numpy(detected.features))
    best = network.unlinked(torch.from_numpy(detected.novelty)).numpy() + np.float32(margin)
    scores = np.empty(len(pairs.mention), np.float32)
    for first in range(0, len(scores), PIECE):
        piece = Pairs(pairs.mention[first : first + PIECE], pairs.antecedent[first : first + PIECE])
        features = torch.from_numpy(pair_features(detected.mentions, piece, detected.types, sizes.pair_buckets))
        linked = network.linked(later[piece.mention], earlier[piece.antecedent], features)
        scores[first : first + PIECE] = linked.numpy()
    found = np.full(len(best), -1)
    winning = scores > best[pairs.mention]
    np.maximum.at(best, pairs.mention, scores)
    winning &= scores == best[pairs.mention]
    # Pairs are sorted nearest first, and of assignments to one mention the last one stays.
    found[pairs.mention[winning][::-1]] = pairs.antecedent[winning][::-1]
    numbers: list[int] = found.tolist()
    return numbers
