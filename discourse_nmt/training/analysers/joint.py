"""Training of the joint network: one loss over all tasks, Adam with a decaying rate, averaged weights."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from discourse_nmt.base.settings import probability, setting
from discourse_nmt.discourse.analysers.batches import (
    IGNORED,
    Labeller,
    SentenceLabels,
    grouped,
    make_batch,
    pad_labels,
    units_alone,
)
from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.analysers.inventory import Inventory, sized
from discourse_nmt.discourse.analysers.network import JointNetwork, JointScores
from discourse_nmt.discourse.analysers.network_settings import AnalyserDropout, NetworkSettings
from discourse_nmt.training.analysers.course import Course, Lessons
from discourse_nmt.training.analysers.noise import noisy
from discourse_nmt.training.analysers.pretrained import PretrainedModel, PretrainedNetwork


@dataclass(frozen=True)
class TunedLearning:
    """Values of the joint network's training that were tuned once, and that no preset changes."""

    pretrained_rate: float = setting(
        0.0002, "peak of the learning rate of the pretrained layers of teachers", minimum=0
    )
    warm_up: float = probability(
        0.03, "share of the training in which the learning rate rises; then it falls along a cosine"
    )
    average: float = probability(0.998, "decay of the moving average of the weights, which is the result")
    entry_dropout: float = probability(0.25, "dropout of the vectors of words")
    state_dropout: float = probability(0.3, "dropout of the states of each layer")
    head_dropout: float = probability(0.25, "dropout in the classifiers above the states")
    clip: float = setting(1.0, "largest 2-norm of an update's gradient", minimum=0)
    tag_weight: float = setting(0.5, "weight of each of UPOS and XPOS in the loss", minimum=0)
    form_weight: float = setting(0.3, "weight of each of features and lemma rules in the loss", minimum=0)
    unit_weight: float = setting(3.0, "weight of discourse units in the loss", minimum=0)


@dataclass(frozen=True)
class LearningSettings:
    """How the joint network is trained."""

    epochs: int = setting(14, "passes over the training data", minimum=1)
    batch_words: int = setting(1500, "words of one batch, padding included", minimum=1)
    rate: float = setting(0.003, "peak of the learning rate", minimum=0)
    silver_share: float = probability(
        0.2, "share of the text annotated by teachers that is read in each pass, another share in each"
    )
    word_dropout: float = probability(0.2, "share of words whose own embedding is hidden")
    vector_dropout: float = probability(0.0, "share of words whose fixed vector is hidden")
    case_noise: float = probability(
        0.0, "share of sentences that are read in lower, upper or title case, another share in each pass"
    )
    ending_noise: float = probability(0.0, "share of sentences that are read without their final punctuation mark")
    max_minutes: float = setting(
        0.0, "stop after this many minutes of training, summed over restarts; 0 sets no limit", minimum=0
    )
    seed: int = setting(1, "seed of initialisation, batches and dropout", minimum=0)
    tuned: TunedLearning = setting(TunedLearning(), "rates, dropout and weights in the loss that seldom change")

    @property
    def dropout(self) -> AnalyserDropout:
        """The dropout rates."""
        tuned = self.tuned
        return AnalyserDropout(
            self.word_dropout, self.vector_dropout, tuned.entry_dropout, tuned.state_dropout, tuned.head_dropout
        )


def loss_of(network: JointNetwork, scores: JointScores, labels: SentenceLabels, settings: LearningSettings) -> Tensor:
    """Weighted sum over the tasks; the loss of a task is the mean over words with a label."""
    known = labels.heads != IGNORED
    relations = network.relation_scores(scores, labels.heads.clamp(min=0))
    loss = scores.arcs.new_zeros(())
    if known.any():
        loss = functional.nll_loss(scores.arcs[known], labels.heads[known])
    loss = loss + _cross_entropy(relations, labels.deprels)
    for weight, logits, gold in (
        (settings.tuned.tag_weight, scores.upos, labels.upos),
        (settings.tuned.tag_weight, scores.xpos, labels.xpos),
        (settings.tuned.form_weight, scores.features, labels.features),
        (settings.tuned.form_weight, scores.lemmas, labels.lemmas),
    ):
        loss = loss + weight * _cross_entropy(logits, gold)
    known = labels.units != IGNORED
    if known.any():
        units = functional.binary_cross_entropy_with_logits(scores.units[known], labels.units[known].float())
        loss = loss + settings.tuned.unit_weight * units
    # All words of a batch may be without a label, where a treebank teaches units alone and marks none in its sentences.
    return loss if loss.requires_grad or not torch.is_grad_enabled() else scores.units.sum() * 0.0


def _cross_entropy(logits: Tensor, gold: Tensor) -> Tensor:
    known = gold != IGNORED
    if not known.any():
        return logits.new_zeros(())
    return functional.cross_entropy(logits[known], gold[known])


def rate_at(done: float, settings: LearningSettings) -> float:
    """Learning rate after the share ``done`` of the training."""
    warm_up = settings.tuned.warm_up
    if done < warm_up:
        return settings.rate * (0.01 + done / warm_up)
    return settings.rate * 0.5 * (1 + math.cos(math.pi * (done - warm_up) / (1 - warm_up)))


def unit_loss_of(
    network: JointNetwork, scores: JointScores, labels: SentenceLabels, settings: LearningSettings
) -> Tensor:
    """Mean over words with a label of the loss of discourse units alone."""
    known = labels.units != IGNORED
    logits, gold = scores.units[known], labels.units[known].float()
    return functional.binary_cross_entropy_with_logits(logits, gold, reduction="sum") / max(1, len(gold))


def train(
    examples: Sequence[Example],
    inventory: Inventory,
    network_settings: NetworkSettings,
    settings: LearningSettings,
    work: Path | None = None,
    deadline: float | None = None,
    vectors: Tensor | None = None,
    silver: Sequence[Example] = (),
    model: PretrainedModel | None = None,
) -> JointNetwork:
    """Train a network on ``examples`` (non-empty sentences) and return it with averaged weights.

    ``vectors`` [words, width] are those of the inventory's words with a fixed vector, which stay as they are.
    ``silver`` are sentences that teachers annotated, of which each pass reads a share. With ``model`` the network is a
    teacher itself, whose words a pretrained model reads.
    ``work`` and ``deadline`` are those of :class:`.Course`. Equal arguments give equal weights on the same machine
    with the same number of threads.
    """
    torch.manual_seed(settings.seed)
    if model is not None:
        teacher = PretrainedNetwork(sized(network_settings, inventory, model.width), model)
        teacher.take_pretrained_weights()
        return _taught(teacher, teacher, loss_of, examples, inventory, settings, work, deadline)
    width = 0 if vectors is None else vectors.shape[1]
    network = JointNetwork(sized(network_settings, inventory, width))
    if vectors is not None:
        network.encoder.vectors[-len(vectors) :] = vectors  # the first rows, padding and unknown words, stay 0
    return _taught(network, network, loss_of, examples, inventory, settings, work, deadline, silver)


def train_units(
    network: JointNetwork,
    examples: Sequence[Example],
    inventory: Inventory,
    settings: LearningSettings,
    work: Path | None = None,
    deadline: float | None = None,
) -> JointNetwork:
    """Teach a trained network the discourse units of ``examples``, which all have them, and return it.

    Only :meth:`.JointNetwork.unit_layers` change, so that tags and dependencies stay as they are. The rest is as in
    :func:`train`.
    """
    torch.manual_seed(settings.seed)
    layers = network.requires_grad_(False).unit_layers().requires_grad_(True)
    return _taught(network, layers, unit_loss_of, examples, inventory, settings, work, deadline)


def _taught(
    network: JointNetwork,
    learning: nn.Module,
    loss_of_batch: Callable[[JointNetwork, JointScores, SentenceLabels, LearningSettings], Tensor],
    examples: Sequence[Example],
    inventory: Inventory,
    settings: LearningSettings,
    work: Path | None,
    deadline: float | None,
    silver: Sequence[Example] = (),
) -> JointNetwork:
    """The network after the layers ``learning`` have learnt."""
    randomness = np.random.default_rng(settings.seed)
    features = network.word_features(inventory)
    gold, examples = len(examples), [*examples, *silver]
    passes = SilverPasses(len(silver), settings.silver_share, randomness)
    labeller = Labeller(inventory)
    labels = [labeller.of(example) for example in examples]
    lengths = [len(example.forms) for example in examples]
    kinds = [example.edu_starts is not None for example in examples]
    adam = torch.optim.AdamW(_rated(learning, settings), settings.rate, (0.9, 0.95), weight_decay=0.0, fused=True)

    def order() -> Iterator[list[tuple[float, tuple[int, list[int]]]]]:
        for epoch in range(settings.epochs):
            read = [*range(gold), *(gold + number for number in passes.next())]
            parts = grouped(
                [lengths[number] for number in read],
                settings.batch_words,
                randomness,
                [kinds[number] for number in read],
            )
            groups = [[read[place] for place in part] for part in parts]
            shares = ((epoch + place / len(groups)) / settings.epochs for place in range(len(groups)))
            yield [(rate_at(share, settings), (epoch, group)) for share, group in zip(shares, groups)]

    def loss(lesson: tuple[int, list[int]]) -> tuple[Tensor, float]:
        epoch, group = lesson
        # Seeded by epoch and batch, so that a training that continues draws the same noise.
        noise = np.random.default_rng([settings.seed, epoch, group[0]])
        read = [noisy(examples[number], settings.case_noise, settings.ending_noise, noise) for number in group]
        rows = [
            labels[number] if example is examples[number] else labeller.of(example)
            for number, example in zip(group, read)
        ]
        treebanks = [labeller.treebanks[example.treebank] for example in read]
        for place, treebank in enumerate(treebanks):
            # Units of another treebank must be found under the guidelines that analyses follow, too.
            if treebank and kinds[group[0]] and noise.random() < 0.5:
                treebanks[place], rows[place] = 0, units_alone(rows[place])
        batch = make_batch([example.forms for example in read], treebanks, features)
        labels_read = pad_labels(rows)
        value = loss_of_batch(network, network(batch, settings.dropout, kinds[group[0]]), labels_read, settings)
        return value, value.item()

    lessons = Lessons(network, adam, settings.epochs, order(), loss, settings.tuned.average, settings.tuned.clip)
    return Course(work, max_minutes=settings.max_minutes, deadline=deadline).train(lessons)


class SilverPasses:
    """Which of ``size`` sentences each pass reads: a ``share`` of them, and all before one comes again."""

    def __init__(self, size: int, share: float, randomness: np.random.Generator) -> None:
        self.size, self.share, self.randomness = size, share, randomness
        self.left: list[int] = []

    def next(self) -> list[int]:
        """The numbers of the sentences of the next pass."""
        wanted = round(self.size * self.share)
        while len(self.left) < wanted:
            self.left += self.randomness.permutation(self.size).tolist()
        chosen, self.left = self.left[:wanted], self.left[wanted:]
        return chosen


def _rated(learning: nn.Module, settings: LearningSettings) -> list[dict[str, object]]:
    """The parameters that learn as groups of an optimiser; ``share`` is that of the learning rate."""
    pretrained = [name.startswith("encoder.pretrained.") for name, _ in learning.named_parameters()]
    parameters = list(learning.parameters())
    groups = []
    for slow, share in ((False, 1.0), (True, settings.tuned.pretrained_rate / settings.rate if settings.rate else 0.0)):
        chosen = [one for one, part in zip(parameters, pretrained) if part == slow and one.requires_grad]
        groups += [{"params": chosen, "share": share}] if chosen else []
    return groups
