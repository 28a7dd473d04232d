"""Units of training and the order of batches."""

import itertools
import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.shards import stable_hash
from discourse_nmt.training.data.batches import BatchOrder, cut
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units, instances, paragraphs, sentences, sides_of, units_of
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import development_feed, training_feed
from discourse_nmt.training.tasks.sentences import SentenceTask
from tests.unit.training.run.training_toy import dataset

LENGTHS = st.lists(st.integers(1, 60), min_size=1, max_size=12)


def documents_of(lengths: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)])


def spans(units: Units) -> list[tuple[int, int]]:
    return list(zip(units.starts.tolist(), units.stops.tolist()))


def literal_instances(documents: list[list[int]], limit: int) -> list[tuple[int, int]]:
    """The loop of the specification (overview, section 4)."""
    found, row = [], 0
    for costs in documents:
        segments: list[list[int]] = []
        for cost in costs:
            if segments and segments[-1][2] + cost < limit:
                segments[-1][1] += 1
                segments[-1][2] += cost
            else:
                segments.append([row, row + 1, cost])
            row += 1
        found += [(first, last) for first, last, _ in segments]
    return found


def test_T00_1_greedy_packing() -> None:
    units = instances(np.array([0, 5]), np.array([200, 150, 161, 100, 600]))
    assert spans(units) == [(0, 3), (3, 4), (4, 5)]


def test_T00_2_paragraphs_of_121_sentences() -> None:
    units = paragraphs(np.array([0, 121]))
    assert (units.stops - units.starts).tolist() == [16] * 7 + [9]


@given(
    st.lists(st.lists(st.integers(2, 40), min_size=1, max_size=20), min_size=1, max_size=6),
    st.integers(3, 80),
)
def test_instances_are_those_of_the_literal_loop(documents: list[list[int]], limit: int) -> None:
    costs = np.array([cost for document in documents for cost in document])
    units = instances(documents_of([len(document) for document in documents]), costs, limit)
    assert spans(units) == literal_instances(documents, limit)


@given(LENGTHS, st.integers(1, 20))
def test_paragraphs_tile_each_document(lengths: list[int], size: int) -> None:
    borders = documents_of(lengths)
    expected = [
        (first, min(first + size, end))
        for begin, end in zip(borders[:-1].tolist(), borders[1:].tolist())
        for first in range(begin, end, size)
    ]
    assert spans(paragraphs(borders, size)) == expected


@given(LENGTHS)
def test_every_sentence_is_a_unit(lengths: list[int]) -> None:
    assert spans(sentences(documents_of(lengths))) == [(row, row + 1) for row in range(sum(lengths))]


def test_units_of_a_dataset(tmp_path: Path) -> None:
    data = dataset(tmp_path, [40, 3], length=20)
    assert [len(units_of(data, unit)) for unit in ("sentence", "paragraph", "instance")] == [43, 4, 3]
    # 23 sentences of 22 tokens are 506, 24 would be 528.
    assert spans(units_of(data, "instance")) == [(0, 23), (23, 40), (40, 43)]
    assert sides_of(data, units_of(data, "instance")).tolist() == [[506, 374, 66]] * 2


def test_instances_cut_by_the_source_do_not_depend_on_the_reference(tmp_path: Path) -> None:
    short, long = (dataset(tmp_path, [40, 3], f"source{n}", "source", n, length=20) for n in (1, 2))
    assert spans(units_of(long, "instance")) == spans(units_of(short, "instance")) == [(0, 23), (23, 40), (40, 43)]
    # 12 references of 42 tokens are 504, 13 would be 546.
    assert spans(units_of(dataset(tmp_path, [40, 3], "both", "both", 2, length=20), "instance"))[0] == (0, 12)
    assert long.of(["doc000"]).cut_by == "source"


@given(st.lists(st.integers(1, 50), min_size=1, max_size=200), st.integers(1, 120), st.booleans())
def test_cut_makes_the_longest_runs_that_fit(values: list[int], tokens: int, padded: bool) -> None:
    def room(run: np.ndarray) -> int:
        return int(len(run) * run.max() if padded else run.sum())

    sizes = np.sort(np.array(values))
    borders = cut(sizes, tokens, padded).tolist()
    assert borders[0] == 0
    assert borders[-1] == len(sizes)
    for first, last in itertools.pairwise(borders):
        assert last - first == 1 or room(sizes[first:last]) <= tokens
        assert last == len(sizes) or room(sizes[first : last + 1]) > tokens


def order_of(sides: np.ndarray, seed: int = 5, per_update: int = 3) -> BatchOrder:
    return BatchOrder(sides, 64, seed=seed, per_update=per_update)


@pytest.fixture
def sides() -> np.ndarray:
    return np.random.default_rng(0).integers(3, 30, size=(2, 157))


def test_an_epoch_holds_every_unit_once_within_the_limit(sides: np.ndarray) -> None:
    order = order_of(sides)
    for epoch in range(3):
        first = epoch * order.updates_per_epoch
        batches = [b for n in range(order.updates_per_epoch) for b in order.update(first + n)]
        assert sorted(np.concatenate(batches).tolist()) == list(range(157))
        assert all(sides[:, batch].max() * len(batch) <= 64 for batch in batches)


def test_order_depends_only_on_seed_and_epoch(sides: np.ndarray) -> None:
    straight = [[b.tolist() for b in order_of(sides).update(n)] for n in range(60)]
    order = order_of(sides)
    for number in (57, 3, 30, 31, 0):
        assert [b.tolist() for b in order.update(number)] == straight[number]
    epoch = order.updates_per_epoch
    assert straight[:epoch] != straight[epoch : 2 * epoch]
    assert straight[:5] != [[b.tolist() for b in order_of(sides, seed=6).update(n)] for n in range(5)]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 40))
def test_processes_share_the_batches_of_an_update(processes: int, accumulation: int, number: int) -> None:
    """Each batch goes to one process, and all processes take the same number of steps."""
    sides = np.random.default_rng(1).integers(3, 30, size=(2, 90))
    order = order_of(sides, per_update=processes * accumulation)
    everything = order.update(number)
    shares = [everything[rank::processes] for rank in range(processes)]
    assert sum(map(len, shares)) == len(everything) <= processes * accumulation
    assert all(len(share) <= accumulation for share in shares)
    # The order of batches itself is the same whatever the number of processes.
    alone = order_of(sides, per_update=1)
    epoch, place = divmod(number, order.updates_per_epoch)
    first = epoch * alone.updates_per_epoch + place * processes * accumulation
    assert [b.tolist() for b in everything] == [alone.update(first + n)[0].tolist() for n in range(len(everything))]


def test_a_unit_above_the_limit_is_a_batch_by_itself(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        order = BatchOrder(np.array([[5, 100, 6, 70], [4, 9, 90, 3]]), 64)
    assert sorted(b.tolist() for n in range(4) for b in order.update(n)) == [[0], [1], [2], [3]]
    assert "3 units are larger than batch_tokens (64)" in caplog.text


def test_max_length_leaves_out_and_counts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = dataset(tmp_path, [30])
    longest = sides_of(data, units_of(data, "sentence")).max(axis=0)
    limit = int(np.sort(longest)[15])  # a sentence of this length is kept
    with caplog.at_level(logging.INFO):
        feed = training_feed(SentenceTask(data), "sentence", TrainingSettings(max_length=limit), seed=1)
    kept = sorted(
        row
        for n in range(feed.order.updates_per_epoch)
        for b in feed.order.update(n)
        for row in feed.collate(b).rows.tolist()
    )
    assert kept == np.flatnonzero(longest <= limit).tolist()
    assert f"{(longest > limit).sum()} of 30 units are longer than max_length ({limit})" in caplog.text


def documents_learnt(data: ParallelDataset, unit: str, share: float) -> list[str]:
    """The documents of the units that training reads, in the order of the dataset."""
    task = SentenceTask(data)
    units = training_feed(task, unit, TrainingSettings(share_of_documents=share, batch_tokens=40), seed=1).units
    read = units.rows(np.arange(len(units)))
    names = list(dict.fromkeys(data.document(row) for row in read.tolist()))
    whole = [row for row in range(len(data)) if data.document(row) in names]
    assert read.tolist() == whole
    return names


@pytest.mark.parametrize("unit", ("sentence", "paragraph", "document", "instance"))
def test_a_share_of_the_documents_is_learnt_from(tmp_path: Path, unit: str, caplog: pytest.LogCaptureFixture) -> None:
    data = dataset(tmp_path, [3, 40, 1, 7, 18, 2, 5, 4])
    with caplog.at_level(logging.INFO):
        quarter, half, everything = (documents_learnt(data, unit, share) for share in (0.25, 0.5, 1.0))
    assert (len(quarter), len(half), everything) == (2, 4, data.names.tolist())
    assert set(quarter) < set(half)
    assert set(half) == set(sorted(everything, key=lambda name: stable_hash(name, "share"))[:4]) != set(everything[:4])
    assert "2 of 8 documents are learnt from (share_of_documents)" in caplog.text
    other = dataset(tmp_path, [1] * 8, name="other", seed=3)  # ids alone decide
    assert documents_learnt(other, unit, 0.25) == quarter


@pytest.mark.parametrize("count", [1, 2, 7, 8])
def test_a_second_stage_learns_from_what_the_first_has_not_seen(tmp_path: Path, count: int) -> None:
    data = dataset(tmp_path, [3, 4, 1, 7, 8, 2, 5, 4][:count])

    def learnt(share: float, skipped: float) -> set[str]:
        settings = TrainingSettings(share_of_documents=share, skipped_share=skipped)
        units = training_feed(SentenceTask(data), "sentence", settings, seed=1).units
        return {data.document(row) for row in units.starts.tolist()}

    first, second = learnt(0.5, 0.0), learnt(0.5, 0.5)
    assert first | second == {*data.names.tolist()}
    assert first & second == (set() if count > 1 else first)
    thirds = [learnt(1 / 3, skipped) for skipped in (0, 1 / 3, 2 / 3)]
    assert set.union(*thirds) == first | second and (count < 3 or sum(map(len, thirds)) == count)
    with pytest.raises(InputError, match=r"skipped_share 0\.6 and share_of_documents 0\.5 are more than 1"):
        TrainingSettings(share_of_documents=0.5, skipped_share=0.6)


def test_a_share_is_of_training_alone_and_never_empty(tmp_path: Path) -> None:
    data = dataset(tmp_path, [3, 4])
    settings = TrainingSettings(share_of_documents=0.01)
    assert len(documents_learnt(data, "sentence", 0.01)) == 1
    assert len(development_feed(SentenceTask(data), "sentence", settings).units) == 7
    with pytest.raises(InputError, match="share_of_documents is 0"):
        TrainingSettings(share_of_documents=0)


def test_development_batches_come_by_size_and_keep_all(tmp_path: Path) -> None:
    data = dataset(tmp_path, [30])
    order = development_feed(SentenceTask(data), "sentence", TrainingSettings(batch_tokens=50, max_length=3)).order
    batches = [order.batch(0, place) for place in range(order.batches_per_epoch)]
    assert (np.diff(order.sizes[np.concatenate(batches)]) >= 0).all()
    assert sorted(np.concatenate(batches).tolist()) == list(range(30))


def test_nothing_to_train_on_is_told() -> None:
    with pytest.raises(InputError, match="nothing to make batches of"):
        BatchOrder(np.zeros((2, 0), dtype=np.int64), 64)
