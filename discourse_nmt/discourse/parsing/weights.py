"""Files of the parser: weights as half-precision safetensors, settings and inventory as JSON."""

from dataclasses import asdict
from pathlib import Path

from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.discourse.parsing.examples import ROLES
from discourse_nmt.discourse.parsing.network import ParserNetwork, ParserSizes
from discourse_nmt.discourse.parsing.parser import ParserInventory, RstParser
from discourse_nmt.discourse.weight_files import fill, read_description, write_network

NAME = "rst"
REMEDY = "restore the folder, or train the parser again (docs/how-to/train-analysers.md)"
MEMBERS = 100  # upper limit of the number of networks in a file


def save_rst_parser(parser: RstParser, folder: str | Path) -> None:
    """Write ``rst.safetensors`` and ``rst.json``."""
    content = {
        "network": asdict(parser.networks[0].settings),
        "members": len(parser.networks),
        "labels": parser.inventory.labels,
        "features": parser.inventory.features,
        "pairs": parser.inventory.pairs,
    }
    write_network(nn.ModuleList(parser.networks), content, folder, NAME)


def load_rst_parser(folder: str | Path) -> RstParser:
    """The parser in ``folder``; raises :class:`InputError` for a missing, damaged or foreign file."""
    keys = ("network", "members", "labels", "features", "pairs")
    content, file = read_description(folder, NAME, "an RST parser", keys, REMEDY)
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
    fill(networks, folder, NAME, REMEDY)
    inventory = ParserInventory(tuple(features), tuple(labels), tuple(pairs))
    return RstParser([network for network in networks if isinstance(network, ParserNetwork)], inventory)
