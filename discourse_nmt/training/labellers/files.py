"""Files of trained labellers: safetensors with a header that describes the network, its input and its labels."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.theme_cache.labeller import ThemeLabeller
from discourse_nmt.training.checkpoints.model_files import fill, read_tensors, tensors_of, write_tensors


@dataclass(frozen=True)
class LabellerCard:
    """The description in the header of a labeller's file."""

    settings: dict[str, Any]
    """Those of :class:`.LabellerSettings`."""
    labels: list[str]
    """The names of its classes, in their order."""
    width: int = 0
    """Width of the encoder's states that it reads; 0 if it reads words."""
    source_vocabulary: str = ""
    """Fingerprint of the encoder's vocabulary; empty if it reads words."""
    model: str = ""
    """Checksum of the file of the model with that encoder; empty if it reads words."""
    characters: Sequence[str] = ()
    """Characters with an embedding of their own, if it reads words."""
    words: Sequence[str] = ()
    """Words with an embedding of their own, if it reads words."""


def new_labeller(settings: LabellerSettings, width: int, labels: Sequence[str]) -> ThemeLabeller:
    """A freshly initialised labeller of encoder states [B, I, ``width``]."""
    return ThemeLabeller(width, len(labels), settings.direction_width, settings.layers, settings.dropout)


def save_labeller(path: str | Path, network: nn.Module, card: LabellerCard) -> None:
    """Write the weights of ``network`` with its card."""
    write_tensors(tensors_of(network), path, {"labeller": json.dumps(dataclasses.asdict(card), sort_keys=True)})


def load_labeller(path: str | Path) -> tuple[ThemeLabeller, LabellerCard]:
    """The labeller of encoder states in a file, on the CPU and in evaluation mode.

    Raises :class:`InputError` for any other file, also for that of the baseline, which reads words.
    """
    tensors, metadata = read_tensors(path)
    card = _card(metadata, path)
    settings = parse_settings(LabellerSettings, card.settings, f"{path}: settings")
    if settings.network != "encoder":
        raise InputError(
            "a labeller that reads words has no scores", file=path, remedy="train one with network: encoder"
        )
    network = new_labeller(settings, card.width, card.labels)
    fill(network, tensors, path)
    return network.eval(), card


def _card(metadata: Mapping[str, str], path: str | Path) -> LabellerCard:
    try:
        card = LabellerCard(**json.loads(metadata["labeller"]))
    except (KeyError, TypeError, json.JSONDecodeError):
        raise InputError("not a labeller of this project: its header has no card", file=path) from None
    typed = isinstance(card.labels, list) and isinstance(card.width, int) and isinstance(card.settings, dict)
    if not typed or not card.labels or card.width < 0:
        raise InputError("its card is not that of a labeller", file=path, remedy="train it again")
    return card
