"""The header of a model file: a card that names the system, settings and vocabularies of the weights."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from safetensors import SafetensorError, safe_open

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import declared_fields
from discourse_nmt.base.storage.files import verified
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.systems import SYSTEMS

REMEDY = "delete it and run again"


@dataclass(frozen=True)
class ModelCard:
    """The description in a model file's header; vocabularies by their fingerprints."""

    system: str
    settings: dict[str, object]
    source_vocabulary: str
    target_vocabulary: str


@contextlib.contextmanager
def opened(path: str | Path, framework: Literal["pt", "numpy"], remedy: str = REMEDY) -> Iterator[safe_open]:
    """A safetensors file, whose tensors are those of a ``framework``; an unreadable one is an :class:`InputError`."""
    try:
        with safe_open(verified(path), framework=framework) as file:
            yield file
    except (OSError, SafetensorError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"not a readable safetensors file ({reason})", file=path, remedy=remedy) from None


def read_metadata(path: str | Path) -> dict[str, str]:
    """Metadata of a safetensors file; an unreadable one is an :class:`InputError`."""
    with opened(path, "numpy") as file:
        return file.metadata() or {}


def parse_card(metadata: Mapping[str, str], path: str | Path) -> ModelCard:
    """The card in the metadata of a safetensors file.

    :class:`InputError` where there is none, or where it has a system or switches that this version does not know.
    """
    try:
        card = ModelCard(**json.loads(metadata["model"]))
    except (KeyError, TypeError, json.JSONDecodeError):
        raise InputError("not a model of this project: its header has no card", file=path) from None
    if card.system in SYSTEMS:
        unknown = [
            f"with {name}" for name in card.settings if name not in declared_fields(SYSTEMS[card.system].settings)
        ]
    else:
        unknown = [f"of system {card.system}"]
    if unknown:
        raise InputError(
            f"a model {unknown[0]}, which this version of discourse-nmt does not know",
            file=path,
            remedy="use the version that made it, or a newer one",
        )
    return card


def check_vocabularies(card: ModelCard, source: Vocabulary, target: Vocabulary, path: str | Path) -> None:
    """Raise :class:`InputError` where the model was trained with other vocabularies."""
    for side, vocabulary, fingerprint in (
        ("source", source, card.source_vocabulary),
        ("target", target, card.target_vocabulary),
    ):
        if vocabulary.fingerprint != fingerprint:
            raise InputError(
                f"this model of system {card.system} was trained with the {side} vocabulary {fingerprint[:12]}, "
                f"not with the one given, {vocabulary.fingerprint[:12]}",
                file=path,
                remedy="use the vocabulary it was trained with, or train it again",
            )
