"""The commands `build_dataset` and `train` as a user runs them, alone and in several processes (about 40 s)."""

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest
import torch

from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.checkpoints.cards import parse_card
from discourse_nmt.training.checkpoints.model_files import load_model, read_tensors
from tests.conftest import ROOT
from tests.unit.training.run.training_toy import SIZE, subwords, vocabulary, write_shard

ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "PYTHONUNBUFFERED": "1"}
SWITCHES = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "feed_forward_width": 16, "heads": 2}
TRAINING = {
    "batch_tokens": 30,
    "accumulation": 4,
    "max_updates": 20,
    "warmup_updates": 10,
    "evaluate_every": 10,
}

SPARING = ["--shard-optimiser", "--recompute-activations"]


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *map(str, words)]
    return subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=120)


def options(folder: Path, name: str, **changes: object) -> list[str]:
    given = {
        "system": "transformer",
        "settings": json.dumps(SWITCHES),
        "training": json.dumps(TRAINING),
        "seed": 1,
        "train": folder / "train.arrow",
        "dev": folder / "dev.arrow",
        "source-vocabulary": folder / "vocabulary.json",
        "target-vocabulary": folder / "vocabulary.json",
        "work": folder / f"work_{name}",
        "device": "cpu",
        "output": folder / f"{name}.safetensors",
        "metrics": folder / f"{name}.csv",
        **changes,
    }
    return [
        "discourse_nmt.workflow_scripts.train.train",
        *(word for key, value in given.items() for word in (f"--{key}", str(value))),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built corpus, and a model trained on it by one process."""
    made = tmp_path_factory.mktemp("corpus")
    vocabulary().save(made / "vocabulary.json")
    frame = subwords([20, 13, 4])
    shards = [
        write_shard(frame[frame.doc_id == "doc001"], made / "0.parquet"),
        write_shard(frame[frame.doc_id != "doc001"], made / "1.parquet"),
    ]
    held_out = write_shard(subwords([5], seed=1), made / "dev.parquet")
    for paths, name in ((shards, "train"), ([held_out], "dev")):
        built = run(
            "discourse_nmt.workflow_scripts.text.build_dataset",
            "--subwords",
            *paths,
            "--output",
            made / f"{name}.arrow",
        )
        assert built.returncode == 0, built.stderr
    trained = run(*options(made, "one"))
    assert trained.returncode == 0, trained.stderr
    assert "ended by max_updates after update 20" in trained.stderr
    return made


def test_the_model_loads_and_metrics_are_written(folder: Path) -> None:
    network = load_model(folder / "one.safetensors", vocabulary(), vocabulary(), system="transformer")
    assert parse_card(read_tensors(folder / "one.safetensors")[1], "one").settings == {
        **asdict(TransformerSettings()),
        **SWITCHES,
    }
    assert network(torch.tensor([[1, 9, 2]]), torch.tensor([[1, 8]])).shape == (1, 2, SIZE)
    assert pd.read_csv(folder / "one.csv")["update"].tolist() == [10, 20]


def assert_same_but_for_rounding(folder: Path, name: str) -> None:
    """A model and its metrics are those of one process."""
    one, several = (read_tensors(folder / f"{each}.safetensors")[0] for each in ("one", name))
    assert one.keys() == several.keys()
    # Keys' biases change no attention: their gradients are rounding alone, which Adam makes as large as the others.
    compared = [name for name in one if not name.endswith("attention.projection.bias")]
    assert max((one[name] - several[name]).abs().max().item() for name in compared) < 1e-5
    columns = ["update", "tokens", "train_loss", "dev_nll"]
    expected, found = (pd.read_csv(folder / f"{each}.csv")[columns] for each in ("one", name))
    evaluated = found[found["update"] % TRAINING["evaluate_every"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(evaluated.drop(columns="train_loss"), expected.drop(columns="train_loss"), rtol=1e-5)


@pytest.mark.parametrize(("processes", "sparing"), [(2, SPARING), (4, [])])
def test_processes_change_a_result_by_rounding_alone(folder: Path, processes: int, sparing: list[str]) -> None:
    """They share the batches of each update; dropout follows the batch, not the process."""
    result = run(*options(folder, "several", work=folder / str(processes), devices=processes), *sparing)
    assert result.returncode == 0, result.stderr
    assert [result.stderr.count(line) for line in ("memory: ", "ended by max_updates")] == [1, 1]
    assert_same_but_for_rounding(folder, "several")
    losses = (pd.read_csv(folder / f"{name}.csv")["train_loss"].tolist() for name in ("one", "several"))
    assert next(losses) == pytest.approx(next(losses), rel=1e-5)


def test_a_signal_to_one_of_two_nodes_stops_both_and_one_process_continues(folder: Path) -> None:
    """The checkpoint is the same whether the optimiser's state is sharded or not."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{listening.getsockname()[1]}"
    training = json.dumps({**TRAINING, "report_every": 1})
    words = [*options(folder, "nodes", training=training, nodes=2, rendezvous=address), *SPARING]
    nodes = [
        subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=ROOT,
            env={**ENVIRONMENT, "JOB_COMPLETION_INDEX": str(index)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for index in range(2)
    ]
    first = nodes[0].stderr
    assert first is not None
    for line in first:
        if line.startswith("update 3,"):
            nodes[1].send_signal(signal.SIGTERM)
            break
    told = first.read().splitlines()
    assert [node.wait(timeout=60) for node in nodes] == [143, 143]
    assert any(line.startswith("stopped after update ") for line in told)
    assert not (folder / "nodes.safetensors").exists()
    continued = run(*options(folder, "nodes", training=training))
    assert "continuing after update" in continued.stderr
    assert_same_but_for_rounding(folder, "nodes")


def test_a_terminated_command_says_how_to_continue_and_does(folder: Path) -> None:
    words = options(folder, "broken", training=json.dumps({**TRAINING, "report_every": 1}))
    process = subprocess.Popen(
        [sys.executable, "-m", *words], cwd=ROOT, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("update 3,"):
            process.send_signal(signal.SIGTERM)
            break
    last = process.stderr.read().splitlines()[-1]
    assert process.wait(timeout=60) == 143
    assert last.startswith("stopped after update ")
    assert last.endswith("; the same command continues from there")
    assert not (folder / "broken.safetensors").exists()
    continued = run(*words)
    assert "continuing after update" in continued.stderr
    assert (folder / "broken.safetensors").read_bytes() == (folder / "one.safetensors").read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"training": '{"learning_rates": 1}'},
            "error: training: unknown setting learning_rates; did you mean learning_rate?",
        ),
        ({"settings": '{"hidden": 1}'}, "error: system transformer: unknown setting hidden"),
        ({"system": "transfomer"}, "error: unknown system transfomer; did you mean transformer?"),
        ({"training": "{"}, "error: --training is not a JSON object (Expecting"),
        ({"seed": -1}, "error: --seed is -1; it must be at least 0"),
        ({"devices": 0}, "error: --devices is 0; it must be at least 1"),
        ({"threads": 0}, "error: --threads is 0; it must be at least 1"),
        ({"devices": 5}, "error: 5 processes share an update of 4 batches; set training.accumulation to 5"),
        ({"nodes": 0}, "error: --nodes is 0; it must be at least 1"),
        ({"nodes": 2}, "error: --nodes is 2, and this is no job of Slurm; use profiles/slurm, set hardware.nodes to 1"),
        ({"nodes": 2, "rendezvous": "first"}, "error: --rendezvous is 'first'; write HOST:PORT of the first node"),
        ({"nodes": 2, "rendezvous": "first:29400"}, "error: this node's index is not known, of 2 nodes; set JOB_COM"),
        ({"time-limit": -1}, "error: --time-limit is -1; it must be at least 0"),
        ({"train": "absent.arrow"}, "error: absent.arrow: cannot be read"),
        (
            {"system": "rst_transformer", "settings": "{}", "train-structure": "trees.arrow"},
            "error: system rst_transformer reads discourse structure; give the structure files of train and dev",
        ),
    ],
)
def test_faults_are_one_line(
    folder: Path,
    changes: dict,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from discourse_nmt.workflow_scripts import command
    from discourse_nmt.workflow_scripts.train import train

    name, *rest = options(folder, "faulty", **changes)
    monkeypatch.setattr(sys, "argv", [name, *rest])
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    with pytest.raises(SystemExit) as stop:
        command.run(train.main)
    assert str(stop.value).startswith(message)
    assert "\n" not in str(stop.value)
    assert not list(folder.glob("work_faulty/*/checkpoints/*"))


def test_a_vocabulary_too_small_for_the_dataset_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discourse_nmt.workflow_scripts import command
    from discourse_nmt.workflow_scripts.train import train

    vocabulary(20).save(tmp_path / "small.json")
    name, *rest = options(folder, "small", **{"target-vocabulary": tmp_path / "small.json"})
    monkeypatch.setattr(sys, "argv", [name, *rest])
    with pytest.raises(SystemExit, match="target id 29 is outside the target vocabulary of 20 symbols"):
        command.run(train.main)


def test_structures_are_checked_with_the_target_vocabulary(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In training, of train and dev, and where the model is opened again."""
    from discourse_nmt.training.checkpoints import trained
    from discourse_nmt.training.run import run as training_run
    from discourse_nmt.workflow_scripts.train import train

    checked: list[object] = []
    monkeypatch.setattr(training_run, "open_structure", lambda *given: checked.append(given[3]))
    monkeypatch.setattr(trained, "open_structure", lambda *given: checked.append(given[3]))
    monkeypatch.setattr(sys, "argv", options(folder, "checked"))
    train.main()
    both = (vocabulary(), vocabulary())
    opened = folder / "checked.safetensors", folder / "dev.arrow", None, both, DecodingSettings(), torch.device("cpu")
    trained.open_trained(*opened)
    assert checked == [len(vocabulary())] * 3


def test_layers_are_computed_again_where_it_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Results are equal, so that only the call shows it."""
    from discourse_nmt.training.run import run as training_run
    from discourse_nmt.workflow_scripts.train import train

    asked: list[object] = []
    monkeypatch.setattr(training_run, "recompute_layers", asked.append)
    for name, words in (("kept", list[str]()), ("again", ["--recompute-activations"])):
        monkeypatch.setattr(sys, "argv", [*options(folder, name), *words])
        train.main()
        assert len(asked) == len(words)
