"""Training of the parser: likelihood of gold trees and of their labels, Adam with a decaying rate, averaged weights."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from discourse_nmt.base.settings import probability, setting
from discourse_nmt.discourse.parsing.chart import probabilities, spans_of
from discourse_nmt.discourse.parsing.encoding import (
    Encoded,
    batch,
    children,
    encode,
    frequent_features,
    frequent_pairs,
    table,
)
from discourse_nmt.discourse.parsing.examples import ParserExample, nodes_of_tree, without_paragraphs
from discourse_nmt.discourse.parsing.network import (
    Children,
    ParserNetwork,
    ParserSettings,
    ParserSizes,
    Rates,
    SpanTable,
)
from discourse_nmt.discourse.parsing.parser import ParserInventory, RstParser
from discourse_nmt.training.analysers.course import Course, Lessons

EXCLUDED = -1e9  # score of a span that contradicts the gold tree


@dataclass(frozen=True)
class TunedParserLearning:
    """Values of the parser's training that were tuned once, and that no preset changes."""

    batch: int = setting(1, "documents of one update", minimum=1)
    rate: float = setting(0.002, "peak of the learning rate", minimum=0)
    warm_up: float = probability(0.1, "share of the training in which the rate rises; then it falls along a cosine")
    average: float = probability(0.995, "decay of the moving average of the weights, which is the result")
    feature_dropout: float = probability(0.3, "share of features that are hidden")
    state_dropout: float = probability(0.6, "dropout of the joint network's states")
    unit_dropout: float = probability(0.3, "dropout of the vectors of discourse units")
    span_dropout: float = probability(0.3, "dropout in the layers that score spans and labels")
    label_weight: float = setting(1.0, "weight of labels in the loss", minimum=0)
    paragraph_dropout: float = probability(0.25, "share of the documents whose paragraphs are hidden in a pass")
    clip: float = setting(1.0, "largest 2-norm of an update's gradient", minimum=0)

    @property
    def rates(self) -> Rates:
        """The dropout rates."""
        return Rates(self.feature_dropout, self.state_dropout, self.unit_dropout, self.span_dropout)


@dataclass(frozen=True)
class ParserLearningSettings:
    """How the parser is trained."""

    epochs: int = setting(8, "passes over the training documents", minimum=1)
    least: int = setting(3, "documents that a feature or pair must be seen in", minimum=1)
    members: int = setting(3, "networks that are trained, each from another seed; the parser averages them", minimum=1)
    max_minutes: float = setting(
        0.0, "stop after this many minutes of training, of all networks and restarts; 0 sets no limit", minimum=0
    )
    seed: int = setting(1, "seed of the first network's initialisation, batches and dropout", minimum=0)
    tuned: TunedParserLearning = setting(TunedParserLearning(), "rates, dropout and weights that seldom change")


@dataclass(frozen=True)
class _Lesson:
    """A document with its training targets.

    ``spans`` are those of every part with more than one possible tree (see :meth:`UnitLayout.parts`), part by part.
    ``crossing`` has an array for each part: true for each span that crosses a node of the gold tree.
    """

    encoded: Encoded
    spans: SpanTable
    crossing: list[npt.NDArray[np.bool_]]
    children: Children
    labels: Tensor


def _lesson(example: ParserExample, inventory: ParserInventory) -> _Lesson:
    numbers = {feature: number for number, feature in enumerate(inventory.features, 1)}
    encoded = encode(example.document, numbers)
    nodes, labels = nodes_of_tree(example.tree)
    layout = encoded.layout
    starts, ends, crossing = [], [], []
    for bounds in layout.parts():
        if len(bounds) > 3:
            start, end = (bounds[places] for places in spans_of(len(bounds) - 1))
            inside = [(first, last) for first, _, last in nodes if first in bounds and last in bounds]
            crossed = [
                ((start < first) & (first < end) & (end < last)) | ((first < start) & (start < last) & (last < end))
                for first, last in inside
            ]
            starts.append(start)
            ends.append(end)
            crossing.append(np.any(crossed, axis=0) if crossed else np.zeros(len(start), bool))
    empty = np.zeros(0, np.int64)
    return _Lesson(
        encoded,
        table(layout, np.concatenate([empty, *starts]), np.concatenate([empty, *ends])),
        crossing,
        children(encoded, np.array(nodes), np.array(inventory.pairs, np.int64)),
        torch.tensor([inventory.labels.index(label) for label in labels]),
    )


def _loss(network: ParserNetwork, lessons: Sequence[_Lesson], tuned: TunedParserLearning) -> tuple[Tensor, float]:
    """The loss, and the negative log-likelihood of trees and labels, both per EDU.

    If the gold tree crosses sentences, several trees agree with the rest of it; the loss is that of their sum.
    """
    rates = tuned.rates
    units = batch([lesson.encoded for lesson in lessons])
    loss = torch.zeros(())
    value = 0.0
    for lesson, vectors in zip(lessons, network.encode(units, rates)):
        scores = network.span_scores(network.span(vectors), lesson.spans, rates)
        known = scores.detach().double().numpy()
        gradients = [np.zeros((0, 2))]
        reached = 0
        for crossing in lesson.crossing:
            own = known[reached : reached + len(crossing)]
            total, expected = probabilities(own)
            right, wanted = probabilities(np.where(crossing[:, None], EXCLUDED, own))
            gradients.append(expected - wanted)
            value += total - right
            reached += len(crossing)
        gradient = torch.from_numpy(np.concatenate(gradients)).float()
        labels = functional.cross_entropy(
            network.label_scores(vectors, lesson.children, rates), lesson.labels, reduction="sum"
        )
        loss = loss + (scores * gradient).sum() + tuned.label_weight * labels
        value += labels.item()
    count = sum(units.lengths)
    return loss / count, value / count


def _rate(done: float, tuned: TunedParserLearning) -> float:
    """Learning rate after the share ``done`` of the training."""
    falling = 0.5 * (1 + math.cos(math.pi * done))
    return tuned.rate * falling * min(1.0, (done + 0.001) / tuned.warm_up if tuned.warm_up else 1.0)


def train(
    examples: Sequence[ParserExample],
    network_settings: ParserSettings,
    settings: ParserLearningSettings,
    work: Path | None = None,
    deadline: float | None = None,
) -> RstParser:
    """Train a parser on ``examples``, at least one of them with two or more EDUs; examples of one EDU are ignored.

    ``work`` and ``deadline`` are those of :class:`.Course`. The loss that is reported is the negative log-likelihood
    per EDU. Equal arguments give equal weights on the same machine with the same number of threads.
    """
    examples = [example for example in examples if len(example.document.edus) > 1]
    labels = sorted({label for example in examples for label in nodes_of_tree(example.tree)[1]})
    features = frequent_features([example.document for example in examples], settings.least)
    pairs = frequent_pairs([(example.document, nodes_of_tree(example.tree)[0]) for example in examples], settings.least)
    inventory = ParserInventory(features, tuple(labels), pairs)
    lessons = [(_lesson(example, inventory), _lesson(without_paragraphs(example), inventory)) for example in examples]
    sizes = ParserSizes(
        **vars(network_settings),
        features=len(features) + 1,
        pairs=len(pairs) + 1,
        state_size=examples[0].document.states[0].shape[1],
        labels=len(labels),
    )
    course = Course(work, networks=settings.members, max_minutes=settings.max_minutes, deadline=deadline)
    members = range(settings.seed, settings.seed + settings.members)
    networks = [_member(lessons, sizes, settings, seed, course) for seed in members]
    if all(example.document.paragraphs is None for example in examples):
        for network in networks:
            network.take_paragraphs_as_unknown()
    return RstParser(networks, inventory)


def _member(
    lessons: Sequence[tuple[_Lesson, _Lesson]],
    sizes: ParserSizes,
    settings: ParserLearningSettings,
    seed: int,
    course: Course,
) -> ParserNetwork:
    """One network; each document is a lesson with its paragraphs and another one without."""
    torch.manual_seed(seed)
    randomness, tuned = np.random.default_rng(seed), settings.tuned
    network = ParserNetwork(sizes)
    adam = torch.optim.AdamW(network.parameters(), lr=tuned.rate, betas=(0.9, 0.95), weight_decay=0.0, fused=True)
    updates = settings.epochs * math.ceil(len(lessons) / tuned.batch)

    def order() -> Iterator[list[tuple[float, list[_Lesson]]]]:
        update = 0
        for _ in range(settings.epochs):
            shuffled = randomness.permutation(len(lessons))
            batches = []
            for place in range(0, len(shuffled), tuned.batch):
                numbers = shuffled[place : place + tuned.batch]
                hidden = randomness.random(len(numbers)) < tuned.paragraph_dropout
                chosen = [lessons[number][int(without)] for number, without in zip(numbers, hidden)]
                batches.append((_rate(update / updates, tuned), chosen))
                update += 1
            yield batches

    def loss(chosen: list[_Lesson]) -> tuple[Tensor, float]:
        return _loss(network, chosen, tuned)

    return course.train(Lessons(network, adam, settings.epochs, order(), loss, tuned.average, tuned.clip))
