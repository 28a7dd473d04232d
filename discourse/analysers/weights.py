"""Files of the analysers: weights as half-precision safetensors, settings and inventories as JSON."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.inventory import Inventory, sized
from discourse_nmt.discourse.analysers.network import JointNetwork, NetworkSizes
from discourse_nmt.discourse.analysers.segmentation import Segmenter, SegmenterNetwork
from discourse_nmt.discourse.weight_files import fill, read_description, write_network

JOINT, SEGMENTER = "joint", "segmenter"
REMEDY = "restore the folder, or train it again as its README.md says"


def save_analyser(analyser: Analyser, folder: str | Path, notice: str = "") -> None:
    """Write ``joint.safetensors`` and ``joint.json``; ``notice`` is a message for users of the weights."""
    content: dict[str, Any] = {"notice": notice} if notice else {}
    content |= {} if analyser.units else {"units": False}
    content |= {"network": asdict(analyser.network.settings), "inventory": analyser.inventory.to_json()}
    write_network(analyser.network, content, folder, JOINT)


def load_analyser(folder: str | Path) -> Analyser:
    """The joint analyser in ``folder``; raises :class:`InputError` for a missing, damaged or foreign file."""
    content, file = _joint(folder)
    settings = parse_settings(NetworkSizes, content["network"], f"{file}: network")
    inventory = Inventory.from_json(content["inventory"], str(file))
    if asdict(sized(settings, inventory)) != content["network"]:
        message = "the network is incomplete or the inventory belongs to another network"
        raise InputError(message, file=file, remedy=REMEDY)
    network = JointNetwork(settings)
    fill(network, folder, JOINT, REMEDY)
    return Analyser(network, inventory, content.get("units") is not False)


def notice_of(folder: str | Path) -> str:
    """The message for users of the weights in ``folder``, such as restrictions of a licence; may be empty."""
    content, file = _joint(folder)
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
    write_network(segmenter.network, content, folder, SEGMENTER)


def load_segmenter(folder: str | Path) -> Segmenter:
    """The segmenter in ``folder``; raises :class:`InputError` for a missing, damaged or foreign file."""
    content, file = read_description(
        folder, SEGMENTER, "a segmenter", ("width", "characters"), REMEDY, optional=("dictionary",)
    )
    characters, width, dictionary = content["characters"], content["width"], content.get("dictionary", False)
    right = isinstance(characters, str) and isinstance(width, int) and isinstance(dictionary, bool)
    if not right or not 0 < width < 10_000:
        raise InputError("not the settings of a segmenter", file=file, remedy=REMEDY)
    network = SegmenterNetwork(len(characters) + 2, width, dictionary)
    fill(network, folder, SEGMENTER, REMEDY)
    return Segmenter(network, characters, dictionary)


def _joint(folder: str | Path) -> tuple[dict[str, Any], Path]:
    return read_description(
        folder, JOINT, "an analyser", ("network", "inventory"), REMEDY, optional=("notice", "units")
    )
