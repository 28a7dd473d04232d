"""A training of an analyser that was stopped or killed continues and ends with the same weights, bit for bit."""

import logging
import math
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.coreference.lexicons.english import ENGLISH
from discourse_nmt.discourse.coreference.network import CoreferenceNetworkSettings
from discourse_nmt.discourse.coreference.resolver import ResolverSettings
from discourse_nmt.discourse.treebanks.examples import Segmented
from discourse_nmt.training.analysers import coreference, course, joint, rst_parser, segmenter
from discourse_nmt.training.analysers.course import Course, Lessons
from discourse_nmt.training.checkpoints.work import Parts, TrainingState, WorkFolder
from discourse_nmt.training.operation.interruption import Interrupted
from tests.unit.discourse.analysers.test_network import EXAMPLES, SMALL
from tests.unit.discourse.test_coreference_training import toy_examples
from tests.unit.discourse.test_rst_parser import SMALL as SMALL_PARSER
from tests.unit.discourse.test_rst_parser import example as tree_example

Train = Callable[[Path | None], list[nn.Module]]


def train_joint(work: Path | None, **keys: float) -> list[nn.Module]:
    given = {"epochs": 4, "batch_words": 12, "case_noise": 0.5, "ending_noise": 0.5, **keys}
    settings = joint.LearningSettings(**given)  # type: ignore[arg-type]
    return [joint.train(EXAMPLES, Inventory.from_examples(EXAMPLES, "main"), SMALL, settings, work)]


def train_segmenter(work: Path | None, **keys: float) -> list[nn.Module]:
    sentence = tuple((start, start + 4) for start in (0, 5))
    documents = [[Segmented("Cats run.", (sentence,)), Segmented("Dogs bark", (sentence,))]] * 9
    given = {"epochs": 4, "width": 8, **keys}
    settings = segmenter.SegmenterSettings(tuned=segmenter.TunedSegmenter(batch=2), **given)  # type: ignore[arg-type]
    return [segmenter.train_segmenter(documents, settings, work).network]


def train_parser(work: Path | None, **keys: float) -> list[nn.Module]:
    settings = rst_parser.ParserLearningSettings(**{"epochs": 3, "members": 2, **keys})  # type: ignore[arg-type]
    examples = [tree_example(seed, 4) for seed in range(3)]
    return list(rst_parser.train(examples, SMALL_PARSER, settings, work).networks)


def train_resolver(work: Path | None, **keys: float) -> list[nn.Module]:
    sizes = CoreferenceNetworkSettings(mention_buckets=64, pair_buckets=64, detection_width=4, ranking_width=4)
    given = {"detection_epochs": 2, "ranking_epochs": 2, "folds": 2, **keys}
    settings = coreference.CoreferenceLearningSettings(**given)  # type: ignore[arg-type]
    resolver = coreference.train(toy_examples(12), sizes, settings, ResolverSettings(), ENGLISH, work)
    return [resolver.detection, resolver.ranking]


TRAININGS = [train_joint, train_segmenter, train_parser, train_resolver]


class Updates:
    """Counts the updates of all networks and does something in chosen ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = 0
        self.actions: dict[int, Callable[[], None]] = {}
        real = course._Training._update

        def update(training: course._Training, rate: float, batch: object) -> None:
            self.done += 1
            self.actions.get(self.done, lambda: None)()
            real(training, rate, batch)

        monkeypatch.setattr(course._Training, "_update", update)


@pytest.fixture
def updates(monkeypatch: pytest.MonkeyPatch) -> Updates:
    return Updates(monkeypatch)


def equal(some: list[nn.Module], others: list[nn.Module]) -> bool:
    pairs = [(one.state_dict(), other.state_dict()) for one, other in zip(some, others, strict=True)]
    return all(torch.equal(one[name], other[name]) for one, other in pairs for name in one)


class Killed(Exception):  # noqa: N818
    """Stands for the end of the process."""


def kill() -> None:
    raise Killed


@pytest.mark.parametrize("train", TRAININGS)
def test_a_stopped_training_repeats_the_unbroken_one(tmp_path: Path, updates: Updates, train: Train) -> None:
    unbroken = train(None)
    count = updates.done
    stops = {count + share * count // 4: signal.SIGTERM for share in (1, 2, 3)}
    for place, number in stops.items():
        updates.actions[place] = lambda number=number: os.kill(os.getpid(), number)  # type: ignore[misc]
    for _ in stops:
        with pytest.raises(Interrupted, match="the same command continues from there"):
            train(tmp_path)
        torch.manual_seed(99)  # another process
    assert equal(train(tmp_path), unbroken)
    assert updates.done == 2 * count  # no update was done twice
    assert equal(train(tmp_path), unbroken)
    assert updates.done == 2 * count


@pytest.mark.parametrize("train", TRAININGS)
def test_a_killed_training_repeats_the_epoch(tmp_path: Path, updates: Updates, train: Train) -> None:
    unbroken = train(None)
    count = updates.done
    updates.actions[count + count * 2 // 3] = kill
    with pytest.raises(Killed):
        train(tmp_path)
    torch.manual_seed(99)
    assert equal(train(tmp_path), unbroken)
    assert count * 2 < updates.done < 3 * count  # some updates a second time, but not all


LONG: list[tuple[Callable[..., object], dict[str, int], int]] = [
    (train_joint, {"epochs": 41}, 1),
    (train_segmenter, {"epochs": 41}, 1),
    (train_parser, {"epochs": 13}, 2),
    (train_resolver, {"detection_epochs": 13, "ranking_epochs": 13}, 4),  # detectors of two folds, and of all
]
"""Trainings of more epochs than is the default, and their networks."""


@pytest.mark.parametrize(("train", "epochs", "networks"), LONG, ids=lambda value: getattr(value, "__name__", ""))
def test_all_epochs_are_done_and_the_rate_falls_over_them(
    monkeypatch: pytest.MonkeyPatch, train: Callable[..., object], epochs: dict[str, int], networks: int
) -> None:
    rates: dict[int, list[float]] = {}
    real = course._Training._epoch

    def epoch(training: course._Training, number: int, batches: list, *rest: int) -> float:
        own = rates.setdefault(id(training.lessons), [])
        own.append(sum(rate for rate, _ in batches) / len(batches))
        kept.append(training.lessons)
        assert number == len(own)
        return real(training, number, batches, *rest)  # type: ignore[arg-type]

    kept: list[Lessons] = []
    monkeypatch.setattr(course._Training, "_epoch", epoch)
    train(None, **epochs)
    assert len(rates) == networks
    for own in rates.values():
        assert len(own) in epochs.values()
        assert own[-1] < 0.25 * max(own) and max(own[len(own) // 2 :]) == own[len(own) // 2]


@pytest.mark.parametrize("dictionary", [False, True])
def test_a_segmenter_reads_the_features_that_it_has_learnt_with(dictionary: bool) -> None:
    documents = [[Segmented("我去学校。", (((0, 1), (1, 2), (2, 4)),))]] * 3
    settings = segmenter.SegmenterSettings(epochs=1, width=8, dictionary=dictionary)
    learnt = segmenter.train_segmenter(documents, settings)
    assert learnt.dictionary == dictionary
    assert len(learnt.segment(["我去学校。"])) == 1


class Clock:
    """Each update takes a minute."""

    def __init__(self) -> None:
        self.now = 0.0

    def tick(self) -> None:
        self.now += 60


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, updates: Updates) -> Clock:
    made = Clock()
    monkeypatch.setattr(course.time, "monotonic", lambda: made.now)
    updates.actions = dict.fromkeys(range(1, 1000), made.tick)
    return made


def toy_lessons(epochs: int = 3) -> Lessons[nn.Linear, float]:
    network = nn.Linear(1, 1)

    def order() -> Iterator[list[tuple[float, float]]]:
        for _ in range(epochs):
            yield [(0.1, 1.0), (0.1, 2.0)]

    def loss(value: float) -> tuple[Tensor, float]:
        error = (network(torch.tensor([value])) - 1).square().sum()
        return error, error.item()

    return Lessons(network, torch.optim.AdamW(network.parameters()), epochs, order(), loss)


def test_minutes_end_a_training_with_what_was_learnt(
    tmp_path: Path, updates: Updates, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Of nine minutes the first network gets three; it needs two, so the second gets half of the other seven."""
    caplog.set_level(logging.INFO)
    training = Course(tmp_path, networks=3, max_minutes=9)
    begun = toy_lessons()
    before = begun.network.weight.item()
    assert Course(max_minutes=1).train(begun).weight.item() != before
    updates.done = 0
    for epochs, expected in ((1, 2), (9, 2 + 4), (9, 2 + 4 + 3)):
        training.train(toy_lessons(epochs))
        assert updates.done == expected
    assert "network 2 of 3: ended by max_minutes after 2.00 of 9 epochs" in caplog.text
    assert "network 1 of 3: ended" not in caplog.text
    again = Course(tmp_path, networks=3, max_minutes=9)
    for epochs in (1, 9, 9):
        again.train(toy_lessons(epochs))
    assert updates.done == 9


@pytest.mark.parametrize("train", TRAININGS)
def test_every_analyser_reads_its_minutes(updates: Updates, clock: Clock, train: Callable[..., object]) -> None:
    train(None)
    whole, updates.done = updates.done, 0
    train(None, max_minutes=3.0)
    assert 0 < updates.done < whole


def test_the_deadline_stops_with_a_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(Interrupted, match=r"by its time limit after 0\.50 of 3 epochs of network;") as caught:
        Course(tmp_path, deadline=time.monotonic()).train(waiting(toy_lessons()))
    assert caught.value.status == 142
    torch.manual_seed(4)
    assert Course(tmp_path).train(toy_lessons()) is not None


def test_a_stop_in_the_last_update_of_a_network_is_heard(tmp_path: Path, updates: Updates) -> None:
    """The networks that follow are not trained; after the last one nothing is left to stop."""
    updates.actions = {6: lambda: os.kill(os.getpid(), signal.SIGTERM)}
    with pytest.raises(Interrupted, match=r"after 3\.00 of 3 epochs of network 1 of 2;"):
        Course(tmp_path, networks=2).train(toy_lessons())
    updates.done = 0
    Course(tmp_path / "one").train(toy_lessons())
    assert updates.done == 6


def waiting(lessons: Lessons[nn.Linear, float]) -> Lessons[nn.Linear, float]:
    """Lessons whose batches wait for the alarm of the deadline."""

    def loss(value: float) -> tuple[Tensor, float]:
        signal.sigtimedwait([], 0.05) if signal.getitimer(signal.ITIMER_REAL)[0] else None
        return lessons.loss(value)

    return Lessons(lessons.network, lessons.adam, lessons.epochs, lessons.order, loss)


def test_checkpoints_come_after_minutes(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    real = WorkFolder.save

    def save(folder: WorkFolder, state: TrainingState, parts: Parts) -> None:
        saved.append(state.update)
        real(folder, state, parts)

    monkeypatch.setattr(WorkFolder, "save", save)
    Course(tmp_path / "often", checkpoint_minutes=1).train(toy_lessons())
    assert saved == [1, 2, 3, 4, 5, 6]
    saved.clear()
    Course(tmp_path / "seldom").train(toy_lessons())
    assert saved == [2, 4, 6]


def test_a_loss_that_is_not_finite_is_told() -> None:
    lessons = toy_lessons()
    broken = Lessons(lessons.network, lessons.adam, 1, lessons.order, lambda _: (torch.zeros(()), float("nan")))
    with pytest.raises(InputError, match="training: the loss is nan by update 1 of network; lower the learning rate"):
        Course().train(broken)


def test_the_time_left_is_that_of_the_epochs_left() -> None:
    lessons = SimpleNamespace(epochs=4)
    for limit, left in ((math.inf, 10), (36.0, 6)):
        running = SimpleNamespace(lessons=lessons, state=SimpleNamespace(seconds=30.0), limit=limit)
        assert course._Training._left(running, 3.0).seconds == left  # type: ignore[arg-type]


def test_the_rate_rises_to_its_value_and_falls_to_zero_along_a_cosine() -> None:
    settings = joint.LearningSettings(rate=0.2)
    warm_up = settings.tuned.warm_up
    assert 0 < warm_up < 1 and joint.rate_at(warm_up / 2, settings) == pytest.approx(0.2 * 0.51)
    assert joint.rate_at(warm_up, settings) == pytest.approx(0.2)
    assert joint.rate_at((1 + warm_up) / 2, settings) == pytest.approx(0.1)
    assert joint.rate_at(1.0, settings) == pytest.approx(0.0)


def test_features_that_are_too_rare_are_none() -> None:
    def features(least: int) -> int:
        settings = rst_parser.ParserLearningSettings(epochs=1, members=1, least=least)
        examples = [tree_example(seed, 4) for seed in range(3)]
        return len(rst_parser.train(examples, SMALL_PARSER, settings).inventory.features)

    assert features(1) > features(50) == 0
