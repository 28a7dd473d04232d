"""A trained sentence model as a checkpoint in the format that it started from."""

import secrets
import shutil
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, write_json
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.text.pieces.files import INDEX_ENDING
from discourse_nmt.text.pretrained import known_layout, rows_of, subwords_of
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.training.checkpoints.model_files import (
    check_meaning,
    load_model,
    parse_card,
    read_metadata,
    write_tensors,
)
from discourse_nmt.training.checkpoints.pretrained import checkpoint_tensors, read_pretrained

COPIED = (".json", ".model", ".spm", ".txt")
"""Endings of the files of subwords and settings, which are taken over."""
CONFIGURATION, WEIGHTS = "config.json", "model.safetensors"
PRECISIONS = ("torch_dtype", "dtype")


def export(
    model: Path, settings: TextSettings, vocabularies: tuple[Vocabulary, Vocabulary], checkpoint: Path, folder: Path
) -> None:
    """Write the ``model`` file into the new ``folder`` as transformers reads it.

    ``checkpoint`` is the one that training started from, ``settings`` those of the text. Symbols that the
    ``vocabularies`` lack keep their embeddings. Raises :class:`InputError` for another system than the sentence model,
    a checkpoint of other sizes or subwords, and a folder that is there.
    """
    system = parse_card(read_metadata(model), model).system
    if system != "transformer":
        remedy = "export a sentence model (system: transformer)"
        raise InputError(f"the format has no room for the parameters of system {system}", file=model, remedy=remedy)
    if folder.exists():
        raise InputError("there already", file=folder, remedy="name a new folder")
    subwords = subwords_of(settings)
    pretrained = read_pretrained(checkpoint, known_layout(subwords["target"]).marks)
    check_meaning(model, vars(pretrained.settings))
    rows = {side: rows_of(subwords[side], vocabulary) for side, vocabulary in zip(SIDES, vocabularies)}
    network = load_model(model, *vocabularies)
    tensors = checkpoint_tensors(pretrained, network, rows["source"], rows["target"])
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        temporary.mkdir(parents=True)
        for path in sorted(checkpoint.iterdir()):
            if path.suffix in COPIED and not path.name.endswith(INDEX_ENDING) and path.is_file():
                shutil.copyfile(path, temporary / path.name)
        config = read_json(checkpoint / CONFIGURATION)
        config |= {name: "float32" for name in PRECISIONS if name in config}
        write_json(config, temporary / CONFIGURATION)
        write_tensors(tensors, temporary / WEIGHTS, {"format": "pt"})
        for seal in temporary.glob(".*.sha256"):  # no part of the format
            seal.unlink()
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
