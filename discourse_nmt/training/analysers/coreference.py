"""Training of the resolver: a detector of mentions, then a ranker of antecedents. The ranker is trained on mentions of
detectors that were not trained on the same document (jackknifing)."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from discourse_nmt.base.settings import probability, setting
from discourse_nmt.discourse.analysers.examples import fold_of
from discourse_nmt.discourse.coreference.attributes import Attributes, attributes_of
from discourse_nmt.discourse.coreference.examples import CoreferenceExample, Place
from discourse_nmt.discourse.coreference.features import mention_features
from discourse_nmt.discourse.coreference.lexicons.word_lists import ReferringWords
from discourse_nmt.discourse.coreference.network import (
    CoreferenceDropout,
    CoreferenceNetworkSettings,
    DetectionNetwork,
    KnownCounts,
    RankingNetwork,
)
from discourse_nmt.discourse.coreference.pairs import pair_features, pairs_of
from discourse_nmt.discourse.coreference.resolver import Resolver, ResolverSettings, detect
from discourse_nmt.training.analysers.course import Course, Lessons

BETAS = (0.9, 0.98)
IMPOSSIBLE = -1e4


@dataclass(frozen=True)
class TunedCoreferenceLearning:
    """Values of the resolver's training that were tuned once, and that no preset changes."""

    detection_batch: int = setting(4, "documents of one update of the detector", minimum=1)
    detection_rate: float = setting(0.003, "learning rate of the detector at the start; it falls to 0", minimum=0)
    detection_dropout: float = probability(0.4, "dropout of the detector's hidden units")
    detection_hidden: float = probability(0.1, "share of the features that the detector does not see")
    ranking_batch: int = setting(2, "documents of one update of the ranker", minimum=1)
    ranking_rate: float = setting(0.002, "learning rate of the ranker at the start; it falls to 0", minimum=0)
    ranking_dropout: float = probability(0.3, "dropout of the ranker's hidden units")
    ranking_hidden: float = probability(0.15, "share of the features that the ranker does not see")
    false_link: float = setting(0.1, "cost of an antecedent for a mention that has none", minimum=0)
    missed_link: float = setting(3.0, "cost of no antecedent for a mention that has one", minimum=0)
    wrong_link: float = setting(0.5, "cost of a wrong antecedent for a mention that has one", minimum=0)


@dataclass(frozen=True)
class CoreferenceLearningSettings:
    """How the resolver is trained."""

    detection_epochs: int = setting(6, "passes over the documents for the detector", minimum=1)
    ranking_epochs: int = setting(5, "passes over the documents for the ranker", minimum=1)
    least_documents: int = setting(
        0, "documents in which a feature must occur to be learnt, in each network; 0 learns every bucket", minimum=0
    )
    folds: int = setting(4, "folds of the documents for jackknifing the detector", minimum=2)
    max_minutes: float = setting(
        0.0, "stop after this many minutes of training, of all networks and restarts; 0 sets no limit", minimum=0
    )
    seed: int = setting(1, "seed of initialisation, order and dropout", minimum=0)
    tuned: TunedCoreferenceLearning = setting(
        TunedCoreferenceLearning(), "rates and dropout of both networks and costs of links that seldom change"
    )


@dataclass(frozen=True)
class RankingExample:
    """A document for the ranker: features [..., templates], pairs as numbers [pairs] of their mentions, which pairs
    are coreferent [pairs], and which mentions have no antecedent among theirs [mentions]."""

    features: Tensor
    novelty: Tensor
    pairs: Tensor
    later: Tensor
    earlier: Tensor
    right: Tensor
    new: Tensor


def train(
    examples: Sequence[CoreferenceExample],
    sizes: CoreferenceNetworkSettings,
    settings: CoreferenceLearningSettings,
    resolving: ResolverSettings,
    lexicon: ReferringWords,
    work: Path | None = None,
    deadline: float | None = None,
) -> Resolver:
    """Train a resolver: a detector without each fold, one with all folds, and the ranker.

    ``lexicon`` has the words of the examples' language. ``work`` and ``deadline`` are those of :class:`.Course`.
    """
    course = Course(work, networks=settings.folds + 2, max_minutes=settings.max_minutes, deadline=deadline)
    types = ["", *sorted({kind for example in examples for _, kind in example.mentions.values()})]
    candidates = [attributes_of(example.sentences, lexicon) for example in examples]
    features = [torch.from_numpy(mention_features(attributes, sizes.mention_buckets)) for attributes in candidates]
    labels = [_types(example, attributes, types) for example, attributes in zip(examples, candidates)]
    folds = np.array([fold_of(example.name, settings.folds) for example in examples])
    documents: list[RankingExample | None] = [None] * len(examples)
    for fold in range(settings.folds):
        others, own = np.flatnonzero(folds != fold).tolist(), np.flatnonzero(folds == fold).tolist()
        detector = _train_detector(
            [features[index] for index in others],
            [labels[index] for index in others],
            sizes,
            len(types),
            settings,
            course,
        )
        for index in own:
            documents[index] = _ranking_example(examples[index], candidates[index], detector, types, sizes, resolving)
    detector = _train_detector(features, labels, sizes, len(types), settings, course)
    ranking_examples = [document for document in documents if document is not None]
    ranker = _train_ranker(ranking_examples, sizes, settings, course)
    return Resolver(detector, ranker, types, sizes, resolving, lexicon)


def known_features(documents: Sequence[Tensor], least: int) -> Tensor:
    """The buckets [known], in rising order, that features [..., templates] of at least ``least`` documents fall into;
    none for a ``least`` of 0."""
    if not least or not documents:
        return torch.zeros(0, dtype=torch.long)
    buckets, counts = torch.cat([features.unique() for features in documents]).unique(return_counts=True)
    return buckets[counts >= least]


def places_of(mentions: Attributes) -> list[Place]:
    """Sentence and words of each mention."""
    return [(sentence, candidate.start, candidate.end) for sentence, candidate in mentions.candidates]


def _types(example: CoreferenceExample, candidates: Attributes, types: Sequence[str]) -> Tensor:
    type_ids = {name: index for index, name in enumerate(types)}
    gold = {place: type_ids[kind] for place, (_, kind) in example.mentions.items()}
    return torch.tensor([gold.get(place, 0) for place in places_of(candidates)], dtype=torch.long)


def _train_detector(
    features: Sequence[Tensor],
    labels: Sequence[Tensor],
    sizes: CoreferenceNetworkSettings,
    types: int,
    settings: CoreferenceLearningSettings,
    course: Course,
) -> DetectionNetwork:
    torch.manual_seed(settings.seed)
    epochs, tuned = settings.detection_epochs, settings.tuned
    known = known_features(features, settings.least_documents)
    network = DetectionNetwork(sizes, types, KnownCounts(candidates=len(known)))
    network.candidates.learn(known)
    adam = torch.optim.Adam(network.parameters(), lr=tuned.detection_rate, betas=BETAS)
    dropout = CoreferenceDropout(tuned.detection_hidden, tuned.detection_dropout)

    def loss(batch: list[int]) -> tuple[Tensor, float]:
        scores = network(torch.cat([features[index] for index in batch]), dropout)
        total = nn.functional.cross_entropy(scores, torch.cat([labels[index] for index in batch]), reduction="sum")
        value = total / max(len(scores), 1)
        return value, value.item()

    order = _order(len(features), tuned.detection_batch, epochs, tuned.detection_rate, settings.seed)
    return course.train(Lessons(network, adam, epochs, order, loss)).eval()


def _ranking_example(
    example: CoreferenceExample,
    candidates: Attributes,
    detector: DetectionNetwork,
    types: Sequence[str],
    sizes: CoreferenceNetworkSettings,
    resolving: ResolverSettings,
) -> RankingExample:
    detected = detect(candidates, detector, types, resolving.threshold, sizes)
    mentions = detected.mentions
    pairs = pairs_of(mentions).agreeing(detected.agreement)
    entity_ids: dict[str, int] = {}
    entities = np.empty(len(mentions), np.int64)
    for index, place in enumerate(places_of(mentions)):
        gold = example.mentions.get(place)
        entities[index] = -1 - index if gold is None else entity_ids.setdefault(gold[0], len(entity_ids))
    right = entities[pairs.mention] == entities[pairs.antecedent]
    new = np.ones(len(mentions), bool)
    new[pairs.mention[right]] = False
    buckets = pair_features(mentions, pairs, detected.types, sizes.pair_buckets)
    arrays = (detected.features, detected.novelty, buckets, pairs.mention, pairs.antecedent, right, new)
    return RankingExample(*(torch.from_numpy(array) for array in arrays))


def _train_ranker(
    documents: Sequence[RankingExample],
    sizes: CoreferenceNetworkSettings,
    settings: CoreferenceLearningSettings,
    course: Course,
) -> RankingNetwork:
    torch.manual_seed(settings.seed)
    epochs, tuned = settings.ranking_epochs, settings.tuned
    mentions = known_features([document.novelty for document in documents], settings.least_documents)
    pairs = known_features([document.pairs for document in documents], settings.least_documents)
    network = RankingNetwork(sizes, KnownCounts(mentions=len(mentions), pairs=len(pairs)))
    network.mentions.learn(mentions)
    network.pairs.learn(pairs)
    adam = torch.optim.Adam(network.parameters(), lr=tuned.ranking_rate, betas=BETAS)

    def loss(batch: list[int]) -> tuple[Tensor, float]:
        total = torch.stack([ranking_loss(network, documents[index], tuned) for index in batch]).sum()
        return total / 100, total.item()

    order = _order(len(documents), tuned.ranking_batch, epochs, tuned.ranking_rate, settings.seed)
    return course.train(Lessons(network, adam, epochs, order, loss)).eval()


def ranking_loss(network: RankingNetwork, document: RankingExample, tuned: TunedCoreferenceLearning) -> Tensor:
    """Negative log-likelihood of the right antecedents, summed over mentions, with the costs of wrong choices added to
    their scores (softmax margin; Durrett and Klein 2013)."""
    dropout = CoreferenceDropout(tuned.ranking_hidden, tuned.ranking_dropout)
    later, earlier = network.vectors(document.features, dropout)
    linked = network.linked(later[document.later], earlier[document.earlier], document.pairs, dropout)
    unlinked = network.unlinked(document.novelty, dropout)
    costs = torch.where(document.new[document.later], tuned.false_link, tuned.wrong_link)
    linked = linked + torch.where(document.right, 0.0, costs)
    unlinked = unlinked + torch.where(document.new, 0.0, tuned.missed_link)
    right_linked = torch.where(document.right, linked, IMPOSSIBLE)
    right_unlinked = torch.where(document.new, unlinked, IMPOSSIBLE)
    all_choices = _log_sum(unlinked, linked, document.later)
    return (all_choices - _log_sum(right_unlinked, right_linked, document.later)).sum()


def _log_sum(unlinked: Tensor, linked: Tensor, later: Tensor) -> Tensor:
    """Logarithm [mentions] of the summed exponentials of each mention's scores."""
    largest = unlinked.detach().scatter_reduce(0, later, linked.detach(), "amax")
    total = torch.exp(unlinked - largest).scatter_add(0, later, torch.exp(linked - largest[later]))
    return torch.log(total) + largest


def _order(documents: int, size: int, epochs: int, rate: float, seed: int) -> Iterator[list[tuple[float, list[int]]]]:
    """The batches of each epoch with their learning rates, which fall to 0 on a straight line."""
    order = list(range(documents))
    generator = random.Random(seed)
    starts = range(0, documents, size)
    for epoch in range(epochs):
        generator.shuffle(order)
        shares = ((epoch * len(starts) + number) / (epochs * len(starts)) for number in range(len(starts)))
        yield [(rate * (1 - share), order[start : start + size]) for share, start in zip(shares, starts)]
