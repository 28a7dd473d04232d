"""Weights of the parser on disk: half-precision safetensors, with settings and inventory as JSON beside them."""

from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import nn

from corpus.errors import InputError
from corpus.files import read_json, replacing, verified, write_json
from corpus.settings import parse_settings
from discourse.parsing.examples import ROLES
from discourse.parsing.network import ParserNetwork, ParserSizes
from discourse.parsing.parser import ParserInventory, RstParser

NAME = "rst"
REMEDY = "restore the folder, or train the parser again (docs/rst-parser.md)"
MEMBERS = 100  # more networks than anybody would average


def save_rst_parser(parser: RstParser, folder: str | Path) -> None:
    """Write ``rst.safetensors`` and ``rst.json``."""
    file = Path(folder) / f"{NAME}.safetensors"
    content = {
        "network": asdict(parser.networks[0].settings),
        "members": len(parser.networks),
        "labels": parser.inventory.labels,
        "features": parser.inventory.features,
        "pairs": parser.inventory.pairs,
    }
    tensors = {
        key: value.detach().half().contiguous() for key, value in nn.ModuleList(parser.networks).state_dict().items()
    }
    with replacing(file) as temporary:
        temporary.write_bytes(save(tensors))  # save_file would make the file readable by its owner only
    write_json(content, file.with_suffix(".json"))


def load_rst_parser(folder: str | Path) -> RstParser:
    """The parser in ``folder``; a missing, damaged or foreign file is an :class:`InputError`."""
    file = Path(folder) / f"{NAME}.json"
    content = read_json(file)
    if not isinstance(content, dict) or set(content) != {"network", "members", "labels", "features", "pairs"}:
        raise InputError("not the description of an RST parser", file=file, remedy=REMEDY)
    settings = parse_settings(ParserSizes, content["network"], f"{file}: network")
    members, labels, features = content["members"], content["labels"], content["features"]
    if not isinstance(members, int) or not 0 < members <= MEMBERS:
        raise InputError(f"{members!r} is no number of networks", file=file, remedy=REMEDY)
    pairs = content["pairs"]
    inventories = (
        (labels, str, settings.labels),
        (features, str, settings.features - 1),
        (pairs, int, settings.pairs - 1),
    )
    for values, kind, count in inventories:
        if not isinstance(values, list) or any(not isinstance(one, kind) for one in values) or len(values) != count:
            raise InputError("the inventory belongs to another network", file=file, remedy=REMEDY)
    for label in labels:
        if len(label.split()) != 2 or label.split()[1] not in ROLES:
            raise InputError(f"{label!r} is no label of a node", file=file, remedy=REMEDY)
    networks = nn.ModuleList(ParserNetwork(settings) for _ in range(members))
    _fill(networks, file.with_suffix(".safetensors"))
    inventory = ParserInventory(tuple(features), tuple(labels), tuple(pairs))
    return RstParser([network for network in networks if isinstance(network, ParserNetwork)], inventory)


def _fill(networks: nn.ModuleList, file: Path) -> None:
    try:
        tensors = load_file(verified(file))
    except (OSError, SafetensorError) as error:
        raise InputError(f"cannot be read ({error})", file=file, remedy=REMEDY) from None
    wanted = {key: value.shape for key, value in networks.state_dict().items()}
    if {key: value.shape for key, value in tensors.items()} != wanted:
        raise InputError("these weights belong to another network than rst.json", file=file, remedy=REMEDY)
    networks.load_state_dict({key: value.to(torch.float32) for key, value in tensors.items()})
