"""Model files: safetensors with a header that names the system, settings and vocabularies of the weights.

Nothing is unpickled. The header holds one entry, ``model``, a JSON object with sorted keys: safetensors
writes several entries in random order, and the same model must give the same bytes.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.base.storage.files import replacing
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.switches.transformer import MEANING, TransformerSettings
from discourse_nmt.models.systems import build_with
from discourse_nmt.training.checkpoints.cards import (
    REMEDY,
    ModelCard,
    check_vocabularies,
    opened,
    parse_card,
    read_metadata,
)


def tensors_of(network: nn.Module) -> dict[str, Tensor]:
    """Parameters and persistent buffers by name; a tied tensor, which has several names, by its first one."""
    names: dict[int, str] = {}
    for name, tensor in network.state_dict(keep_vars=True).items():
        names.setdefault(id(tensor), name)
    state = network.state_dict(keep_vars=True)
    return {name: state[name].detach() for name in names.values()}


def write_tensors(tensors: Mapping[str, Tensor], path: str | Path, metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors as safetensors, atomically."""
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    with replacing(path) as temporary:
        # save_file would make the file readable by its owner only.
        temporary.write_bytes(save(plain, metadata=dict(metadata or {})))


def read_tensors(path: str | Path, remedy: str = REMEDY) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Tensors (on the CPU) and metadata of a safetensors file; an unreadable one is an :class:`InputError`."""
    with opened(path, "pt", remedy) as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118


def save_model(
    path: str | Path,
    network: nn.Module,
    system: str,
    settings: TransformerSettings | Mapping[str, object],
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
) -> None:
    """Write the weights of ``network`` with its card; ``settings`` are its switches, a mapping or a dataclass."""
    switches = asdict(settings) if isinstance(settings, TransformerSettings) else dict(settings)
    card = ModelCard(system, switches, source_vocabulary.fingerprint, target_vocabulary.fingerprint)
    write_tensors(tensors_of(network), path, {"model": json.dumps(asdict(card), sort_keys=True)})


def convert(model: str | Path, path: str | Path, dtype: torch.dtype) -> None:
    """Write the ``model`` file again as ``path``, with all weights as ``dtype``."""
    tensors, metadata = read_tensors(model)
    write_tensors({name: tensor.to(dtype) for name, tensor in tensors.items()}, path, metadata)


def load_model(
    path: str | Path,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    *,
    system: str | None = None,
    device: str | torch.device = "cpu",
) -> nn.Module:
    """The network in a model file, in evaluation mode.

    A file of another system than ``system`` (where given) or of other vocabularies is an :class:`InputError`.
    """
    tensors, metadata = read_tensors(path)
    card = parse_card(metadata, path)
    if system is not None and card.system != system:
        raise InputError(f"a model of system {card.system}, not of system {system}", file=path)
    check_vocabularies(card, source_vocabulary, target_vocabulary, path)
    network = build_with(card.system, card.settings, source_vocabulary, target_vocabulary)
    fill(network, tensors, path)
    return network.to(device).eval()


def fill(network: nn.Module, tensors: Mapping[str, Tensor], path: str | Path) -> None:
    """Copy ``tensors`` into the network, which must have exactly these names and shapes."""
    own = tensors_of(network)
    differing = sorted(own.keys() ^ tensors.keys())
    if differing:
        raise InputError(f"its parameters are not those of the network, first {differing[0]}", file=path)
    copy(own, tensors, own, path)


def copy(own: Mapping[str, Tensor], tensors: Mapping[str, Tensor], names: Iterable[str], path: str | Path) -> None:
    """Copy the tensors of these names; :class:`InputError` where shapes differ."""
    for name in names:
        if own[name].shape != tensors[name].shape:
            raise InputError(
                f"{name} has shape {list(tensors[name].shape)}, the network's has {list(own[name].shape)}",
                file=path,
                remedy="give both models the same sizes",
            )
        own[name].copy_(tensors[name])


def check_meaning(path: str | Path, switches: Mapping[str, object]) -> None:
    """Raise :class:`InputError` where a model file's switches give its weights another meaning than ``switches``."""
    of_file = asdict(TransformerSettings()) | parse_card(read_metadata(path), path).settings
    for name in MEANING:
        if of_file[name] != switches[name]:
            raise InputError(
                f"its {name} is {of_file[name]}, the network's is {switches[name]}",
                file=path,
                remedy=f"give both models the same {name}",
            )


def initialise_from(
    network: nn.Module,
    path: str | Path,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    excluded: tuple[str, ...] = (),
) -> tuple[set[str], set[str]]:
    """Copy the weights of a model file to the network's parameters of the same names.

    Returns the names of the copied weights, and those of the file's weights that the network does not have. Names that
    begin with one of ``excluded`` are not copied. Raises :class:`InputError` where no name is the same, or a shape or
    the vocabularies differ.
    """
    tensors, metadata = read_tensors(path)
    check_vocabularies(parse_card(metadata, path), source_vocabulary, target_vocabulary, path)
    own = tensors_of(network)
    loaded = {name for name in own.keys() & tensors.keys() if not name.startswith(excluded)}
    if not loaded:
        first = min(own)
        raise InputError(
            f"it has no parameter of the network, such as {first}", file=path, remedy=nearest(first, tensors)
        )
    copy(own, tensors, sorted(loaded), path)
    return loaded, tensors.keys() - own.keys()
