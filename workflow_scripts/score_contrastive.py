"""Score contrastive items: the log-probability of each reference sentence and of its wrong variant.

Both are scored given the same source; the wrong text goes through the text stage of the corpus first.
"""

from pathlib import Path
from typing import cast

import pandas as pd
import torch

from corpus.errors import InputError
from corpus.progress import progress
from corpus.tables import read_table, write_table
from corpus.vocabulary import Vocabulary
from models.inference import device_named, score
from models.transformer import Transformer
from text.settings import TextSettings
from text.subwords import Encoder, Segmentation
from text.tokenisers import tokeniser
from text.truecasing import caser, load_casing
from training.checkpoints import load_model
from training.dataset import ParallelDataset
from workflow_scripts.command import JsonObject, add_model_arguments, arguments, run


def rows_of(items: pd.DataFrame, dataset: ParallelDataset, file: Path) -> list[int]:
    """The dataset's row of each item; an item whose sentence it lacks is an :class:`InputError`."""
    keys = dataset.table.select(["doc_id", "sent_id"]).to_pydict()
    places = {key: row for row, key in enumerate(zip(keys["doc_id"], keys["sent_id"]))}
    wanted = list(zip(items["doc_id"].tolist(), items["sent_id"].tolist()))
    for item, key in zip(items["item_id"], wanted):
        if key not in places:
            raise InputError(
                f"item {item}: document {key[0]} has no sentence {key[1]} in {dataset.path}",
                file=file,
                remedy="make the items from the same test set",
            )
    return [places[key] for key in wanted]


def main() -> None:
    """Read items, dataset and model, write the contrastive_scores table."""
    parser = arguments(__doc__)
    parser.add_argument("--items", type=Path, required=True, help="contrastive table (Parquet)")
    add_model_arguments(parser, "dataset the items refer to (Arrow)")
    parser.add_argument("--target-truecaser", type=Path, required=True, help="truecasing model of the target side")
    parser.add_argument("--target-codes", type=Path, required=True, help="BPE model of the target side")
    parser.add_argument(
        "--text-settings", action=JsonObject, required=True, help="section text with languages, as JSON"
    )
    parser.add_argument("--batch-tokens", type=int, default=4000, help="subwords scored at a time, padding included")
    parser.add_argument("--output", type=Path, required=True, help="contrastive_scores table to write (Parquet)")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    settings = TextSettings.from_mapping(options.text_settings).target
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    tokenise, case = tokeniser(settings).tokenise, caser(settings, load_casing(options.target_truecaser))
    encoder = Encoder(Segmentation.load(options.target_codes), target)
    items, dataset = read_table(options.items, "contrastive"), ParallelDataset(options.dataset)
    rows = rows_of(items, dataset, options.items)
    model = cast(Transformer, load_model(options.model, source, target, device=device_named(options.device)))

    sources, references = dataset.source.sentences(), dataset.target.sentences()
    wrong = [encoder.encode(case(tokenise(text).tokens))[0] for text in items["wrong"]]
    targets = [references[row] for row in rows] + wrong
    pairs = score(model, [sources[row] for row in rows] * 2, targets, options.batch_tokens)
    scores = dict(progress(pairs, "score", "sentences", total=len(targets)))

    found = items[["item_id", "phenomenon", "distance"]].assign(
        right_score=[scores[number] for number in range(len(items))],
        wrong_score=[scores[number + len(items)] for number in range(len(items))],
    )
    write_table(found, options.output, "contrastive_scores")


if __name__ == "__main__":
    run(main)
