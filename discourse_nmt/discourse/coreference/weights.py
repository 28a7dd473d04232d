"""Files of the resolver: weights as half-precision safetensors, settings and types as JSON."""

from dataclasses import asdict
from pathlib import Path

from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.discourse.coreference.lexicons import LEXICONS
from discourse_nmt.discourse.coreference.network import (
    EVERY,
    CoreferenceNetworkSettings,
    DetectionNetwork,
    KnownCounts,
    RankingNetwork,
)
from discourse_nmt.discourse.coreference.resolver import Resolver, ResolverSettings
from discourse_nmt.discourse.weight_files import fill, read_description, simplified_characters, write_network

NAME = "coreference"
REMEDY = "restore the folder, or train the resolver again (docs/how-to/train-analysers.md)"


def save_resolver(resolver: Resolver, folder: str | Path) -> None:
    """Write ``coreference.safetensors`` and ``coreference.json``."""
    content = {
        "network": asdict(resolver.sizes),
        "resolver": asdict(resolver.settings),
        "types": list(resolver.types),
        "language": resolver.lexicon.language,
    }
    if resolver.known != EVERY:
        content["known"] = asdict(resolver.known)
    networks = nn.ModuleDict({"detection": resolver.detection, "ranking": resolver.ranking})
    write_network(networks, content, folder, NAME)


def load_resolver(folder: str | Path) -> Resolver:
    """The resolver in ``folder``; raises :class:`InputError` for a missing, damaged or foreign file."""
    keys = ("network", "resolver", "types")
    content, file = read_description(folder, NAME, "a coreference resolver", keys, REMEDY, ("language", "known"))
    sizes = parse_settings(CoreferenceNetworkSettings, content["network"], f"{file}: network")
    settings = parse_settings(ResolverSettings, content["resolver"], f"{file}: resolver")
    known = parse_settings(KnownCounts, content.get("known", {}), f"{file}: known")
    types = content["types"]
    if not isinstance(types, list) or len(types) < 2 or any(not isinstance(one, str) for one in types):
        raise InputError("the names of entity types are not a list", file=file, remedy=REMEDY)
    language = content.get("language", "en")  # the first weights were English and did not tell
    if language not in LEXICONS:
        raise InputError(f"the language {language!r} has no words for coreference", file=file, remedy=REMEDY)
    detection, ranking = DetectionNetwork(sizes, len(types), known), RankingNetwork(sizes, known)
    fill(nn.ModuleDict({"detection": detection, "ranking": ranking}), folder, NAME, REMEDY)
    simplified = simplified_characters(folder)
    return Resolver(detection, ranking, types, sizes, settings, LEXICONS[language], simplified)
