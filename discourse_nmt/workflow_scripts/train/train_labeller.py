"""Train a labeller of themes and rhemes on labelled words, and score it on every test set.

It reads the states of a trained model's encoder, which is not changed (network: encoder), or words and their
characters, a baseline (network: characters). Scores and the confusion matrix, as a table and as a picture, are written
beside it. After each epoch a checkpoint is written to a folder of WORK that is named by a key of inputs, settings and
code; the same command continues from the last one. After SIGTERM, SIGINT or --time-limit it exits with status 143, 130
or 142.
"""

import logging
import sys
import time
from argparse import Namespace
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.files import checksum, write_text
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.systems import system_named
from discourse_nmt.scoring.charts.confusion import confusion_chart
from discourse_nmt.scoring.metrics.labelling import confusion, confusion_table, label_scores, scorer_scores
from discourse_nmt.scoring.tables.analyses import LABELLER
from discourse_nmt.scoring.tables.scores import render, score_table
from discourse_nmt.text.pretrained import encoder
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.text.tokenisers import Tokens
from discourse_nmt.text.truecasing import load_casing
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.model_files import load_model
from discourse_nmt.training.checkpoints.work import WorkFolder, digest
from discourse_nmt.training.labellers.files import save_labeller
from discourse_nmt.training.labellers.labelling import ReadModel, label_all, new_tagger, train_tagger
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.training.labellers.taggers import TaggerSentence
from discourse_nmt.training.operation.interruption import Interrupted
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

log = logging.getLogger(__name__)


def sentences_of(table: pd.DataFrame, labels: list[str], options: Namespace) -> list[TaggerSentence]:
    """The sentences of a table of labelled words, with the subwords of the text stage."""
    settings = TextSettings.from_mapping(options.text_settings).source
    vocabulary = Vocabulary.load(options.source_vocabulary)
    casing = load_casing(options.source_truecaser)
    encode = encoder(settings, casing, str(options.source_codes), vocabulary).encode
    class_of = {label: index for index, label in enumerate(labels)}
    sentences = []
    for words, starts, ends, names in zip(*(table[name] for name in ("tokens", "starts", "ends", "labels"))):
        ids, of_word = encode(Tokens.of_spans(list(words), list(starts), list(ends)))
        if ids:  # a pretrained model's normalisation may remove all of a sentence
            classes = tuple(class_of[name] for name in names)
            sentences.append(TaggerSentence(tuple(words), classes, tuple(ids), tuple(of_word)))
    return sentences


def opened(options: Namespace) -> ReadModel:
    """The model with the encoder."""
    if options.model is None:
        raise InputError("network: encoder reads a model", remedy="give one, --model")
    system = parse_card(read_metadata(options.model), options.model).system
    if system_named(system).unit == "instance":
        message = f"a model of system {system} does not encode sentences by themselves"
        raise InputError(message, file=options.model, remedy="take another one, such as a transformer")
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    model = load_model(options.model, source, target, device=device_named(options.device))
    assert isinstance(model, Transformer)
    return ReadModel(model, checksum(options.model), source.fingerprint)


def key(options: Namespace) -> str:
    """Sixteen hexadecimal digits that change with the inputs, the settings and the code."""
    texts = (options.source_vocabulary, options.source_truecaser, options.source_codes)
    files = [options.train, options.dev, *options.test, *texts, *([options.model] if options.model else [])]
    settings = (options.text_settings, options.settings, options.training)
    return digest([[checksum(path) for path in files], settings, options.seed, options.code])[:16]


def main() -> None:
    """Parse the arguments, read, train, score, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--train", type=Path, required=True, help="labelled_words table to learn from (Parquet)")
    add("--dev", type=Path, required=True, help="labelled_words table that decides which epoch is kept")
    add("--test", type=Path, required=True, nargs="+", help="labelled_words tables to score on, named SPLIT.parquet")
    add("--model", type=Path, help="trained model whose encoder is read (safetensors); not for network: characters")
    add("--source-vocabulary", type=Path, required=True, help="vocabulary of its source side")
    add("--target-vocabulary", type=Path, required=True, help="vocabulary of its target side")
    add("--source-truecaser", type=Path, required=True, help="truecasing model of its source side")
    add("--source-codes", type=Path, required=True, help="subword model of its source side")
    add("--text-settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    add("--settings", action=JsonObject, default={}, help="section settings of the labeller, as JSON")
    add("--training", action=JsonObject, default={}, help="section training of the labeller, as JSON")
    add("--seed", type=int, default=1, help="seed of initialisation, order of sentences and dropout")
    add("--corpus", default="", help="name of the corpus, for the scores")
    add("--experiment", default="", help="name of the experiment whose model it is, for the scores")
    add("--labeller", default="labeller", help="name of the labeller, for the scores")
    add("--work", type=Path, required=True, help="folder for checkpoints, kept between attempts")
    add("--code", default="", help="fingerprint of the program; another one starts training anew")
    add("--threads", type=int, default=1, help="CPU threads")
    add(
        "--time-limit",
        type=float,
        default=0.0,
        metavar="MINUTES",
        help="stop after so many minutes, for a later call to continue after the last whole epoch; 0 is never",
    )
    add("--device", choices=["auto", "cpu", "cuda"], default="auto", help="auto: cuda if there is one")
    add("--output", type=Path, required=True, help="labeller to write (safetensors)")
    add("--scores", type=Path, required=True, help="scores to write (tab-separated)")
    add("--confusion", type=Path, required=True, help="numbers of the confusion picture to write (tab-separated)")
    add("--drawing", type=Path, required=True, help="confusion picture of all test sets to write (SVG)")
    options = parser.parse_args()

    if not options.time_limit >= 0:
        raise InputError(f"--time-limit is {options.time_limit:g}", remedy="it must be at least 0")
    deadline = time.monotonic() + 60 * options.time_limit if options.time_limit else None
    began = time.process_time()
    torch.set_num_threads(options.threads)
    settings = parse_settings(LabellerSettings, options.settings, "settings")
    schedule = parse_settings(LabellerTrainingSettings, options.training, "training")
    model = opened(options) if settings.network == "encoder" else None
    tables = {path: read_table(path, "labelled_words") for path in (options.train, options.dev, *options.test)}
    for path, table in tables.items():
        if table.empty:
            raise InputError("holds no sentence", file=path, remedy="label more sentences")
        for name in ("labels", "starts", "ends"):
            if (table[name].map(len) != table["tokens"].map(len)).any():
                raise InputError(f"a sentence has {name} and tokens of different numbers", file=path)
    labels = sorted({label for table in tables.values() for row in table["labels"] for label in row})
    sentences = {path: sentences_of(table, labels, options) for path, table in tables.items()}

    torch.manual_seed(options.seed)
    tagger, card = new_tagger(settings, sentences[options.train], labels, model)
    tagger.network.to(device_named(options.device))
    work = WorkFolder(options.work / key(options))
    try:
        train_tagger(tagger, sentences[options.train], sentences[options.dev], schedule, options.seed, work, deadline)
    except Interrupted as stop:
        log.info(str(stop))
        sys.exit(stop.status)

    name = f"{options.labeller} on {options.experiment}" if options.experiment else options.labeller
    names = {"corpus": options.corpus, "experiment": name, "system": LABELLER}
    rows, confusions = [], []
    total = np.zeros((len(labels), len(labels)), np.int64)
    for path in options.test:
        labelled = label_all(tagger, sentences[path], schedule.batch_sentences)
        gold = [label for sentence in sentences[path] for label in sentence.labels]
        counts = confusion(gold, [label for sentence in labelled for label in sentence.labels], len(labels))
        scores = label_scores(counts, labels)
        if model is not None:
            designated = [labels[label] == settings.designated for label in gold]
            scores += scorer_scores(designated, [score for sentence in labelled for score in sentence.scores or ()])
        rows.append(score_table(scores, **names, seed=options.seed, test_set=path.stem))
        confusions.append(confusion_table(counts, labels, path.stem))
        total += counts
    log.info("%.0f CPU-seconds", time.process_time() - began)
    save_labeller(options.output, tagger.network, card)
    write_text(render(pd.concat(rows)), options.scores)
    write_text(pd.concat(confusions).to_csv(sep="\t", index=False), options.confusion)
    write_text(confusion_chart(total, labels), options.drawing)


if __name__ == "__main__":
    run(main)
