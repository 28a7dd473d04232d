"""Training of systems with context: batches of whole paragraphs, development translations and scores by row."""

import math

import numpy as np
import pytest
import torch

from discourse_nmt.base.vocabulary import END, PAD
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import build
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import training_feed
from discourse_nmt.training.tasks.paragraphs import ParagraphTask
from tests.unit.training.run.training_toy import SIZE, dataset

SMALL = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "feed_forward_width": 32, "heads": 2, "dropout": 0.0}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ParallelDataset:
    """Three paragraphs of the first document, one of one sentence."""
    return dataset(tmp_path_factory.mktemp("data"), [35, 1])


def task(data: ParallelDataset, system: str = "han") -> ParagraphTask:
    torch.manual_seed(1)
    network = build(system, SMALL, SIZE, SIZE, True)
    assert isinstance(network, ContextTransformer)
    return ParagraphTask(network, data, None)


def test_a_batch_holds_the_sentences_of_its_paragraphs(data: ParallelDataset) -> None:
    units = units_of(data, "paragraph")
    assert (units.stops - units.starts).tolist() == [16, 16, 3, 1]
    batch = task(data).batch(units, np.array([3, 2]), None)
    assert batch.source.paragraphs.paragraph_of_row.tolist() == [0, 1, 1, 1]
    sentences, targets = data.source.sentences(), data.target.sentences()
    for row, number in enumerate([35, 32, 33, 34]):
        assert [symbol for symbol in batch.source.ids[row].tolist() if symbol != PAD][1:-1] == list(sentences[number])
        assert [symbol for symbol in batch.target_output[row].tolist() if symbol != PAD] == [*targets[number], END]
    assert batch.target_tokens == sum(len(targets[number]) + 1 for number in range(32, 36))


@pytest.mark.parametrize("system", ["han", "doc_transformer", "continuous_cache", "hm_gdc"])
def test_the_loss_falls_with_stage_1_frozen_and_without(system: str, data: ParallelDataset) -> None:
    """A few steps like those of the training loop; frozen parameters do not change."""
    for frozen in (True, False):
        made = task(data, system)
        base = build("transformer", SMALL, SIZE, SIZE, True)
        stage_1 = {name for name, _ in base.named_parameters()}
        settings = TrainingSettings(initialised_rate=0.0 if frozen else 1.0, batch_tokens=400)
        names = [name for name, _ in made.network.named_parameters()]
        adam = Optimiser(made.network, settings, rates_of(settings, stage_1, names)).adam
        adam.param_groups[0]["lr"] = 1e-2
        before = {name: value.detach().clone() for name, value in made.network.named_parameters()}
        feed = training_feed(made, "paragraph", settings, 1)
        batch = feed.collate(feed.order.batch(0, 0))
        losses = []
        for _ in range(6):
            found = made.objective(0.0)(made.network, batch)
            losses.append(found.objective.item())
            adam.zero_grad()
            (found.objective / batch.target_tokens).backward()
            adam.step()
        assert losses[-1] < losses[0]
        moved = {name for name, value in made.network.named_parameters() if not torch.equal(value, before[name])}
        assert moved and (moved.isdisjoint(stage_1) if frozen else moved & stage_1)


def test_every_row_has_translations_and_scores(data: ParallelDataset) -> None:
    made = task(data)
    made.network.eval()
    settings = DecodingSettings(beam=2, max_length_offset=2, batch_tokens=60)
    found = dict(made.hypotheses(made.network, settings))
    assert sorted(found) == list(range(36))
    targets = data.target.sentences()
    rows = [35, 0, 20, 20]
    asked = [*(targets[row] for row in rows[:3]), targets[0]]
    scores = dict(made.scores(made.network, rows, asked, settings))
    assert sorted(scores) == [0, 1, 2, 3]
    with torch.no_grad():
        output = made.network(made.batch(units_of(data, "paragraph"), np.array([1]), None))[4].log_softmax(-1)
    wanted = sum(output[place, symbol].item() for place, symbol in enumerate([*targets[20], END]))
    assert math.isclose(scores[2], wanted, abs_tol=1e-4)
