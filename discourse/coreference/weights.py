"""Weights of the resolver on disk: half-precision safetensors, with settings and types as JSON beside them."""

from dataclasses import asdict
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import nn

from corpus.errors import InputError
from corpus.files import read_json, replacing, verified, write_json
from corpus.settings import parse_settings
from discourse.coreference.network import DetectionNetwork, NetworkSettings, RankingNetwork
from discourse.coreference.resolver import Resolver, ResolverSettings

NAME = "coreference"
REMEDY = "restore the folder, or train the resolver again (docs/coreference.md)"


def save_resolver(resolver: Resolver, folder: str | Path) -> None:
    """Write ``coreference.safetensors`` and ``coreference.json``."""
    file = Path(folder) / f"{NAME}.safetensors"
    content = {
        "network": asdict(resolver.sizes),
        "resolver": asdict(resolver.settings),
        "types": list(resolver.types),
    }
    networks = nn.ModuleDict({"detection": resolver.detection, "ranking": resolver.ranking})
    tensors = {key: value.detach().half().contiguous() for key, value in networks.state_dict().items()}
    with replacing(file) as temporary:
        temporary.write_bytes(save(tensors))  # save_file would make the file readable by its owner only
    write_json(content, file.with_suffix(".json"))


def load_resolver(folder: str | Path) -> Resolver:
    """The resolver in ``folder``; a missing, damaged or foreign file is an :class:`InputError`."""
    file = Path(folder) / f"{NAME}.json"
    content = read_json(file)
    if not isinstance(content, dict) or set(content) != {"network", "resolver", "types"}:
        raise InputError("not the description of a coreference resolver", file=file, remedy=REMEDY)
    sizes = parse_settings(NetworkSettings, content["network"], f"{file}: network")
    settings = parse_settings(ResolverSettings, content["resolver"], f"{file}: resolver")
    types = content["types"]
    if not isinstance(types, list) or len(types) < 2 or any(not isinstance(one, str) for one in types):
        raise InputError("the names of entity types are not a list", file=file, remedy=REMEDY)
    detection, ranking = DetectionNetwork(sizes, len(types)), RankingNetwork(sizes)
    _fill(nn.ModuleDict({"detection": detection, "ranking": ranking}), file.with_suffix(".safetensors"))
    return Resolver(detection, ranking, types, sizes, settings)


def _fill(networks: nn.ModuleDict, file: Path) -> None:
    try:
        tensors = load_file(verified(file))
    except (OSError, SafetensorError) as error:
        raise InputError(f"cannot be read ({error})", file=file, remedy=REMEDY) from None
    wanted = {key: value.shape for key, value in networks.state_dict().items()}
    if {key: value.shape for key, value in tensors.items()} != wanted:
        raise InputError(f"these weights belong to another resolver than {NAME}.json", file=file, remedy=REMEDY)
    networks.load_state_dict({key: value.to(torch.float32) for key, value in tensors.items()})
