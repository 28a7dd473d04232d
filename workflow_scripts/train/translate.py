"""Translate the source side of a dataset with a trained model: every sentence once, in order."""

import logging
import time
from pathlib import Path

import pandas as pd
import torch

from discourse_nmt.corpus.progress import progress
from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.corpus.storage.tables import write_table
from discourse_nmt.corpus.vocabulary import Vocabulary
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.training.checkpoints.trained import open_trained
from discourse_nmt.workflow_scripts.command import add_model_arguments, arguments, run


def main() -> None:
    """Read a dataset and a model, write the translations table."""
    parser = arguments(__doc__)
    add_model_arguments(parser, "dataset to translate (Arrow)")
    parser.add_argument("--output", type=Path, required=True, help="translations table to write (Parquet)")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    settings = parse_settings(DecodingSettings, options.settings, "decoding")
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    postprocessor = Postprocessor(TextSettings.from_mapping(options.text_settings).target, target)
    network, task = open_trained(
        options.model, options.dataset, options.structure, (source, target), settings, device_named(options.device)
    )
    prepare_for_inference(network, settings)

    count = len(task.dataset)
    start = time.perf_counter()
    hypotheses = dict(progress(task.hypotheses(network, settings), "translate", "sentences", total=count))
    seconds = time.perf_counter() - start
    logging.info(f"translated {count} sentences in {seconds:.1f} s ({count / seconds:.1f} sentences/s)")

    keys = task.dataset.table.select(["doc_id", "sent_id"]).to_pylist()
    rows = []
    for row, key in enumerate(keys):
        for rank, hypothesis in enumerate(hypotheses[row]):
            tokens = postprocessor.tokens(hypothesis.ids)
            line = postprocessor.line(hypothesis.ids)
            rows.append({**key, "rank": rank, "hypothesis": line, "tokens": tokens, "score": hypothesis.score})
    write_table(pd.DataFrame(rows), options.output, "translations")


if __name__ == "__main__":
    run(main, "lower decoding.batch_tokens, or decoding.max_length_ratio if translations grow that long")
