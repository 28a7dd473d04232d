"""Which weights a run chooses and ends with, and what its settings reach: scripted evaluations and a literal Adam."""

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.vocabulary import JOINER, SMALL, SPECIALS, Vocabulary
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.checkpoints.work import TrainingState
from discourse_nmt.training.data.collation import Batch
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.run import run as run_module
from discourse_nmt.training.run.evaluation import Development, development_bleu
from discourse_nmt.training.run.loop import Training
from discourse_nmt.training.run.run import Trained, TrainingRun, train
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import Feed
from discourse_nmt.training.tasks.loss import Losses
from tests.unit.training.run.training_toy import largest_difference, splits, toy, toy_objective, training, vocabulary

Data = tuple[ParallelDataset, ParallelDataset]
SIZES = {"encoder_layers": 1, "decoder_layers": 1, "width": 8, "feed_forward_width": 8, "heads": 2, "dropout": 0.0}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return splits(tmp_path_factory.mktemp("data"))


def trained(folder: Path, data: Data, **keys: Any) -> Trained:
    """A run of a tiny sentence model as the command makes it."""
    usual: dict[str, Any] = {"batch_tokens": 60, "max_updates": 4, "evaluate_every": 2, "learning_rate": 0.01}
    symbols = vocabulary()
    run = TrainingRun(
        "transformer", SIZES, TrainingSettings(**{**usual, **keys}), 1, data[0].path, data[1].path, symbols, symbols
    )
    return train(run, folder, device="cpu", devices=1, threads=1)


def evaluations(monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, float]]) -> list[dict[str, torch.Tensor]]:
    """Let evaluations return ``rows`` one after the other; the result gets the weights at each."""
    weights: list[dict[str, torch.Tensor]] = []

    def measure(self: Development, network: nn.Module, objective: object) -> dict[str, float]:
        weights.append({name: tensor.clone() for name, tensor in network.state_dict().items()})
        return {"dev_perplexity": 1.0, **rows[len(weights) - 1]}

    monkeypatch.setattr(Development, "measure", measure)
    return weights


def are(network: nn.Module, weights: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(tensor, weights[name]) for name, tensor in network.state_dict().items())


@pytest.mark.parametrize(
    ("keys", "rows", "chosen"),
    [
        # By loss: the likelihood decides, not the smoothed loss, and lower is better.
        ({}, [{"dev_nll": 2.0, "dev_loss": 5.0}, {"dev_nll": 3.0, "dev_loss": 4.0}], 0),
        ({}, [{"dev_nll": 3.0, "dev_loss": 4.0}, {"dev_nll": 2.0, "dev_loss": 5.0}], 1),
        # By BLEU: higher is better, whatever the loss.
        (
            {"select_by": "bleu"},
            [{"dev_nll": 3.0, "dev_loss": 3.0, "dev_bleu": 9.0}, {"dev_nll": 2.0, "dev_loss": 2.0, "dev_bleu": 8.0}],
            0,
        ),
        ({"final": "last"}, [{"dev_nll": 2.0, "dev_loss": 2.0}, {"dev_nll": 3.0, "dev_loss": 3.0}], 1),
    ],
)
def test_the_final_model_is_that_of_the_chosen_evaluation(
    tmp_path: Path,
    data: Data,
    monkeypatch: pytest.MonkeyPatch,
    keys: dict[str, Any],
    rows: list[dict[str, float]],
    chosen: int,
) -> None:
    weights = evaluations(monkeypatch, rows)
    found = trained(tmp_path, data, **keys)
    assert len(weights) == 2
    assert not are(found.network, weights[1 - chosen])
    assert are(found.network, weights[chosen])


def test_the_average_is_the_mean_of_the_last_evaluated_weights(
    tmp_path: Path, data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = evaluations(monkeypatch, [{"dev_nll": 1.0, "dev_loss": 1.0}] * 3)
    far_apart = {"warmup_updates": 0, "learning_rate": 0.05}
    network = trained(tmp_path, data, max_updates=6, final="average", average_checkpoints=2, **far_apart).network
    found = network.state_dict()
    for name, tensor in found.items():
        torch.testing.assert_close(tensor, (weights[1][name] + weights[2][name]) / 2)
    for one, other in {*combinations(range(3), 2), *((number, number) for number in range(3))} - {(1, 2)}:
        means = {name: (weights[one][name] + weights[other][name]) / 2 for name in found}
        assert max((tensor - means[name]).abs().max().item() for name, tensor in found.items()) > 1e-3


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_label_smoothing_reaches_the_loss(tmp_path: Path, data: Data, smoothing: float) -> None:
    """Without it the objective is the likelihood; with it, the two differ by what the uniform distribution adds."""
    found = trained(tmp_path, data, label_smoothing=smoothing, max_updates=1, evaluate_every=1).state.rows[-1]
    if smoothing == 0:
        assert found["dev_loss"] == pytest.approx(found["dev_nll"])
    else:
        assert abs(found["dev_loss"] - found["dev_nll"]) > 1e-4


def test_the_beam_of_development_bleu_is_the_setting_s(
    tmp_path: Path, data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[DecodingSettings] = []

    def bleu(task: object, target: object, settings: DecodingSettings) -> Callable[..., float]:
        given.append(settings)
        return lambda network, alive: 1.0

    monkeypatch.setattr(run_module, "development_bleu", bleu)
    trained(tmp_path, data, select_by="bleu", bleu_beam=3, max_updates=1)
    assert [settings.beam for settings in given] == [3]


def test_three_updates_are_those_of_a_literal_adam(tmp_path: Path, data: Data) -> None:
    """Kingma and Ba 2015, algorithm 1, with both betas, an epsilon that matters, clipping and smoothing."""
    made = TrainingSettings(
        batch_tokens=60,
        max_updates=3,
        schedule="constant",
        warmup_updates=0,
        learning_rate=0.05,
        adam_beta1=0.6,
        adam_beta2=0.7,
        adam_epsilon=0.01,
        clip_norm=0.02,
        label_smoothing=0.2,
    )
    network, literal = toy(), toy()
    loop = training(tmp_path, network, made, data)
    feed = loop.training
    loop.run()
    parameters = [p for name, p in literal.named_parameters() if not name.startswith("unused")]
    means = [torch.zeros_like(parameter) for parameter in parameters]
    squares = [torch.zeros_like(parameter) for parameter in parameters]
    for step in (1, 2, 3):
        (units,) = feed.order.update(step - 1)
        batch = feed.collate(units)
        literal.zero_grad()
        (toy_objective(0.2)(literal, batch).objective / batch.target_tokens).backward()
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        norm = torch.sqrt(sum((gradient**2).sum() for gradient in gradients))  # type: ignore[arg-type]
        assert norm > 0.02
        with torch.no_grad():
            for parameter, mean, square, raw in zip(parameters, means, squares, gradients, strict=True):
                gradient = raw * 0.02 / norm
                mean.copy_(0.6 * mean + 0.4 * gradient)
                square.copy_(0.7 * square + 0.3 * gradient**2)
                slope = (mean / (1 - 0.6**step)) / (torch.sqrt(square / (1 - 0.7**step)) + 0.01)
                parameter.sub_(0.05 * slope)
    assert largest_difference(network, literal) < 1e-5
    assert largest_difference(network, toy()) > 1e-3


def test_every_batch_of_an_update_has_draws_of_its_own(tmp_path: Path, data: Data) -> None:
    """Those of dropout follow from torch's seed, those of removed trees from the seed that makes the batch."""
    of_dropout: list[int] = []
    of_batches: list[int | None] = []

    class RecordedFeed(Feed):
        """Notes the seed of each batch."""

        def collate(self, chosen: Any, seed: int | None = None) -> Any:
            """The batch."""
            of_batches.append(seed)
            return super().collate(chosen, seed)

    def objective(network: nn.Module, batch: Batch) -> Losses:
        if network.training:
            of_dropout.append(torch.initial_seed())
        return toy_objective(0.1)(network, batch)

    made = TrainingSettings(batch_tokens=60, accumulation=3, max_updates=2, evaluate_every=2)
    loop: Training = training(tmp_path, toy(), made, data, objective=objective)
    feed = loop.training
    loop.training = RecordedFeed(feed.order, feed.units, feed.task)
    state: TrainingState = loop.run()
    assert state.update == 2
    assert len(of_dropout) == len(set(of_dropout)) == 6
    assert of_dropout == of_batches


def test_development_bleu_is_of_words_without_marks() -> None:
    """Two hypotheses have the words of the reference, with marks and subwords elsewhere; two have other tokens."""
    symbols = Vocabulary((*SPECIALS, "so@@", "me", "some", f"{JOINER}word", "word", SMALL, "end", "one", "end.", "."))

    def bleu(*hypothesis: str) -> float:
        reference = [symbols.ids[symbol] for symbol in ("so@@", "me", f"{JOINER}word", "end", "end.")]
        ids = [symbols.ids[symbol] for symbol in hypothesis]
        task = SimpleNamespace(
            dataset=SimpleNamespace(target=SimpleNamespace(sentences=lambda: [reference])),
            hypotheses=lambda network, settings: [(0, [SimpleNamespace(ids=ids)])],
        )
        measured = development_bleu(task, symbols, DecodingSettings())
        return measured(Transformer(parse_settings(TransformerSettings, SIZES, "model"), 20, 20, True), lambda: None)

    assert bleu(SMALL, "so@@", "me", "word", "end", "end.") == pytest.approx(100)
    assert bleu("some", "word", "end", "end.") == pytest.approx(100)
    assert bleu("so@@", "me", "one", "end", "end.") < 100
    assert bleu("so@@", "me", "word", "end", "end", ".") < 100  # tokens are not divided again
