"""Score contrastive items: the log-probability of each reference sentence and of its wrong variant.

Both are scored given the same source, and in systems that read several sentences at a time the same earlier target
sentences of the test set; the wrong text goes through the text stage of the corpus first.
"""

from pathlib import Path

import pandas as pd
import torch

from corpus.errors import InputError
from corpus.progress import progress
from corpus.settings import parse_settings
from corpus.tables import read_table, write_table
from corpus.vocabulary import Vocabulary
from models.inference import device_named
from models.settings import DecodingSettings
from text.pretrained import encoder
from text.settings import TextSettings
from text.tokenisers import tokeniser
from text.truecasing import caser, load_casing
from training.dataset import ParallelDataset
from training.trained import open_trained
from workflow_scripts.command import add_model_arguments, arguments, run


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
    parser.add_argument("--output", type=Path, required=True, help="contrastive_scores table to write (Parquet)")
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    text = TextSettings.from_mapping(options.text_settings).target
    settings = parse_settings(DecodingSettings, options.settings, "decoding")
    source, target = Vocabulary.load(options.source_vocabulary), Vocabulary.load(options.target_vocabulary)
    tokenise, case = tokeniser(text).tokenise, caser(text, load_casing(options.target_truecaser))
    encode = encoder(text, options.target_codes, target).encode
    items = read_table(options.items, "contrastive")
    network, task = open_trained(
        options.model, options.dataset, options.structure, (source, target), settings, device_named(options.device)
    )
    rows = rows_of(items, task.dataset, options.items)

    references = task.dataset.target.sentences()
    tokens = [tokenise(text) for text in items["wrong"]]
    wrong = [encode(found._replace(tokens=case(found.tokens)))[0] for found in tokens]
    targets = [references[row] for row in rows] + wrong
    pairs = task.scores(network, rows * 2, targets, settings)
    scores = dict(progress(pairs, "score", "sentences", total=len(targets)))

    found = items[["item_id", "phenomenon", "distance"]].assign(
        right_score=[scores[number] for number in range(len(items))],
        wrong_score=[scores[number + len(items)] for number in range(len(items))],
    )
    write_table(found, options.output, "contrastive_scores")


if __name__ == "__main__":
    run(main)
