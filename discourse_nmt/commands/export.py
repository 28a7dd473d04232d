"""Write a model folder in the format of another program."""

import argparse
from pathlib import Path

from discourse_nmt.base.errors import InputError

SUMMARY = "Write a model for CTranslate2, or in the format of the checkpoint that it started from."
EXAMPLES = """\
CTranslate2 translates as sentence models (system: transformer) and most settings
of concat do; README.md in the new folder says how. With --checkpoint the model
must be a sentence model that started from one of Marian, M2M-100, NLLB-200,
mBART or BART. transformers reads the new folder; parts of the vocabulary that
training did not use stay as they were.

examples:
  discourse-nmt export SENTENCE_MODEL --ctranslate2 --output fast
  discourse-nmt export SENTENCE_MODEL --checkpoint data/opus-mt-en-de --output my-opus
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, the format and the folder to write."""
    add = parser.add_argument
    add("model", type=Path, metavar="MODEL", help="model folder, made by snakemake models")
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--ctranslate2", action="store_true", help="write what ctranslate2.Translator loads")
    form.add_argument("--checkpoint", type=Path, metavar="FOLDER", help="checkpoint that the training started from")
    add("--output", type=Path, required=True, metavar="FOLDER", help="folder to write")


def run(arguments: argparse.Namespace) -> int:
    """Open, convert, write."""
    from discourse_nmt.text.settings import TextSettings
    from discourse_nmt.training.checkpoints.export import export, export_to_ctranslate2
    from discourse_nmt.translation.model_folder import open_folder

    folder = open_folder(arguments.model)
    if arguments.ctranslate2:
        export_to_ctranslate2(folder.weights, folder.vocabularies, arguments.output)
        print(f"Written: {arguments.output}, which ctranslate2.Translator loads.")
        return 0
    if folder.text.source.pretrained is None:
        raise InputError("this model did not start from a checkpoint", file=arguments.model)
    settings = TextSettings.from_mapping({**folder.manifest.text, "pretrained": str(arguments.checkpoint)})
    export(folder.weights, settings, folder.vocabularies, arguments.checkpoint, arguments.output)
    print(f"Written: {arguments.output}, which transformers reads.")
    return 0
