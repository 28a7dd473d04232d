"""Weights of the analysers on disk: half-precision safetensors, with settings and inventories as JSON beside them."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn

from corpus.errors import InputError
from corpus.files import read_json, replacing, verified, write_json
from corpus.settings import parse_settings
from discourse.analysers.analyser import Analyser
from discourse.analysers.inventory import Inventory, sized
from discourse.analysers.network import JointNetwork, NetworkSizes
from discourse.analysers.segmentation import Segmenter, SegmenterNetwork

JOINT, SEGMENTER = "joint", "segmenter"
REMEDY = "restore the folder, or train it again as its README.md says"


def save_analyser(analyser: Analyser, folder: str | Path, notice: str = "") -> None:
    """Write ``joint.safetensors`` and ``joint.json``; ``notice`` is what users of the weights must be told."""
    content: dict[str, Any] = {"notice": notice} if notice else {}
    content |= {"network": asdict(analyser.network.settings), "inventory": analyser.inventory.to_json()}
    _save(analyser.network, content, Path(folder), JOINT)


def load_analyser(folder: str | Path) -> Analyser:
    """The joint analyser in ``folder``; a missing, damaged or foreign file is an :class:`InputError`."""
    content, file = _content(folder, JOINT, ("network", "inventory"))
    settings = parse_settings(NetworkSizes, content["network"], f"{file}: network")
    inventory = Inventory.from_json(content["inventory"], file)
    if asdict(sized(settings, inventory)) != content["network"]:
        message = "the network is incomplete or the inventory belongs to another network"
        raise InputError(message, file=file, remedy=REMEDY)
    network = JointNetwork(settings)
    _load(network, Path(folder), JOINT)
    return Analyser(network, inventory)


def notice_of(folder: str | Path) -> str:
    """What users of the weights in ``folder`` must be told, such as a licence that forbids some uses; or nothing."""
    content, file = _content(folder, JOINT, ())
    notice = content.get("notice", "")
    if not isinstance(notice, str):
        raise InputError("its notice is not text", file=file, remedy=REMEDY)
    return notice


def save_segmenter(segmenter: Segmenter, folder: str | Path) -> None:
    """Write ``segmenter.safetensors`` and ``segmenter.json``."""
    content: dict[str, Any] = {
        "width": segmenter.network.character.embedding_dim,
        "characters": segmenter.characters,
    }
    if segmenter.dictionary:
        content["dictionary"] = True
    _save(segmenter.network, content, Path(folder), SEGMENTER)


def load_segmenter(folder: str | Path) -> Segmenter:
    """The segmenter in ``folder``; a missing, damaged or foreign file is an :class:`InputError`."""
    content, file = _content(folder, SEGMENTER, ("width", "characters"))
    characters, width, dictionary = content["characters"], content["width"], content.get("dictionary", False)
    right = isinstance(characters, str) and isinstance(width, int) and isinstance(dictionary, bool)
    if not right or not 0 < width < 10_000:
        raise InputError("not the settings of a segmenter", file=file, remedy=REMEDY)
    network = SegmenterNetwork(len(characters) + 2, width, dictionary)
    _load(network, Path(folder), SEGMENTER)
    return Segmenter(network, characters, dictionary)


def _content(folder: str | Path, name: str, keys: tuple[str, ...]) -> tuple[Mapping[str, Any], str]:
    file = Path(folder) / f"{name}.json"
    content = read_json(file)
    if not isinstance(content, dict) or any(key not in content for key in keys):
        raise InputError(f"not a description of an analyser: needs {', '.join(keys)}", file=file, remedy=REMEDY)
    return content, str(file)


def _save(network: nn.Module, content: Mapping[str, Any], folder: Path, name: str) -> None:
    tensors = {key: value.detach().half().contiguous() for key, value in network.state_dict().items()}
    with replacing(folder / f"{name}.safetensors") as temporary:
        temporary.write_bytes(save(tensors))  # save_file would make the file readable by its owner only
    write_json(content, folder / f"{name}.json")


def _load(network: nn.Module, folder: Path, name: str) -> None:
    file = folder / f"{name}.safetensors"
    try:
        tensors: dict[str, Tensor] = load_file(verified(file))
    except (OSError, SafetensorError) as error:
        raise InputError(f"cannot be read ({error})", file=file, remedy=REMEDY) from None
    wanted = {key: value.shape for key, value in network.state_dict().items()}
    if {key: value.shape for key, value in tensors.items()} != wanted:
        raise InputError(f"these weights belong to another network than {name}.json", file=file, remedy=REMEDY)
    network.load_state_dict({key: value.to(torch.float32) for key, value in tensors.items()})
