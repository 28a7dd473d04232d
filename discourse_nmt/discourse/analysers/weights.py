"""Files of the analysers: weights as half-precision safetensors, settings and inventories as JSON."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import checksum, write_json
from discourse_nmt.discourse.abbreviations import Abbreviations
from discourse_nmt.discourse.analysers.analyser import UNIT_THRESHOLD, Analyser
from discourse_nmt.discourse.analysers.inventory import Inventory, sized
from discourse_nmt.discourse.analysers.network import JointNetwork
from discourse_nmt.discourse.analysers.network_settings import NetworkSizes
from discourse_nmt.discourse.analysers.segmentation import Segmenter, SegmenterNetwork
from discourse_nmt.discourse.weight_files import (
    SIMPLIFIED,
    fill,
    read_description,
    simplified_characters,
    write_network,
)

JOINT, SEGMENTER, UNITS, ABBREVIATIONS = "joint", "segmenter", "units", "abbreviations"
LISTS = ("inside", "numbers", "ends", "beginnings")
REMEDY = "restore the folder, or train it again as its README.md says"


def save_analyser(analyser: Analyser, folder: str | Path, notice: str = "") -> None:
    """Write ``joint.safetensors`` and ``joint.json``; ``notice`` is a message for users of the weights."""
    content: dict[str, object] = {"notice": notice} if notice else {}
    content |= {} if analyser.units else {"units": False}
    content |= {"network": analyser.network.settings.to_json(), "inventory": analyser.inventory.to_json()}
    write_network(analyser.network, content, folder, JOINT)


def save_units(analyser: Analyser, folder: str | Path, notice: str = "") -> None:
    """Write ``units.safetensors`` and ``units.json`` beside the files of the joint network that has learnt discourse
    units after all the rest, so that they may have a licence of their own."""
    content: dict[str, object] = {"notice": notice} if notice else {}
    content |= {"joint": checksum(Path(folder) / f"{JOINT}.safetensors"), "threshold": analyser.threshold}
    write_network(analyser.network.unit_layers(), content, folder, UNITS)


def load_analyser(
    folder: str | Path, units: bool = True, build: Callable[[NetworkSizes], JointNetwork] = JointNetwork
) -> Analyser:
    """The joint analyser in ``folder``; raises :class:`InputError` for a missing, damaged or foreign file.

    Without ``units`` it finds none, and files of units are not read. ``build`` makes the network that is filled.
    """
    content, file = _joint(folder)
    settings = parse_settings(NetworkSizes, content["network"], f"{file}: network")
    inventory = Inventory.from_json(content["inventory"], str(file))
    if sized(settings, inventory, settings.vector_size).to_json() != content["network"]:
        message = "the network is incomplete or the inventory belongs to another network"
        raise InputError(message, file=file, remedy=REMEDY)
    network = build(settings)
    fill(network, folder, JOINT, REMEDY)
    learnt, threshold = content.get("units") is not False, UNIT_THRESHOLD
    apart = _units(folder) if units else None
    if apart is not None:
        content, file = apart
        if content["joint"] != checksum(file.parent / f"{JOINT}.safetensors"):
            raise InputError("these units were learnt with another joint network", file=file, remedy=REMEDY)
        learnt, threshold = True, content["threshold"]
        if not isinstance(threshold, float):
            raise InputError("its threshold is not a number", file=file, remedy=REMEDY)
        fill(network.unit_layers(), folder, UNITS, REMEDY)
    return Analyser(network, inventory, units and learnt, threshold, simplified_characters(folder))


def notice_of(folder: str | Path, units: bool = True) -> str:
    """The messages for users of the weights in ``folder``, such as restrictions of a licence; may be empty.

    That of the units is among them if ``units`` are used.
    """
    notices = []
    for content, file in filter(None, (_joint(folder), _units(folder) if units else None)):
        notice = content.get("notice", "")
        if not isinstance(notice, str):
            raise InputError("its notice is not text", file=file, remedy=REMEDY)
        notices.append(notice)
    return " ".join(filter(None, notices))


def save_segmenter(segmenter: Segmenter, folder: str | Path) -> None:
    """Write ``segmenter.safetensors`` and ``segmenter.json``."""
    content: dict[str, object] = {
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
    return Segmenter(network, characters, dictionary, simplified_characters(folder), load_abbreviations(folder))


def load_abbreviations(folder: str | Path) -> Abbreviations:
    """The lists in ``abbreviations.json`` of a folder; empty ones without the file."""
    if not (Path(folder) / f"{ABBREVIATIONS}.json").is_file():
        return Abbreviations()
    content, file = read_description(folder, ABBREVIATIONS, ABBREVIATIONS, LISTS, REMEDY, optional=("ordinals",))
    lists, ordinals = [content[name] for name in LISTS], content.get("ordinals", False)
    if not isinstance(ordinals, bool) or not all(map(_is_list_of_words, lists)):
        raise InputError("not lists of words", file=file, remedy=REMEDY)
    inside, numbers, ends, beginnings = map(frozenset, lists)
    return Abbreviations(inside, numbers, ends, beginnings, ordinals)


def _is_list_of_words(words: object) -> bool:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def save_simplified(characters: Mapping[str, str], folder: str | Path) -> None:
    """Write ``simplified.json``, with which the weights also read traditional Chinese ``characters``."""
    content = {"traditional": "".join(characters), "simplified": "".join(characters.values())}
    write_json(content, Path(folder) / f"{SIMPLIFIED}.json")


def _joint(folder: str | Path) -> tuple[dict[str, Any], Path]:
    return read_description(
        folder, JOINT, "an analyser", ("network", "inventory"), REMEDY, optional=("notice", "units")
    )


def _units(folder: str | Path) -> tuple[dict[str, Any], Path] | None:
    """The description of units that were learnt apart, if there are any."""
    if not (Path(folder) / f"{UNITS}.safetensors").is_file():
        return None
    return read_description(folder, UNITS, "discourse units", ("joint", "threshold"), REMEDY, optional=("notice",))
