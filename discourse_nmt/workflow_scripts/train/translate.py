"""Translate the source side of a dataset with a trained model: every sentence once, in order.

With ``--contrastive`` or ``--expected`` only the sentences of these items, and those whose translations they read.
With ``--part`` only a part of its documents; ``--join`` writes the parts as one table instead, which is that of an
undivided translation.
"""

import logging
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from discourse_nmt.base.progress import counted
from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.base.storage.tables import TABLES, read_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.training.checkpoints.subword_translations import load_translations
from discourse_nmt.training.checkpoints.trained import TrainedModel, open_trained
from discourse_nmt.training.checkpoints.tuned_decoding import decoding_settings
from discourse_nmt.training.data.dataset import KEYS, ParallelDataset
from discourse_nmt.training.data.parts import JobPart, join_parts, stretches_of
from discourse_nmt.workflow_scripts.command import (
    add_model_arguments,
    add_part_arguments,
    add_text_settings,
    arguments,
    run,
)


def translations(
    trained: TrainedModel,
    part: JobPart,
    settings: DecodingSettings,
    postprocessor: Postprocessor,
    asked: np.ndarray | None = None,
) -> Iterator[pd.DataFrame]:
    """The translations table of each stretch of the part, one at a time; ``asked`` is that of :meth:`.Task.hypotheses`.

    Progress counts the sentences that are asked for.
    """
    stretches = part.of(stretches_of(trained.dataset.documents))
    count, start = 0, time.perf_counter()
    for number, (first, last) in enumerate(stretches, start=1):
        task = trained.task_of(first, last)
        wanted = None if asked is None else asked[first:last]
        label = "translate" if len(stretches) == 1 else f"translate {number} of {len(stretches)}"
        hypotheses: dict[int, list[Hypothesis]] = {}
        with counted(label, "sentences", last - first if wanted is None else int(wanted.sum())) as done:
            for row, found in task.hypotheses(trained.network, settings, wanted):
                hypotheses[row] = found
                done(1 if wanted is None else int(wanted[row]))
        count += len(hypotheses)
        rows = []
        for row, key in enumerate(task.dataset.table.select(KEYS).to_pylist()):
            for rank, hypothesis in enumerate(hypotheses.get(row, [])):
                tokens = postprocessor.tokens(hypothesis.ids)
                line = postprocessor.line(hypothesis.ids)
                rows.append({**key, "rank": rank, "hypothesis": line, "tokens": tokens, "score": hypothesis.score})
        yield pd.DataFrame(rows, columns=list(TABLES["translations"]))
    seconds = time.perf_counter() - start
    rate = f"{count / seconds:.1f} sentences/s, engine {settings.engine}"
    logging.info(f"translated {count} sentences in {seconds:.1f} s ({rate})")


def asked_rows(dataset: ParallelDataset, items: pd.DataFrame) -> np.ndarray:
    """Whether an item asks for the row, bool [rows]."""
    rows = dataset.rows_of(items["doc_id"], items["sent_id"])
    asked = np.zeros(len(dataset), bool)
    asked[rows[rows >= 0]] = True
    return asked


def main() -> None:
    """Read a dataset and a model, write the translations table."""
    parser = arguments(__doc__)
    add_model_arguments(parser, "dataset to translate (Arrow)")
    add_text_settings(parser)
    add_part_arguments(parser, "translations")
    parser.add_argument("--subword-translations", type=Path, help="translations of subwords, for a shortlist")
    parser.add_argument("--tuned", type=Path, help="values of decoding that tune_decoding chose")
    items = parser.add_mutually_exclusive_group()
    items.add_argument("--contrastive", type=Path, help="contrastive table of the items that are looked at")
    items.add_argument("--expected", type=Path, help="expected_forms table of these")
    parser.add_argument("--output", type=Path, required=True, help="translations table to write (Parquet)")
    options = parser.parse_args()

    if options.join:
        join_parts(options.join, options.output, "translations")
        return
    torch.set_num_threads(options.threads)
    settings = decoding_settings(options.settings, options.tuned)
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    postprocessor = Postprocessor(TextSettings.from_mapping(options.text_settings).target, target)
    trained = open_trained(
        options.model, options.dataset, options.structure, (source, target), settings, device_named(options.device)
    )
    translations_file = options.subword_translations if settings.shortlist else None
    subwords = None if translations_file is None else load_translations(translations_file, (source, target))
    prepare_for_inference(trained.network, settings, subwords)
    asked = None
    if options.contrastive or options.expected:
        kind = "expected_forms" if options.expected else "contrastive"
        asked = asked_rows(trained.dataset, read_table(options.expected or options.contrastive, kind, KEYS))
    made = translations(trained, JobPart.named(options.part), settings, postprocessor, asked)
    write_shards(made, options.output, "translations")


if __name__ == "__main__":
    run(main, "lower decoding.batch_tokens, or decoding.max_length_ratio if translations grow that long")
