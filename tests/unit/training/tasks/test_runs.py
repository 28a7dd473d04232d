"""Runs of sentences: a packed system reads an instance as if its runs were documents."""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.packed import PackedSettings
from discourse_nmt.models.systems import build
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units, drawn_runs, units_of
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import development_feed, training_feed
from discourse_nmt.training.tasks.instances import InstanceTask
from tests.unit.training.run.training_toy import SIZE, dataset

RUNS = {2: [2, 2, 1, 2, 1], 3: [3, 2, 3], 1: [1] * 8}


def task(data: ParallelDataset, system: str = "concat", **switches: Any) -> InstanceTask:
    torch.manual_seed(3)
    sizes: dict[str, Any] = {"encoder_layers": 2, "decoder_layers": 2, "width": 8, "feed_forward_width": 16, "heads": 2}
    network = build(system, {**sizes, "dropout": 0.0, **switches}, SIZE, SIZE, True)
    assert isinstance(network, PackedTransformer)
    return InstanceTask(network.eval(), data, None)


def logits(made: InstanceTask, seed: int | None) -> Tensor:
    units = units_of(made.dataset, "instance")
    found: Tensor = made.network(made.batch(units, np.arange(len(units)), seed))
    return found


@pytest.mark.parametrize("sentences", RUNS)
@pytest.mark.parametrize("whole_documents", [False, True])
@pytest.mark.parametrize("system", ["concat", "g_transformer", "rst_transformer", "flat_transformer", "hybrid_context"])
def test_an_instance_is_read_as_if_its_runs_were_documents(
    tmp_path: Path, sentences: int, whole_documents: bool, system: str
) -> None:
    cut, whole = dataset(tmp_path, RUNS[sentences], "cut"), dataset(tmp_path, [5, 3], "whole")
    wanted, found, other = task(cut, system), task(whole, system, sentences=sentences), task(whole, system)
    for seed in (None, 4):  # evaluation, training
        torch.testing.assert_close(logits(found, seed), logits(wanted, seed))
        assert not torch.allclose(logits(other, seed), logits(wanted, seed))
    settings = DecodingSettings(beam=2, whole_documents=whole_documents)
    translations = [
        {row: [one.ids for one in hypotheses] for row, hypotheses in made.hypotheses(made.network, settings)}
        for made in (wanted, found, other)
    ]
    assert translations[0] == translations[1] != translations[2]
    rows, targets = [0, 3, 4, 6, 7, 7], [[7, 9], [8], [11, 12, 7], [9], [10, 20], [6]]
    scores = [dict(made.scores(made.network, rows, targets, settings)) for made in (wanted, found, other)]
    assert scores[1] == pytest.approx(scores[0])
    assert scores[2] != pytest.approx(scores[0])


def test_lengths_and_the_ends_of_first_runs_are_drawn() -> None:
    """Every length and every place is as probable as the others; runs cover the units, and 0 cuts nothing."""
    units = Units(np.array([0, 9, 10]), np.array([9, 10, 30]))
    lengths: Counter[int] = Counter()
    firsts: dict[int, Counter[int]] = defaultdict(Counter)
    for seed in range(600):
        cut = drawn_runs(units, [2, 4, 0], seed)
        assert [*cut.starts[1:], 30] == cut.stops.tolist() and {9, 10} <= {*cut.starts.tolist()}
        own = np.flatnonzero(cut.starts >= 10)
        sizes = (cut.stops - cut.starts)[own].tolist()
        size = max(sizes)
        lengths[size] += 1
        firsts[size][sizes[0]] += 1
        assert all(one == size for one in sizes[1:-1]) and sizes[-1] <= size
    assert {*lengths} == {2, 4, 20} and min(lengths.values()) > 150
    assert {*firsts[2]} == {1, 2} and {*firsts[4]} == {1, 2, 3, 4} and min(firsts[4].values()) > 25


def test_training_reads_drawn_lengths_and_evaluation_its_own(tmp_path: Path) -> None:
    data = dataset(tmp_path, [5, 3], "whole")
    drawn, whole, single = task(data, drawn_sentences=[1, 0]), task(data), task(data, sentences=1)
    torch.testing.assert_close(logits(task(data, drawn_sentences=[1, 2]), None), logits(whole, None))
    of_training = [logits(drawn, seed) for seed in range(12)]
    pure = [logits(one, 0) for one in (whole, single)]
    counts = [sum(torch.allclose(found, wanted) for found in of_training) for wanted in pure]
    assert min(counts) > 0 and sum(counts) < 12  # both instances alike, or each its own
    torch.testing.assert_close(logits(drawn, 3), of_training[3])


def test_no_run_has_fewer_than_no_sentences() -> None:
    with pytest.raises(InputError, match="drawn_sentences has -1; give numbers of sentences, 0 for the whole instance"):
        PackedSettings(drawn_sentences=[2, -1])


@pytest.mark.parametrize("sentences", [0, 1, 2])
def test_one_network_is_decoded_at_several_lengths(tmp_path: Path, sentences: int) -> None:
    data = dataset(tmp_path, [5, 3], "whole")
    wanted, found = task(data, sentences=sentences), task(data, sentences=3)
    own, other = DecodingSettings(beam=2), DecodingSettings(beam=2, sentences=sentences)
    translations = [
        {row: [one.ids for one in hypotheses] for row, hypotheses in made.hypotheses(made.network, settings)}
        for made, settings in ((wanted, own), (found, other), (found, own))
    ]
    assert translations[0] == translations[1] != translations[2]
    rows, targets = [0, 3, 7], [[7, 9], [8], [6]]
    scores = [dict(made.scores(made.network, rows, targets, one)) for made, one in ((wanted, own), (found, other))]
    assert scores[1] == pytest.approx(scores[0])


def test_mixed_runs_are_shuffled_one_by_one(tmp_path: Path) -> None:
    """Every sentence is read once in a pass, beside others than its instance; evaluation reads whole instances."""
    data, settings = dataset(tmp_path, [60, 30], length=20), TrainingSettings(batch_tokens=400)
    together, mixed = task(data, sentences=2), task(data, sentences=2, mixed_runs=True)
    instances, runs = [training_feed(made, "instance", settings, 1).units for made in (together, mixed)]
    assert len(instances) == len(units_of(data, "instance")) < len(runs)
    assert {*(runs.stops - runs.starts).tolist()} <= {1, 2}
    assert np.array_equal(runs.rows(np.arange(len(runs))), np.arange(90))
    feed = training_feed(mixed, "instance", settings, 1)
    instance_of_run = np.searchsorted(instances.starts, feed.units.starts, side="right")
    assert any(len({*instance_of_run[chosen].tolist()}) > 2 for chosen in feed.order.update(0) + feed.order.update(1))
    assert len(development_feed(mixed, "instance", settings).units) == len(instances)
    batches = [made.batch(runs, np.array([0, 7]), 0) for made in (together, mixed)]
    torch.testing.assert_close(batches[0].target_output, batches[1].target_output)


@pytest.mark.parametrize("switches", [{}, {"sentences": 2, "drawn_sentences": [1, 2]}])
def test_mixed_runs_have_one_length(switches: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="mixed_runs needs runs of one length; set sentences to their number"):
        PackedSettings(mixed_runs=True, **switches)


def test_batches_are_those_of_whole_instances(tmp_path: Path) -> None:
    """Each batch has the sentences that other systems of instances read in it."""
    data = dataset(tmp_path, [60, 30], length=20)
    tasks = task(data), task(data, sentences=2)  # whole instances are the default
    batches = [made.batch(units_of(data, "instance"), np.array([1, 3]), 0) for made in tasks]
    torch.testing.assert_close(batches[0].target_output, batches[1].target_output)
    assert batches[0].source.positions.max() > 400 > batches[1].source.positions.max()
