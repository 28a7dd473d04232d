"""A training requests what its plan of memory will find, and little for the size of its dataset."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from discourse_nmt.models.systems import build, system_named
from discourse_nmt.training.operation.memory import measured
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import training_feed
from discourse_nmt.training.tasks.protocol import task_for
from discourse_nmt.workflow.estimates.training_memory import (
    COPIES,
    DOCUMENT_MARGIN,
    INDEX,
    SENTENCE_MARGIN,
    activation_numbers,
    training_megabytes,
)
from tests.unit.training.run.training_toy import SIZE, dataset
from tests.unit.workflow.plan.plan_examples import planned, run

PLAN = planned()
MEGABYTE = 2**20


@pytest.mark.parametrize(
    ("system", "margin"),
    [
        ("transformer", SENTENCE_MARGIN),
        *((name, DOCUMENT_MARGIN) for name in ("concat", "flat_transformer", "doc_transformer")),
    ],
)
@pytest.mark.parametrize(("width", "inner", "layers"), [(64, 256, 2), (128, 256, 3)])
def test_activations_are_those_of_the_plan_within_the_margin(
    system: str, margin: float, width: int, inner: int, layers: int, tmp_path: Path
) -> None:
    switches = {
        "encoder_layers": layers,
        "decoder_layers": layers,
        "width": width,
        "feed_forward_width": inner,
        "heads": 4,
    }
    network = build(system, switches, SIZE, SIZE, True)
    settings = TrainingSettings(batch_tokens=1000)
    task = task_for(system_named(system).unit, network, dataset(tmp_path, [400], length=20), None)
    feed = training_feed(task, system_named(system).unit, settings, 1)
    found = measured(network, feed, task.objective(0.1), "fp32", SIZE, [])
    plan = found.plan(device="cpu", processes=1, precision="fp32", recompute=False, shard=False, base=0)
    by_formula = 4 * activation_numbers(system_named(system).switches(switches)) * settings.batch_tokens
    assert 0.3 * by_formula < plan.activations < margin * by_formula


def asked(folder: Path, experiment: str, processes: int, **bytes_of: int) -> float:
    """Megabytes for a training whose files have these sizes."""
    files: dict[str, Any] = {"initial": [], "train_structure": []}
    for name, size in {"train": 0, **bytes_of}.items():
        path = folder / name
        with path.open("wb") as file:
            file.truncate(size)
        files[name] = str(path) if name == "train" else [str(path)]
    wanted = training_megabytes(PLAN.config, PLAN.parameters, processes)
    return wanted(run(experiment, 1), SimpleNamespace(**files))


def test_each_process_asks_for_its_index_of_the_dataset(tmp_path: Path) -> None:
    without = asked(tmp_path, "sentence", 1)
    assert asked(tmp_path, "sentence", 1, train=4096 * MEGABYTE) == without + INDEX * 4096
    assert asked(tmp_path, "sentence", 1, train_structure=1024 * MEGABYTE) == without + INDEX * 1024
    assert asked(tmp_path, "sentence", 3, train=4096 * MEGABYTE) == 3 * (without + INDEX * 4096)


def test_a_large_model_that_is_taken_over_tells_the_number_of_parameters(tmp_path: Path) -> None:
    sizes = (1024 * MEGABYTE, 2048 * MEGABYTE)
    one, two = (asked(tmp_path, "sentence", 1, initial=size) for size in sizes)
    assert two - one == COPIES * 1024
    assert asked(tmp_path, "sentence", 1, initial=4) == asked(tmp_path, "sentence", 1)


def test_systems_of_documents_keep_more(tmp_path: Path) -> None:
    assert asked(tmp_path, "trees", 1) > asked(tmp_path, "sentence", 1)
