"""A run that starts from a model has random numbers of its own, and the key of a run changes with each input."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.systems import build
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.data.batches import BatchOrder
from discourse_nmt.training.run.loop import Training
from discourse_nmt.training.run.run import TrainingRun, train
from discourse_nmt.training.run.seeds import seed_of
from discourse_nmt.training.settings import TrainingSettings
from tests.unit.training.run.training_toy import splits, vocabulary

SWITCHES = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "heads": 2, "feed_forward_width": 16}
UPDATES = 3


@pytest.fixture
def first_stage(tmp_path: Path) -> TrainingRun:
    training, development = splits(tmp_path)
    settings = TrainingSettings(max_updates=UPDATES, batch_tokens=60, warmup_updates=1)
    words = vocabulary()
    return TrainingRun("transformer", SWITCHES, settings, 3, training.path, development.path, words, words)


def untrained_model(folder: Path, width: int) -> Path:
    """The file of an untrained model."""
    switches = {**SWITCHES, "feed_forward_width": width}
    network = build("transformer", switches, len(vocabulary()), len(vocabulary()), True)
    path = folder / f"{width}.safetensors"
    save_model(path, network, "transformer", switches, vocabulary(), vocabulary())
    return path


def recorded(run: TrainingRun, work: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], list[list[int]]]:
    """The seeds of dropout of the updates of a run, and the units of their batches."""
    seeds: list[int] = []
    units: list[list[int]] = []
    update, batches_of = Training._update, BatchOrder.update

    def record_update(loop: Training, batches: list, tokens: int) -> None:
        seeds.extend(seed for seed, _ in batches)
        update(loop, batches, tokens)

    def record_units(order: BatchOrder, number: int) -> list[np.ndarray]:
        batches = batches_of(order, number)
        units.append([int(unit) for batch in batches for unit in batch])
        return batches

    with monkeypatch.context() as patch:
        patch.setattr(Training, "_update", record_update)
        patch.setattr(BatchOrder, "update", record_units)
        train(run, work, device="cpu", devices=1, threads=1)
    return seeds, units


def test_a_second_stage_repeats_neither_dropout_nor_order(
    first_stage: TrainingRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds, order = recorded(first_stage, tmp_path / "first", monkeypatch)
    assert seeds == [seed_of(first_stage.seed, update, 0) for update in range(UPDATES)]
    model = untrained_model(tmp_path, 16)
    second_stage = replace(first_stage, initialised_from=model)
    later_seeds, later_order = recorded(second_stage, tmp_path / "second", monkeypatch)
    assert not set(seeds) & set(later_seeds) and later_order != order
    assert recorded(second_stage, tmp_path / "again", monkeypatch) == (later_seeds, later_order)


def test_all_that_start_from_a_model_share_the_draws_of_a_seed(first_stage: TrainingRun, tmp_path: Path) -> None:
    model, other_model = untrained_model(tmp_path, 16), untrained_model(tmp_path, 32)
    run = replace(first_stage, initialised_from=model)
    longer = replace(run.settings, max_updates=9)
    assert replace(run, settings=longer, switches={**SWITCHES, "norm": "pre"}).random_seed == run.random_seed
    assert replace(run, seed=4).random_seed != run.random_seed
    assert replace(run, initialised_from=other_model).random_seed != run.random_seed


def test_the_key_changes_with_every_input(first_stage: TrainingRun, tmp_path: Path) -> None:
    model, file = untrained_model(tmp_path, 16), tmp_path / "other"
    file.write_text("other", encoding="utf-8")
    run = replace(
        first_stage, initialised_from=model, train_structure=model, dev_structure=model, companions={"cache": model}
    )
    words = Vocabulary.from_counts({"another": 1})
    others: dict[str, Any] = {
        "system": "concat",
        "switches": {**SWITCHES, "norm": "pre"},
        "settings": replace(run.settings, max_updates=9),
        "seed": 4,
        "source_vocabulary": words,
        "target_vocabulary": words,
        "companions": {"cache": file},
        "code": "other",
        **dict.fromkeys(("train", "dev", "initialised_from", "train_structure", "dev_structure"), file),
    }
    assert others.keys() == {field.name for field in fields(run)}
    keys = {name: replace(run, **{name: value}).key() for name, value in others.items()}
    assert run.key() == replace(run).key() and len({run.key(), *keys.values()}) == len(others) + 1


def test_a_system_without_parameters_of_its_own_may_take_a_model_as_it_is(
    first_stage: TrainingRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = replace(first_stage.settings, initialised_rate=0.0, select_by="bleu")
    words = Vocabulary((*vocabulary().symbols[:-2], "du", "ihr"))
    network = build("transformer", SWITCHES, len(words), len(words), True)
    save_model(tmp_path / "model.safetensors", network, "transformer", SWITCHES, words, words)
    run = replace(first_stage, initialised_from=tmp_path / "model.safetensors", settings=frozen)
    run = replace(run, source_vocabulary=words, target_vocabulary=words)
    kept = replace(run, system="side_constraint", switches={**SWITCHES, "target_language": "de"})
    assert recorded(kept, tmp_path / "work", monkeypatch) == ([], [])
    trained = train(kept, tmp_path / "work", device="cpu", devices=1, threads=1)
    assert all(torch.equal(trained.network.state_dict()[name], value) for name, value in network.state_dict().items())
    [row] = trained.state.rows
    assert row["update"] == 0 and row["dev_nll"] > 0 and row["dev_bleu"] >= 0
    with pytest.raises(InputError, match="every parameter is frozen"):
        train(run, tmp_path / "work", device="cpu", devices=1, threads=1)
