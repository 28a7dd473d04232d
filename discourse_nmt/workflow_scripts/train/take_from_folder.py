"""Take the network out of a model folder, which was trained elsewhere, as the model of an experiment."""

import json
from collections.abc import Mapping
from pathlib import Path

import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum, read_text, verified, write_text
from discourse_nmt.models.switches.theme_rheme_cache import LABELLER_SIZES
from discourse_nmt.models.systems import system_named
from discourse_nmt.text.settings import SIDES
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.model_files import convert
from discourse_nmt.training.operation.metrics import write_metrics
from discourse_nmt.translation.model_folder import ModelFolder, open_folder, text_files
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def check_system(folder: ModelFolder, system: str, settings: Mapping[str, object]) -> None:
    """Raise :class:`InputError` where the network has another system or other switches than the experiment."""
    card = parse_card(read_metadata(folder.weights), folder.weights)
    if card.system != system:
        raise InputError(
            f"a model of system {card.system}, the experiment has {system}",
            file=folder.path,
            remedy=f"set system: {card.system}, or name another folder",
        )
    chosen = system_named(system)
    # A folder may be older than a switch, whose default leaves networks as they were.
    switches = [vars(chosen.switches(values)) for values in (card.settings, settings)]
    # Training takes the sizes of a labeller from its file, whatever the settings say.
    for name in sorted(switches[0].keys() - LABELLER_SIZES.keys()):
        own, wanted = (json.dumps(values[name]) for values in switches)
        if own != wanted:
            raise InputError(
                f"a model with {name}: {own}, the experiment has {wanted}",
                file=folder.path,
                remedy=f"set {name} of the experiment's settings to {own}",
            )


def check_text(folder: ModelFolder, files: dict[str, Path]) -> None:
    """Raise :class:`InputError` where a file of the corpus's text, by its path in the folder, is another one there."""
    for name, path in files.items():
        if checksum(verified(path)) != folder.manifest.files[name]:
            raise InputError(
                f"its {name} is not that of the corpus, {path}",
                file=folder.path,
                remedy="take the same version of the corpus and the same settings of text, or train: taken_from: null",
            )


def main() -> None:
    """Parse the arguments, check, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--folder", type=Path, required=True, help="model folder, as the target models makes it")
    add("--system", required=True, help="system of the experiment")
    add("--settings", action=JsonObject, required=True, help="switches of the system, as JSON")
    for side in SIDES:
        add(f"--{side}-truecaser", type=Path, required=True, help=f"{side} truecasing model of the corpus")
        add(f"--{side}-codes", type=Path, required=True, help=f"{side} subword model of the corpus")
        add(f"--{side}-vocabulary", type=Path, required=True, help=f"{side} vocabulary of the corpus")
    add("--output", type=Path, required=True, help="model to write (safetensors, fp32)")
    add("--metrics", type=Path, required=True, help="metrics.csv to write, with the row that the folder has")
    add("--description", type=Path, required=True, help="copy of the folder's model.json to write")
    options = parser.parse_args()

    folder = open_folder(options.folder)
    check_text(folder, text_files(vars(options)))
    check_system(folder, options.system, options.settings)
    convert(folder.weights, options.output, torch.float32)
    training = folder.manifest.origin.training
    write_metrics([training] if training else [], options.metrics)
    write_text(read_text(folder.path / "model.json"), options.description)


if __name__ == "__main__":
    run(main)
