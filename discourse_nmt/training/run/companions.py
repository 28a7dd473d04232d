"""The companions that the network of a run holds, each given to it by a module that is loaded by name."""

import dataclasses
import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, cast

from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.kinds import COMPANIONS, HELD


class CompanionModule(Protocol):
    """The module of a companion that networks hold."""

    def sizes(self, path: Path) -> Mapping[str, Any]:
        """The switches that hold the sizes of the companion in a file."""
        ...

    def give(self, network: nn.Module, path: Path, vocabulary: Vocabulary, model: Path) -> None:
        """Copy the companion in the file ``path`` into ``network``, which starts from the file ``model``.

        ``vocabulary`` is that of the source side. Raises :class:`.InputError` if it was not made for this model.
        """
        ...


def check_companions(
    system: str, switches: TransformerSettings, files: Mapping[str, Path], initialised_from: Path | None
) -> None:
    """Raise :class:`InputError` where a network lacks a companion, has one for no use, or starts from no model."""
    for companion in HELD:
        given = companion.name in files
        if (companion.name in switches.companions) != given:
            has, remedy = ("no", "leave it out") if given else ("a", "give a trained one")
            raise InputError(f"system {system} has {has} {companion.title}", remedy=f"{remedy}, --{companion.name}")
        if given and initialised_from is None:
            raise InputError(f"a {companion.title} {companion.origin}", remedy="give that model, --initialised-from")


def with_sizes(switches: TransformerSettings, files: Mapping[str, Path]) -> TransformerSettings:
    """The ``switches`` with the sizes of the companions in ``files``."""
    for name in switches.companions:
        if name in files:
            switches = dataclasses.replace(switches, **_module(name).sizes(files[name]))
    return switches


def give_companions(network: nn.Module, files: Mapping[str, Path], vocabulary: Vocabulary, model: Path) -> None:
    """Copy the companions in ``files`` into ``network``, whose weights are from the file ``model``."""
    for name, path in files.items():
        _module(name).give(network, path, vocabulary, model)


def _module(name: str) -> CompanionModule:
    return cast(CompanionModule, importlib.import_module(COMPANIONS[name].module))
