"""A network that is taken from a model folder instead of being trained."""

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from safetensors.torch import save_file

from discourse_nmt.base.errors import InputError
from discourse_nmt.text.settings import SIDES
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.model_files import read_tensors, write_tensors
from discourse_nmt.translation.model_folder import TEXT_MODELS, open_folder
from discourse_nmt.workflow_scripts.train import pack_model, take_from_folder
from discourse_nmt.workflow_scripts.train.take_from_folder import check_system
from tests.unit.translation.folders import TEXT, make_folder

TRAINING = {"update": 40, "epoch": 2.5, "dev_nll": 1.0, "dev_perplexity": 2.72, "precision": "bf16"}


def text_options(folder: Path) -> list[str]:
    """The text models in ``folder`` as options of the commands."""
    return [f"--{side}-{kind}={folder / side / name}" for side in SIDES for kind, name in TEXT_MODELS.items()]


def packed(folder: Path, place: Path, precision: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The network and the text of ``folder`` packed as the folder ``place``."""
    metrics = place.with_name("metrics.csv")
    pd.DataFrame([TRAINING | {"update": 20, "dev_perplexity": 3.0}, TRAINING]).to_csv(metrics, index=False)
    command = ["pack_model", f"--model={folder / 'weights.safetensors'}", f"--metrics={metrics}", *text_options(folder)]
    command += [f"--text-settings={json.dumps(TEXT)}", "--settings={}", "--analysis={}", "--corpus=animals"]
    command += ["--experiment=sentence", "--seed=1", f"--precision={precision}", f"--output={place}"]
    monkeypatch.setattr(sys, "argv", command)
    pack_model.main()
    return place


def take(
    folder: Path, output: Path, monkeypatch: pytest.MonkeyPatch, text: Path | None = None, **given: Any
) -> pd.DataFrame:
    """Run the command on ``folder`` for an experiment with its own switches, or those ``given``; metrics.csv."""
    card = parse_card(read_metadata(folder / "weights.safetensors"), folder)
    system = given.pop("system", card.system)
    command = ["take_from_folder", f"--folder={folder}", f"--system={system}"]
    command += [f"--settings={json.dumps(card.settings | given)}", *text_options(text or folder)]
    metrics = output.with_suffix(".csv")
    description = output.with_suffix(".json")
    outputs = [f"--output={output}", f"--metrics={metrics}", f"--description={description}"]
    monkeypatch.setattr(sys, "argv", [*command, *outputs])
    take_from_folder.main()
    assert description.read_bytes() == (folder / "model.json").read_bytes()
    return pd.read_csv(metrics)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_weights_are_those_of_the_folder(precision: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = make_folder(tmp_path / "trained") / "weights.safetensors"
    folder = packed(trained.parent, tmp_path / "packed", precision, monkeypatch)
    metrics = take(folder, tmp_path / "model.safetensors", monkeypatch)
    (own, metadata), (taken, card) = read_tensors(trained), read_tensors(tmp_path / "model.safetensors")
    assert card == metadata and own.keys() == taken.keys()
    kind = torch.float32 if precision == "fp32" else torch.bfloat16
    for name, tensor in own.items():
        assert taken[name].dtype == torch.float32
        torch.testing.assert_close(taken[name], tensor.to(kind).float(), rtol=0, atol=0)
    assert metrics[["update", "dev_perplexity", "precision"]].values.tolist() == [[40, 2.72, "bf16"]]


def test_bf16_halves_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained = make_folder(tmp_path / "trained", width=128, feed_forward_width=512)
    sizes = [
        (packed(trained, tmp_path / kind, kind, monkeypatch) / "weights.safetensors").stat().st_size
        for kind in ("fp32", "bf16")
    ]
    assert 1.9 < sizes[0] / sizes[1] < 2.1


def test_a_folder_without_a_row_of_training_gives_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert take(make_folder(tmp_path / "folder"), tmp_path / "model.safetensors", monkeypatch).empty


def test_a_folder_of_another_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "folder")
    with pytest.raises(InputError, match=r"system transformer, the experiment has concat; set system: transformer"):
        take(folder, tmp_path / "model.safetensors", monkeypatch, system="concat")
    assert not (tmp_path / "model.safetensors").exists()


def test_a_folder_with_other_switches_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "folder", dropout=0.3)
    with pytest.raises(InputError, match=r"dropout: 0.3, the experiment has 0.1; set dropout .* to 0.3"):
        take(folder, tmp_path / "model.safetensors", monkeypatch, dropout=0.1)


@pytest.mark.parametrize(
    ("system", "switches", "unknown"),
    [("transformer", {"levitation": True}, "with levitation"), ("oracle", {}, "of system oracle")],
)
def test_a_folder_newer_than_the_program_is_named(
    system: str, switches: dict[str, Any], unknown: str, tmp_path: Path
) -> None:
    """The header of its weights has a system or a switch that this version does not know."""
    folder = make_folder(tmp_path / "folder")
    weights = folder / "weights.safetensors"
    tensors, metadata = read_tensors(weights)
    card = json.loads(metadata["model"])
    newer = {**card, "system": system, "settings": card["settings"] | switches}
    write_tensors(tensors, weights, {"model": json.dumps(newer)})
    with pytest.raises(InputError, match=rf"weights.safetensors: a model {unknown}, which this version .* a newer one"):
        parse_card(read_metadata(weights), weights)


@pytest.mark.parametrize(
    ("system", "switch", "default", "other"),
    [
        ("transformer", "position_shift", 0, 5),
        ("concat", "attention", "instance", "sentence"),
        ("han", "sentences", 3, 2),
    ],
)
def test_a_folder_older_than_a_switch_has_its_default(
    system: str, switch: str, default: object, other: object, tmp_path: Path
) -> None:
    """The header of its weights names the switches of its time."""
    folder = open_folder(make_folder(tmp_path / "folder", system=system))
    tensors, header = read_tensors(folder.weights)
    card = json.loads(header["model"])
    wanted = dict(card["settings"])
    assert card["settings"].pop(switch) == default
    save_file(tensors, folder.weights, header | {"model": json.dumps(card)})
    check_system(folder, system, wanted | {switch: default})
    with pytest.raises(InputError, match=f"a model with {switch}: {json.dumps(default)}, the experiment has"):
        check_system(folder, system, wanted | {switch: other})


@pytest.mark.parametrize("name", [f"{side}/{name}" for side in SIDES for name in TEXT_MODELS.values()])
def test_a_folder_of_another_text_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "folder")
    text = make_folder(tmp_path / "text")
    (text / name).write_text((text / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=rf"its {name} is not that of the corpus.*taken_from: null"):
        take(folder, tmp_path / "model.safetensors", monkeypatch, text)


def test_sizes_of_a_labeller_are_those_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Training reads them there, so the settings of the experiment do not have them."""
    folder = make_folder(tmp_path / "folder", system="theme_rheme_cache", labels=6, lstm_dir_width=8, lstm_layers=1)
    sizes: dict[str, Any] = {"labels": 4, "lstm_dir_width": 256, "lstm_layers": 2}
    take(folder, tmp_path / "model.safetensors", monkeypatch, **sizes)
    assert (tmp_path / "model.safetensors").is_file()


def test_a_damaged_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "folder")
    assert open_folder(folder)
    with (folder / "LICENCE.txt").open("a", encoding="utf-8") as file:
        file.write("!")
    with pytest.raises(InputError, match="damaged"):
        take(folder, tmp_path / "model.safetensors", monkeypatch)
