"""Translate the source side of a dataset with a trained model: every sentence once, in order."""

import logging
import time
from pathlib import Path
from typing import cast

import pandas as pd
import torch

from corpus.errors import InputError
from corpus.progress import progress
from corpus.settings import parse_settings
from corpus.tables import write_table
from corpus.vocabulary import Vocabulary
from models.inference import device_named, translate
from models.settings import DecodingSettings
from models.transformer import Transformer
from text.postprocessing import Postprocessor
from text.settings import TextSettings
from training.checkpoints import load_model
from training.dataset import ParallelDataset
from workflow_scripts.command import JsonObject, add_model_arguments, arguments, run


def main() -> None:
    """Read a dataset and a model, write the translations table."""
    parser = arguments(__doc__)
    add_model_arguments(parser, "dataset to translate (Arrow)")
    parser.add_argument("--settings", action=JsonObject, default={}, help="section decoding, as JSON")
    parser.add_argument(
        "--text-settings", action=JsonObject, required=True, help="section text with languages, as JSON"
    )
    parser.add_argument("--output", type=Path, required=True, help="translations table to write (Parquet)")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    settings = parse_settings(DecodingSettings, options.settings, "decoding")
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    postprocessor = Postprocessor(TextSettings.from_mapping(options.text_settings).target, target)
    dataset = ParallelDataset(options.dataset)
    model = cast(Transformer, load_model(options.model, source, target, device=device_named(options.device)))

    if not len(dataset) or dataset.source.largest >= len(source):
        message = "made with another source vocabulary" if len(dataset) else "holds no sentences"
        raise InputError(message, file=options.dataset, remedy="make the dataset again")

    sentences = dataset.source.sentences()
    start = time.perf_counter()
    found = dict(progress(translate(model, sentences, settings), "translate", "sentences", total=len(sentences)))
    seconds = time.perf_counter() - start
    rate = len(sentences) / seconds
    logging.info(f"translated {len(sentences)} sentences in {seconds:.1f} s ({rate:.1f} sentences/s)")

    keys = dataset.table.select(["doc_id", "sent_id"]).to_pylist()
    rows = []
    for number, key in enumerate(keys):
        for rank, hypothesis in enumerate(found[number]):
            tokens = postprocessor.tokens(hypothesis.ids)
            line = postprocessor.line(tokens)
            rows.append({**key, "rank": rank, "hypothesis": line, "tokens": tokens, "score": hypothesis.score})
    write_table(pd.DataFrame(rows), options.output, "translations")


if __name__ == "__main__":
    run(main)
