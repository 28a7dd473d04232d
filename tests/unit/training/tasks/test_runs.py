"""Concatenation of runs of sentences: an instance is read as if its runs were documents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.models.packed.concat import Concat
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.packed import ConcatSettings
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.tasks.instances import InstanceTask
from tests.unit.training.run.training_toy import SIZE, dataset

RUNS = {2: [2, 2, 1, 2, 1], 3: [3, 2, 3], 1: [1] * 8}


def task(data: ParallelDataset, **switches: Any) -> InstanceTask:
    torch.manual_seed(3)
    sizes: dict[str, Any] = {"encoder_layers": 1, "decoder_layers": 2, "width": 8, "feed_forward_width": 16, "heads": 2}
    settings = ConcatSettings(**sizes, dropout=0.0, **switches)
    return InstanceTask(Concat(settings, SIZE, SIZE, True).eval(), data, None)


def logits(made: InstanceTask, seed: int | None) -> Tensor:
    units = units_of(made.dataset, "instance")
    found: Tensor = made.network(made.batch(units, np.arange(len(units)), seed))
    return found


@pytest.mark.parametrize("sentences", RUNS)
@pytest.mark.parametrize("whole_documents", [False, True])
def test_an_instance_is_read_as_if_its_runs_were_documents(
    tmp_path: Path, sentences: int, whole_documents: bool
) -> None:
    cut, whole = dataset(tmp_path, RUNS[sentences], "cut"), dataset(tmp_path, [5, 3], "whole")
    wanted, found, other = task(cut), task(whole, sentences=sentences), task(whole)
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


def test_batches_are_those_of_whole_instances(tmp_path: Path) -> None:
    """Each batch has the sentences that other systems of instances read in it."""
    data = dataset(tmp_path, [60, 30], length=20)
    tasks = task(data), task(data, sentences=2)  # whole instances are the default
    batches = [made.batch(units_of(data, "instance"), np.array([1, 3]), 0) for made in tasks]
    torch.testing.assert_close(batches[0].target_output, batches[1].target_output)
    assert batches[0].source.positions.max() > 400 > batches[1].source.positions.max()
