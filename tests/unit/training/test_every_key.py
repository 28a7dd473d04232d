"""Every key of training, with a second value, changes what a run does: rates, weights, evaluations or its end."""

from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch

from discourse_nmt.models.systems import build
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.run.optimiser import Optimiser
from discourse_nmt.training.run.run import TrainingRun, train
from discourse_nmt.training.run.schedules import learning_rate
from discourse_nmt.training.settings import TrainingSettings
from tests.unit.training.run.training_toy import SIZE, splits, vocabulary

SIZES = {"encoder_layers": 2, "decoder_layers": 1, "width": 16, "feed_forward_width": 24, "heads": 2}
SWITCHES = {**SIZES, "dropout": 0.0, "word_dropout": 0.3}
FIRST: dict[str, Any] = {
    **{"batch_tokens": 60, "max_updates": 6, "evaluate_every": 2, "learning_rate": 0.01, "warmup_updates": 3},
    **{"report_every": 3, "clip_norm": 0.0, "adam_epsilon": 1e-4},
}
SECOND: dict[str, Any] = {
    **{"batch_tokens": 90, "accumulation": 2, "max_length": 9, "share_of_documents": 0.4, "max_updates": 4},
    **{"skipped_share": 0.6},
    **{"max_epochs": 1, "max_minutes": 1e-6, "patience": 1, "evaluate_every": 3, "select_by": "bleu"},
    **{"bleu_beam": 3, "final": "last", "average_checkpoints": 2, "learning_rate": 0.02, "schedule": "constant"},
    **{"warmup_updates": 1, "warmup_initial_rate": 0.005, "final_rate": 0.001, "polynomial_power": 2.0},
    **{"label_smoothing": 0.3, "adam_beta1": 0.5, "adam_beta2": 0.5, "adam_epsilon": 1e-2, "clip_norm": 0.01},
    **{"word_dropout_epochs": 1, "initialised_rate": 0.5, "frozen_updates": 2, "rates": {"decoder_layers.": 0.1}},
    **{"precision": "bf16", "report_every": 1},
}
WORSE = {"learning_rate": 3.0, "warmup_updates": 6}  # a rate that rises, so that every evaluation is worse
BESIDE: dict[str, dict[str, Any]] = {
    "skipped_share": {"share_of_documents": 0.4},
    "bleu_beam": {"select_by": "bleu", "max_length": 0},
    "average_checkpoints": {"final": "average"},
    "final_rate": {"schedule": "polynomial"},
    "polynomial_power": {"schedule": "polynomial"},
    "word_dropout_epochs": {"batch_tokens": 150},
    "max_epochs": {"max_updates": 8},
    "patience": WORSE,
    "final": WORSE,
}
"""Other keys beside which a key counts."""

NOTHING = {
    "deterministic": "it counts on a GPU",
    "checkpoint_minutes": "a run that continues from a checkpoint is the unbroken one",
}
"""Keys that change no result of a run on a CPU, with the reason."""


class Seen(NamedTuple):
    """All that one can see of a run."""

    rates: list[list[float]]
    """Those of Adam's groups in each update."""
    rows: list[dict[str, Any]]
    weights: dict[str, torch.Tensor]
    finished: str | None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Datasets, and a model to start from, which lacks the second layer of the encoder."""
    folder = tmp_path_factory.mktemp("data")
    splits(folder)
    torch.manual_seed(5)
    switches = {**SWITCHES, "encoder_layers": 1}
    network = build("transformer", switches, SIZE, SIZE, True)
    save_model(folder / "first.safetensors", network, "transformer", switches, vocabulary(), vocabulary())
    return folder


@pytest.fixture(scope="module")
def runs() -> dict[str, Seen]:
    """The runs with first values that were made, by the keys beside which these are."""
    return {}


def seen(folder: Path, work: Path, monkeypatch: pytest.MonkeyPatch, **keys: Any) -> Seen:
    """A run with these keys of training."""
    rates: list[list[float]] = []
    set_rate = Optimiser.set_rate

    def noted(self: Optimiser, rate: float, update: int) -> None:
        set_rate(self, rate, update)
        rates.append([group["lr"] for group in self.adam.param_groups])

    monkeypatch.setattr(Optimiser, "set_rate", noted)
    run = TrainingRun(
        "transformer",
        SWITCHES,
        TrainingSettings(**{**FIRST, **keys}),
        1,
        folder / "train.arrow",
        folder / "dev.arrow",
        vocabulary(),
        vocabulary(),
        initialised_from=folder / "first.safetensors",
    )
    result = train(run, work, device="cpu", devices=1, threads=1)
    monkeypatch.setattr(Optimiser, "set_rate", set_rate)
    timed = ("seconds", "tokens_per_second", "precision")
    rows = [{key: value for key, value in row.items() if key not in timed} for row in result.state.rows]
    return Seen(rates, rows, result.network.state_dict(), result.state.finished)


def same(one: Seen, other: Seen) -> bool:
    """Whether two runs do the same."""
    weights = all(torch.equal(value, other.weights[name]) for name, value in one.weights.items())
    return weights and one._replace(weights={}) == other._replace(weights={})


def test_no_key_is_left_out() -> None:
    assert set(SECOND) | set(NOTHING) == {entry.name for entry in fields(TrainingSettings)}
    assert len(SECOND) == 31


@pytest.mark.parametrize("key", [*SECOND, *NOTHING])
def test_a_key_changes_what_a_run_does(
    folder: Path, runs: dict[str, Seen], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    value = SECOND[key] if key in SECOND else {"deterministic": False, "checkpoint_minutes": 0.0}[key]
    beside = BESIDE.get(key, {})
    place = str(beside)
    if place not in runs:
        runs[place] = seen(folder, tmp_path / "first", monkeypatch, **beside)
    second = seen(folder, tmp_path / "second", monkeypatch, **{**beside, key: value})
    assert same(runs[place], second) == (key in NOTHING)


@pytest.mark.parametrize("schedule", ["inverse_square_root", "noam", "constant", "polynomial"])
def test_adam_gets_the_rate_of_the_schedule_and_the_factor_of_its_group(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schedule: Any
) -> None:
    """New parameters have the rate, those of the first model its factor and those of a prefix theirs."""
    keys = {"schedule": schedule, "warmup_initial_rate": 0.004, "final_rate": 0.001, "polynomial_power": 2.0}
    keys |= {"initialised_rate": 0.5, "frozen_updates": 2, "rates": {"encoder_layers.1.": 0.25}}
    found = seen(folder, tmp_path, monkeypatch, **keys).rates
    settings = TrainingSettings(**{**FIRST, **keys})
    expected = [learning_rate(settings, update, SIZES["width"]) for update in range(1, 7)]
    of_first = [0.0, 0.0, *(0.5 * rate for rate in expected[2:])]
    assert [sorted(rates) for rates in found] == [
        pytest.approx(sorted((first, 0.25 * rate))) for first, rate in zip(of_first, expected)
    ]
