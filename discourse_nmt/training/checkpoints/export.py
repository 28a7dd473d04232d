"""A trained model in the format of another program: the checkpoint that it started from, or CTranslate2."""

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, write_json, write_text
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.core.preparation import check_engine
from discourse_nmt.models.core.transformer import TARGET_BEGINNINGS, Transformer
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.text.pieces.files import INDEX_ENDING
from discourse_nmt.text.pretrained import known_layout, rows_of, subwords_of
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.model_files import check_meaning, load_model, write_tensors
from discourse_nmt.training.checkpoints.pretrained import checkpoint_tensors, read_pretrained

COPIED = (".json", ".model", ".spm", ".txt")
"""Endings of the files of subwords and settings, which are taken over."""
CONFIGURATION, WEIGHTS = "config.json", "model.safetensors"
PRECISIONS = ("torch_dtype", "dtype")
README = """\
Made by discourse-nmt: ctranslate2.Translator(FOLDER).translate_batch([SUBWORDS{first}, disable_unk=True).
Sources and translations are subwords without marks, of the vocabularies beside this file.
"""
README_OF_TEXTS = """\
A source is a text, with {separators} between its sentences. Its translation is searched sentence by sentence:
the target prefix has those before, each followed by {beginning}.
"""
SENTENCE_MODEL = "export a sentence model (system: transformer)"


def export_to_ctranslate2(model: Path, vocabularies: tuple[Vocabulary, Vocabulary], folder: Path) -> None:
    """Write the ``model`` file into the new ``folder`` as ``ctranslate2.Translator`` loads it.

    Raises :class:`InputError` for a model that CTranslate2 cannot express, and a folder that is there.
    """
    network = load_model(model, *vocabularies)
    assert isinstance(network, Transformer)
    check_engine(network.settings, DecodingSettings(), SENTENCE_MODEL)
    from discourse_nmt.models.core.ctranslate2_specification import specification

    source, target = (vocabulary.symbols for vocabulary in vocabularies)
    symbol = network.language_symbol
    first = "]" if symbol is None else f"], [[{target[symbol]!r}]]"
    readme = README.format(first=first)
    if (
        isinstance(network, PackedTransformer)
        and network.settings.sentences != 1
        and network.relations == ("instance",)
    ):
        separators = " ".join(source[separator] for separator in network.source_separators)
        readme += README_OF_TEXTS.format(
            separators=separators, beginning=target[TARGET_BEGINNINGS[network.settings.marks]]
        )
    with new_folder(folder) as temporary:
        specification(network, source, target).save(str(temporary))
        write_text(readme, temporary / "README.md")


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
        message = f"the format has no room for the parameters of system {system}"
        raise InputError(message, file=model, remedy=SENTENCE_MODEL)
    check_new(folder)
    subwords = subwords_of(settings)
    pretrained = read_pretrained(checkpoint, known_layout(subwords["target"]).marks)
    check_meaning(model, vars(pretrained.settings))
    rows = {side: rows_of(subwords[side], vocabulary) for side, vocabulary in zip(SIDES, vocabularies)}
    network = load_model(model, *vocabularies)
    tensors = checkpoint_tensors(pretrained, network, rows["source"], rows["target"])
    with new_folder(folder) as temporary:
        for path in sorted(checkpoint.iterdir()):
            if path.suffix in COPIED and not path.name.endswith(INDEX_ENDING) and path.is_file():
                shutil.copyfile(path, temporary / path.name)
        config = read_json(checkpoint / CONFIGURATION)
        config |= {name: "float32" for name in PRECISIONS if name in config}
        write_json(config, temporary / CONFIGURATION)
        write_tensors(tensors, temporary / WEIGHTS, {"format": "pt"})


def check_new(folder: Path) -> None:
    """Raise :class:`InputError` for a ``folder`` that is there."""
    if folder.exists():
        raise InputError("there already", file=folder, remedy="name a new folder")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to write into, which becomes ``folder`` when it is whole, without seals of its files.

    One that is there is an :class:`InputError`.
    """
    check_new(folder)
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        for seal in temporary.glob(".*.sha256"):  # no part of the format
            seal.unlink()
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
