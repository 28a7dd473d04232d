"""Model files and checkpoints: exact, atomic, and refused where they do not fit."""

import json
import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import seal, write_json
from discourse_nmt.base.storage.remote import KEPT_IN
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.systems import build
from discourse_nmt.training.checkpoints.cards import parse_card
from discourse_nmt.training.checkpoints.model_files import (
    fill,
    initialise_from,
    load_model,
    read_tensors,
    save_model,
    tensors_of,
    write_tensors,
)
from discourse_nmt.training.checkpoints.work import TrainingState, WorkFolder, digest
from discourse_nmt.training.run.averaging import average
from tests.unit.training.run.training_toy import ToyNetwork, same, toy, vocabulary

SMALL = {"encoder_layers": 1, "decoder_layers": 1, "width": 8, "feed_forward_width": 16, "heads": 2}


def network(seed: int = 1, **changes: int) -> nn.Module:
    torch.manual_seed(seed)
    return build("transformer", {**SMALL, **changes}, 30, 30, True)


def saved(path: Path, **changes: int) -> nn.Module:
    made = network(**changes)
    save_model(path, made, "transformer", {**SMALL, **changes}, vocabulary(), vocabulary())
    return made


def other() -> Vocabulary:
    return Vocabulary((*vocabulary().symbols[:-1], "another"))


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    made = saved(tmp_path / "model.safetensors")
    loaded = load_model(tmp_path / "model.safetensors", vocabulary(), vocabulary(), system="transformer")
    assert same(made, loaded)
    assert not loaded.training
    card = parse_card(read_tensors(tmp_path / "model.safetensors")[1], "model.safetensors")
    assert (card.system, card.settings) == ("transformer", SMALL)
    assert card.source_vocabulary == vocabulary().fingerprint


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for number in range(5):
        saved(tmp_path / f"{number}.safetensors")
    assert len({(tmp_path / f"{number}.safetensors").read_bytes() for number in range(5)}) == 1


@pytest.mark.parametrize("umask", [0o022, 0o027])
def test_a_model_is_as_readable_as_any_file(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        saved(tmp_path / "model.safetensors")
        (tmp_path / "any.txt").write_text("any")
    finally:
        os.umask(before)
    assert (tmp_path / "model.safetensors").stat().st_mode == (tmp_path / "any.txt").stat().st_mode


def test_tensors_have_the_bytes_that_safetensors_gives_them(tmp_path: Path) -> None:
    tensors = {"b": torch.arange(7, dtype=torch.bfloat16), "a": torch.arange(12.0).view(3, 4), "none": torch.zeros(0)}
    write_tensors(tensors, tmp_path / "ours.safetensors", {"model": "{}"})
    save_file(tensors, tmp_path / "theirs.safetensors", {"model": "{}"})
    assert (tmp_path / "ours.safetensors").read_bytes() == (tmp_path / "theirs.safetensors").read_bytes()


def test_tied_weights_are_stored_once(tmp_path: Path) -> None:
    saved(tmp_path / "model.safetensors")
    with safe_open(tmp_path / "model.safetensors", framework="pt") as file:
        names = set(file.keys())
    assert names & {"source_embedding.weight", "target_embedding.weight", "output.weight"} == {
        "target_embedding.weight"
    }
    toy_names = tensors_of(ToyNetwork())
    assert "embedding.weight" in toy_names
    assert "output.weight" not in toy_names


def test_a_model_of_other_vocabularies_or_system_names_both(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    saved(path)
    for sides in ((other(), vocabulary()), (vocabulary(), other())):
        with pytest.raises(InputError, match=f"{vocabulary().fingerprint[:12]}.*{other().fingerprint[:12]}"):
            load_model(path, *sides)
    with pytest.raises(InputError, match="a model of system transformer, not of system hierarchical"):
        load_model(path, vocabulary(), vocabulary(), system="hierarchical")


@pytest.mark.parametrize("damage", ["absent", "empty", "cut", "no card"])
def test_unreadable_models_are_told(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "model.safetensors"
    saved(path)
    if damage == "absent":
        path.unlink()
    elif damage == "no card":
        write_tensors(tensors_of(network()), path)
    else:
        path.write_bytes(b"" if damage == "empty" else path.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"model\.safetensors"):
        load_model(path, vocabulary(), vocabulary())


def test_a_second_stage_takes_over_equal_names(tmp_path: Path) -> None:
    saved(tmp_path / "first.safetensors")
    second = network(seed=2, decoder_layers=2)
    before = {name: tensor.clone() for name, tensor in tensors_of(second).items()}
    loaded, left = initialise_from(second, tmp_path / "first.safetensors", vocabulary(), vocabulary())
    first = tensors_of(network(seed=1))
    assert loaded == first.keys()
    for name, tensor in tensors_of(second).items():
        assert torch.equal(tensor, first[name] if name in loaded else before[name])
    assert any(name.startswith("decoder_layers.1.") for name in before.keys() - loaded)
    assert not left
    saved(tmp_path / "deep.safetensors", decoder_layers=2)
    shallow = network(seed=3)
    loaded, left = initialise_from(shallow, tmp_path / "deep.safetensors", vocabulary(), vocabulary())
    assert loaded == tensors_of(shallow).keys()
    assert left == {name for name in before if name.startswith("decoder_layers.1.")}


def test_initialising_tells_what_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "first.safetensors"
    saved(path)
    with pytest.raises(InputError, match=r"has shape .* the network's has"):
        initialise_from(network(width=12), path, vocabulary(), vocabulary())
    with pytest.raises(InputError, match="no parameter of the network"):
        initialise_from(ToyNetwork(), path, vocabulary(), vocabulary())
    with pytest.raises(InputError, match="vocabulary"):
        initialise_from(network(), path, other(), vocabulary())


def test_average_is_the_mean_and_one_file_is_exact(tmp_path: Path) -> None:
    networks = [toy(seed=seed) for seed in range(3)]
    paths = [tmp_path / f"{number}.safetensors" for number in range(3)]
    for made, path in zip(networks, paths):
        write_tensors(tensors_of(made), path)
    mean = average(paths)
    for name, tensor in mean.items():
        expected = torch.stack([tensors_of(made)[name].double() for made in networks]).mean(0).float()
        assert torch.equal(tensor, expected)
    alone = toy(seed=9)
    fill(alone, average(paths[:1]), paths[0])
    assert same(alone, networks[0])


def folder_with(tmp_path: Path, updates: list[int]) -> WorkFolder:
    work = WorkFolder(tmp_path / "work")
    state = TrainingState()
    for update in updates:
        state.update = update
        tensors = tensors_of(toy(seed=update))
        state.record(float(update), work.save_weights(update, tensors), last=1)
        work.save(state, {"model": tensors})
    return work


def files(work: WorkFolder) -> list[str]:
    """The files of a work folder, each of which has its seal beside it."""
    found = set(work.folder.rglob("*.*"))
    kept = {path for path in found if not path.name.startswith(".")}
    assert found == kept | {seal(path) for path in kept}
    return sorted(path.relative_to(work.folder).as_posix() for path in kept)


def test_the_newest_checkpoint_is_found_and_old_ones_go(tmp_path: Path) -> None:
    work = folder_with(tmp_path, [1, 2, 3, 4])
    state, tensors = work.latest() or pytest.fail("no checkpoint")
    assert (state.update, state.best_update, list(state.evaluated)) == (4, 4, ["4"])
    assert torch.equal(tensors["model"]["context.weight"], toy(seed=4).context.weight)
    kept = [f"checkpoints/update-0000000{n}.{kind}" for n in (3, 4) for kind in ("json", "safetensors")]
    assert files(work) == [*kept, *(f"weights/update-0000000{n}.safetensors" for n in (3, 4))]


def test_leftovers_of_killed_processes_are_removed(tmp_path: Path) -> None:
    work = folder_with(tmp_path, [1])
    for name in ("checkpoints/.update-00000002.safetensors.0123abcd", "weights/.update-00000002.safetensors.89efab67"):
        (work.folder / name).write_bytes(b"half a file")
    state, tensors = work.latest() or pytest.fail("no checkpoint")
    work.save(state, tensors)
    assert len(files(work)) == 3


def test_an_empty_machine_finds_the_checkpoints_that_were_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEPT_IN, str(tmp_path / "kept"))
    files_here = files(folder_with(tmp_path, [1, 2, 3]))
    shutil.rmtree(tmp_path / "work")
    work = WorkFolder(tmp_path / "work")
    state, tensors = work.latest() or pytest.fail("no checkpoint")
    assert state.update == 3
    assert torch.equal(tensors["model"]["context.weight"], toy(seed=3).context.weight)
    found = {path.relative_to(work.folder).as_posix() for path in work.folder.rglob("*.*")}
    assert sorted(found) == files_here


def test_no_checkpoint_is_no_fault(tmp_path: Path) -> None:
    work = WorkFolder(tmp_path / "work")
    assert work.latest() is None
    # What a run leaves that was killed while it wrote its first checkpoint.
    write_tensors(tensors_of(toy()), work.checkpoints / "update-00000001.safetensors")
    assert work.latest() is None


def cut_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-50])


def flip_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", [cut_file, flip_bit, Path.unlink])
@pytest.mark.parametrize(
    "name",
    [
        "checkpoints/update-00000003.safetensors",
        "checkpoints/update-00000003.json",
        "weights/update-00000003.safetensors",
    ],
)
def test_a_damaged_checkpoint_is_left_out(
    tmp_path: Path, name: str, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    work = folder_with(tmp_path, [2, 3])
    damage(work.folder / name)
    with caplog.at_level(logging.WARNING):
        state, _ = work.latest() or pytest.fail("no checkpoint")
    assert state.update == 2
    assert ("update-00000003" in caplog.text) == ((work.checkpoints / "update-00000003.json").exists())
    # The next checkpoints count from the one that was good.
    state.update = 3
    state.evaluated = {}
    work.save(state, {"model": tensors_of(toy())})
    assert (work.latest() or pytest.fail("no checkpoint"))[0].evaluated == {}


def test_a_damaged_checkpoint_never_displaces_a_good_one(tmp_path: Path) -> None:
    work = folder_with(tmp_path, [5, 9])
    cut_file(work.checkpoints / "update-00000009.safetensors")
    state, tensors = work.latest() or pytest.fail("no checkpoint")
    state.update = 6
    work.save(state, tensors)
    assert [path.stem for path in sorted(work.checkpoints.glob("*.json"))] == [
        "update-00000005",
        "update-00000006",
    ]


def test_only_damaged_checkpoints_are_a_fault(tmp_path: Path) -> None:
    work = folder_with(tmp_path, [2, 3])
    for path in work.checkpoints.glob("*.safetensors"):
        cut_file(path)
    with pytest.raises(InputError, match="every checkpoint is damaged; delete"):
        work.latest()


def test_a_checkpoint_of_another_version_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    work = folder_with(tmp_path, [2, 3])
    path = work.checkpoints / "update-00000003.json"
    content = json.loads(path.read_text())["content"]
    del content["state"]["stale"]
    write_json({"content": content, "checksum": digest(content)}, path)
    assert (work.latest() or pytest.fail("no checkpoint"))[0].update == 2
    assert "another version" in caplog.text
