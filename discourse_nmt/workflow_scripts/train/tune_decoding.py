"""Choose values of decoding for a trained model: those with the best s-BLEU of a split, dev.

The model translates the split with each value of a small grid (``training/checkpoints/tuned_decoding.py``). The output
has all of them with BLEU and length ratio, and the choice; of equal BLEUs the smallest value.
"""

import logging
from pathlib import Path

import pandas as pd
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.scoring.alignment.references import KEY, check_references
from discourse_nmt.scoring.metrics.bleu import bleu, length_ratio
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.training.checkpoints.subword_translations import load_translations
from discourse_nmt.training.checkpoints.trained import open_trained
from discourse_nmt.training.checkpoints.tuned_decoding import ON_DEV, Trial, TunedDecoding, grid, tuned_keys
from discourse_nmt.training.data.parts import JobPart
from discourse_nmt.workflow_scripts.command import add_model_arguments, add_text_settings, arguments, run
from discourse_nmt.workflow_scripts.train.translate import translations


def main() -> None:
    """Read a model, a dataset and its references, write the trials and the choice."""
    parser = arguments(__doc__)
    add_model_arguments(parser, "dataset to translate (Arrow)")
    add_text_settings(parser)
    parser.add_argument("--subword-translations", type=Path, help="translations of subwords, for a shortlist")
    parser.add_argument("--sentences", nargs="+", required=True, help="sentences tables of the split, every shard")
    parser.add_argument("--split", default="dev", help="name of the split")
    parser.add_argument("--language", required=True, help="target language code, which chooses sacrebleu's tokeniser")
    parser.add_argument("--lowercase", action="store_true", help="ignore case, for systems that write lowercase only")
    parser.add_argument("--output", type=Path, required=True, help="choice to write (JSON)")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    keys = tuned_keys(options.settings)
    if not keys:
        raise InputError(f"decoding: no value is {ON_DEV}", remedy=f"set one to {ON_DEV} in --settings")
    trials = [
        (values, parse_settings(DecodingSettings, {**options.settings, **values}, "decoding")) for values in grid(keys)
    ]
    first = trials[0][1]
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    postprocessor = Postprocessor(TextSettings.from_mapping(options.text_settings).target, target)
    sentences = pd.concat([read_table(path, "sentences") for path in options.sentences], ignore_index=True)
    check_references(sentences)
    trained = open_trained(
        options.model, options.dataset, options.structure, (source, target), first, device_named(options.device)
    )
    translations_file = options.subword_translations if first.shortlist else None
    subwords = None if translations_file is None else load_translations(translations_file, (source, target))
    prepare_for_inference(trained.network, first, subwords)
    measure = bleu("s-BLEU", options.language, options.lowercase)
    found = []
    for values, settings in trials:
        made = pd.concat(translations(trained, JobPart(0, 1), settings, postprocessor))
        pairs = sentences.merge(made[made["rank"] == 0], on=KEY, validate="one_to_one")
        texts = pairs["hypothesis"].tolist(), pairs["target"].tolist()
        found.append(Trial(values, measure.score(*texts).value, length_ratio(measure, *texts).value))
        told = ", ".join(f"{key} {value:g}" for key, value in values.items())
        logging.info(f"{told}: s-BLEU {found[-1].bleu:.2f}, length ratio {found[-1].length_ratio:.3f}")
    tuned = TunedDecoding(options.split, measure.signature(), found)
    tuned.save(options.output)
    logging.info(f"chosen: {', '.join(f'{key} {value:g}' for key, value in tuned.chosen.items())}")


if __name__ == "__main__":
    run(main, "lower decoding.batch_tokens, or decoding.max_length_ratio if translations grow that long")
