"""A trained sentence model as a folder that ``ctranslate2.Translator`` loads."""

import secrets
import shutil
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.core.preparation import check_engine
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.training.checkpoints.model_files import load_model

README = """\
Made by discourse-nmt: ctranslate2.Translator(FOLDER).translate_batch([SUBWORDS{prefix}, disable_unk=True).
Sources and translations are subwords without marks, of the vocabularies beside this file.
"""


def export_to_ctranslate2(model: Path, vocabularies: tuple[Vocabulary, Vocabulary], folder: Path) -> None:
    """Write the ``model`` file into the new ``folder``, with the symbols of the ``vocabularies``.

    Raises :class:`InputError` for a model that CTranslate2 cannot express, and a folder that is there.
    """
    network = load_model(model, *vocabularies)
    assert isinstance(network, Transformer)
    check_engine(network.settings, DecodingSettings(), "export a sentence model (system: transformer)")
    if folder.exists():
        raise InputError("there already", file=folder, remedy="name a new folder")
    from discourse_nmt.models.core.ctranslate2_specification import specification

    source, target = (vocabulary.symbols for vocabulary in vocabularies)
    first = network.language_symbol
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        temporary.mkdir(parents=True)
        specification(network, source, target).save(str(temporary))
        prefix = "]" if first is None else f"], [[{target[first]!r}]]"
        write_text(README.format(prefix=prefix), temporary / "README.md", sealed=False)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
