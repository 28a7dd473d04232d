"""Weights of a checkpoint in one file or in several, of either format."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file
from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.checkpoints.export import export
from discourse_nmt.training.checkpoints.pretrained import read_pretrained
from discourse_nmt.workflow.sections.pretrained import checkpoint_files
from tests.unit.training.pretrained.imported_checkpoints import Start
from tests.unit.training.pretrained.reference_checkpoints import Reference, make

INDEX = "model.safetensors.index.json"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    return make("nllb", tmp_path_factory.mktemp("whole"))


def in_parts(reference: Reference) -> list[Path]:
    """Replace the weights by those of transformers in several files; returns these."""
    (reference.folder / "model.safetensors").unlink()
    reference.model.save_pretrained(reference.folder, max_shard_size="20KB")
    return sorted(reference.folder.glob("model-*.safetensors"))


def in_old_parts(folder: Path) -> None:
    """Replace the weights in several files of safetensors by such files of torch."""
    index = json.loads((folder / INDEX).read_text())
    for path in folder.glob("model-*.safetensors"):
        torch.save(load_file(path), folder / f"pytorch_{path.stem}.bin")
        path.unlink()
    names = {name: f"pytorch_{Path(file).stem}.bin" for name, file in index["weight_map"].items()}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps({**index, "weight_map": names}))
    (folder / INDEX).unlink()


def same(found: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> bool:
    return found.keys() == expected.keys() and all(torch.equal(found[name], expected[name]) for name in expected)


@pytest.mark.parametrize("kind", ["marian", "nllb", "mbart50"])
def test_weights_in_several_files_are_those_in_one(tmp_path: Path, kind: str) -> None:
    reference = make(kind, tmp_path)
    expected = read_pretrained(tmp_path, "language").tensors
    assert len(in_parts(reference)) > 2
    assert same(read_pretrained(tmp_path, "language").tensors, expected)
    in_old_parts(tmp_path)
    assert same(read_pretrained(tmp_path, "language").tensors, expected)


def test_one_file_is_read_before_several_and_the_plan_names_what_is_read(tmp_path: Path) -> None:
    begun = Start("nllb", tmp_path)
    reference, settings = begun.imported.reference, begun.imported.settings

    def names() -> list[str]:
        return [Path(name).name for name in checkpoint_files(settings)["network"]]

    kept = (reference.folder / "model.safetensors").read_bytes()
    assert names() == ["config.json", "model.safetensors"]
    parts = in_parts(reference)
    assert names() == ["config.json", INDEX, *(part.name for part in parts)]
    export(begun.path, settings, begun.vocabularies, reference.folder, tmp_path / "exported")
    assert not list((tmp_path / "exported").glob("*.index.json"))
    theirs: Any = type(reference.model).from_pretrained(tmp_path / "exported")
    assert same(theirs.state_dict(), reference.model.state_dict())
    (reference.folder / "model.safetensors").write_bytes(kept)
    assert names() == ["config.json", "model.safetensors"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"model\.safetensors\.index\.json:1: not JSON"),
        ("[]", "no weight_map of tensors and their files; get it again"),
        ('{"weight_map": {}}', "no weight_map"),
        ('{"weight_map": {"a": 3}}', "no weight_map"),
        ('{"weight_map": {"a": "../model.safetensors"}}', r"\.\./model\.safetensors is no file of weights beside it"),
        ('{"weight_map": {"a": "config.json"}}', r"config\.json is no file of weights"),
        ('{"weight_map": {"a": "model-3.safetensors"}}', r"no file model-3\.safetensors, which .* names; get it too"),
        ('{"weight_map": {"a": "other.safetensors"}}', r"it has no tensor a, which model\.safetensors\.index\.json"),
    ],
)
def test_a_damaged_index_is_told_in_one_line(tmp_path: Path, whole: Reference, content: str, message: str) -> None:
    (tmp_path / "config.json").write_bytes((whole.folder / "config.json").read_bytes())
    (tmp_path / "other.safetensors").write_bytes((whole.folder / "model.safetensors").read_bytes())
    (tmp_path / INDEX).write_text(content)
    with pytest.raises(InputError, match=message) as error:
        read_pretrained(tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("length", [0, 7, 400])
def test_a_truncated_part_is_told_in_one_line(tmp_path: Path, old: bool, length: int) -> None:
    reference = make("marian", tmp_path)
    part = in_parts(reference)[1]
    if old:
        in_old_parts(tmp_path)
        part = tmp_path / f"pytorch_{part.stem}.bin"
    part.write_bytes(part.read_bytes()[:length])
    with pytest.raises(InputError, match=f"{part.name}: not a readable .*; get it again") as error:
        read_pretrained(tmp_path)
    assert "\n" not in str(error.value)


def test_transformers_makes_what_is_read() -> None:
    assert transformers.utils.SAFE_WEIGHTS_INDEX_NAME == INDEX
    assert transformers.utils.WEIGHTS_INDEX_NAME == "pytorch_model.bin.index.json"
