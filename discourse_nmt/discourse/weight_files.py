"""Files of trained networks: safetensors in half precision (integers as they are), and a JSON description."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, replacing, verified, write_json

SIMPLIFIED = "simplified"


def write_network(network: nn.Module, description: Mapping[str, object], folder: str | Path, name: str) -> None:
    """Write ``name.safetensors`` and ``name.json``."""
    tensors = {
        key: (value.half() if value.is_floating_point() else value).detach().contiguous()
        for key, value in network.state_dict().items()
    }
    with replacing(Path(folder) / f"{name}.safetensors") as temporary:
        temporary.write_bytes(save(tensors))  # save_file makes a file that only its owner can read
    write_json(description, Path(folder) / f"{name}.json")


def read_description(
    folder: str | Path, name: str, of: str, keys: Collection[str], remedy: str, optional: Collection[str] = ()
) -> tuple[dict[str, Any], Path]:
    """The description of a network in ``name.json``, with these ``keys`` and any of the ``optional`` ones; and its
    path.

    Messages call the network ``of``. Raises :class:`InputError` with the ``remedy`` for any other file.
    """
    file = Path(folder) / f"{name}.json"
    content = read_json(file)
    if not isinstance(content, dict) or not set(keys) <= content.keys() <= {*keys, *optional}:
        raise InputError(f"not the description of {of}, which has {', '.join(keys)}", file=file, remedy=remedy)
    return content, file


def fill(network: nn.Module, folder: str | Path, name: str, remedy: str) -> None:
    """Load the weights of ``name.safetensors`` into the network, in single precision.

    Raises :class:`InputError` with the ``remedy`` for damaged weights and for weights of another network.
    """
    file = Path(folder) / f"{name}.safetensors"
    try:
        tensors = load_file(verified(file))
    except (OSError, SafetensorError) as error:
        raise InputError(f"cannot be read ({error})", file=file, remedy=remedy) from None
    wanted = {key: value.shape for key, value in network.state_dict().items()}
    if {key: value.shape for key, value in tensors.items()} != wanted:
        raise InputError(f"these weights belong to another network than {name}.json", file=file, remedy=remedy)
    network.load_state_dict(
        {key: value.float() if value.is_floating_point() else value for key, value in tensors.items()}
    )


def simplified_characters(folder: str | Path) -> dict[int, str]:
    """The simplified character of each traditional one, as a table of :meth:`str.translate`; empty without a file."""
    if not (Path(folder) / f"{SIMPLIFIED}.json").is_file():
        return {}
    remedy = "restore the folder, or train it again as its README.md says"
    keys = ("traditional", "simplified")
    content, file = read_description(folder, SIMPLIFIED, "simplified characters", keys, remedy)
    before, after = (content[key] for key in keys)
    if not (isinstance(before, str) and isinstance(after, str) and len(before) == len(after)):
        raise InputError("not one simplified character for each traditional one", file=file, remedy=remedy)
    return {ord(character): simple for character, simple in zip(before, after)}
