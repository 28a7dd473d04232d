"""Score contrastive items: the log-probability of each right translation and of its wrong variants.

Both are scored with the same source. Systems that read several sentences at a time also read earlier target sentences
of the test set: those of the reference, or of the wrong variant if it has a document of its own. The score of a
variant of several sentences is their sum. The text stage of the corpus preprocesses the wrong text first. With
``--part`` only the items of a part of the documents are scored; ``--join`` writes the parts as one table instead.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.scoring.metrics.contrastive import variant_scores
from discourse_nmt.text.pretrained import encoder
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.text.tokenisers import tokeniser
from discourse_nmt.text.truecasing import load_casing
from discourse_nmt.training.checkpoints.trained import open_trained
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.parts import JobPart, join_parts, stretches_of
from discourse_nmt.workflow_scripts.command import (
    add_model_arguments,
    add_part_arguments,
    add_text_settings,
    arguments,
    run,
)


def rows_of(items: pd.DataFrame, document: str, dataset: ParallelDataset, file: Path) -> list[int]:
    """The dataset's row of each item's sentence; the column ``document`` of ``items`` has the name of its document.

    Raises :class:`InputError`: the dataset lacks a sentence.
    """
    rows = dataset.rows_of(items[document], items["sent_id"])
    if (rows < 0).any():
        item, doc_id, sent_id = items[["item_id", document, "sent_id"]].iloc[int(np.argmin(rows))]
        raise InputError(
            f"item {item}: document {doc_id} has no sentence {sent_id} in {dataset.path}",
            file=file,
            remedy="make the items from the same test set",
        )
    return rows.tolist()


def borders_of(items: pd.DataFrame) -> np.ndarray:
    """Where items may be divided, int64: the rows at which a document begins within no item, and last their number."""
    rows, documents = np.arange(len(items)), items["doc_id"].to_numpy(object)
    last_rows = pd.Series(rows).groupby(items["item_id"].to_numpy(object)).transform("max").cummax().to_numpy()
    begins = (documents[1:] != documents[:-1]) & (last_rows[:-1] < rows[1:])
    return np.concatenate([[0], rows[1:][begins], [len(items)]])


def main() -> None:
    """Read items, dataset and model, write the contrastive_scores table."""
    parser = arguments(__doc__)
    parser.add_argument("--items", type=Path, required=True, help="contrastive table (Parquet)")
    add_model_arguments(parser, "dataset the items refer to (Arrow)")
    add_text_settings(parser)
    add_part_arguments(parser, "scores")
    parser.add_argument("--target-truecaser", type=Path, required=True, help="truecasing model of the target side")
    parser.add_argument("--target-codes", type=Path, required=True, help="BPE model of the target side")
    parser.add_argument("--output", type=Path, required=True, help="contrastive_scores table to write (Parquet)")
    options = parser.parse_args()

    if options.join:
        join_parts(options.join, options.output, "contrastive_scores")
        return
    torch.set_num_threads(options.threads)
    text = TextSettings.from_mapping(options.text_settings).target
    settings = parse_settings(DecodingSettings, options.settings, "decoding")
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    tokenise = tokeniser(text).tokenise
    encode = encoder(text, load_casing(options.target_truecaser), options.target_codes, target).encode
    items = read_table(options.items, "contrastive")
    trained = open_trained(
        options.model, options.dataset, options.structure, (source, target), settings, device_named(options.device)
    )
    task = trained.task
    items["wrong_doc_id"] = items["wrong_doc_id"].fillna(items["doc_id"])
    items["right_row"] = rows_of(items, "doc_id", task.dataset, options.items)
    items["wrong_row"] = rows_of(items, "wrong_doc_id", task.dataset, options.items)
    references = task.dataset.target.sentences()

    def scored() -> Iterator[pd.DataFrame]:
        for first, last in JobPart.named(options.part).of(stretches_of(borders_of(items))):
            some = items.iloc[first:last]
            wrong_ids = [encode(tokenise(text))[0] for text in some["wrong"]]
            right_ids = [tuple(map(int, references[row])) for row in some["right_row"]]
            texts = [
                *zip(some["right_row"].tolist(), right_ids),
                *zip(some["wrong_row"].tolist(), map(tuple, wrong_ids)),
            ]
            # Each text once: equal texts have equal scores, and a right one has several variants.
            index_of_text = {text: index for index, text in enumerate(dict.fromkeys(texts))}
            rows, targets = [row for row, _ in index_of_text], [list(ids) for _, ids in index_of_text]
            found = task.scores(trained.network, rows, targets, settings)
            score_of_index = dict(progress(found, "score", "sentences", total=len(targets)))
            scores = [score_of_index[index_of_text[text]] for text in texts]
            yield variant_scores(some.assign(right_score=scores[: len(some)], wrong_score=scores[len(some) :]))

    write_shards(scored(), options.output, "contrastive_scores")


if __name__ == "__main__":
    run(main, "lower decoding.batch_tokens")
