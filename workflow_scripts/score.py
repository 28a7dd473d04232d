"""Score the translations of one test set: BLEU of three kinds, chrF2++, TER, contrastive accuracy.

Detokenised text is compared with the raw reference; only multi-bleu compares tokens. docs/scores.md says how
each number is computed.
"""

import numpy as np
import pandas as pd

from corpus.files import write_text
from corpus.tables import read_table
from scoring.alignment import pair
from scoring.contrastive import contrastive_scores
from scoring.table import render, score_table
from scoring.translation import translation_scores
from training.dataset import ParallelDataset
from training.units import units_of
from workflow_scripts.command import arguments, run


def read_shards(paths: list[str], name: str) -> pd.DataFrame:
    """The shards of a table under each other."""
    return pd.concat([read_table(path, name) for path in paths], ignore_index=True)


def read_instances(path: str) -> pd.DataFrame:
    """The 512-token instance of every sentence of a dataset: doc_id, sent_id, instance."""
    dataset = ParallelDataset(path)
    units = units_of(dataset, "instance")
    frame = dataset.table.select(["doc_id", "sent_id"]).to_pandas()
    return frame.assign(instance=np.repeat(np.arange(len(units)), units.stops - units.starts))


def main() -> None:
    """Read translations and references, write the scores."""
    parser = arguments(__doc__)
    parser.add_argument("--translations", required=True, help="translations table of the test set")
    parser.add_argument("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    parser.add_argument("--tokens", nargs="+", required=True, help="tokens tables of the test set, every shard")
    parser.add_argument("--dataset", required=True, help="dataset of the test set, which gives the 512-token instances")
    parser.add_argument("--contrastive", nargs="*", default=[], help="contrastive_scores tables, where there are any")
    parser.add_argument("--corpus", required=True, help="name of the corpus")
    parser.add_argument("--experiment", required=True, help="name of the experiment")
    parser.add_argument("--system", required=True, help="name of its system")
    parser.add_argument("--seed", type=int, required=True, help="seed of the run")
    parser.add_argument("--test-set", required=True, help="name of the test set")
    parser.add_argument("--language", required=True, help="target language code, which chooses sacrebleu's tokeniser")
    parser.add_argument("--lowercase", action="store_true", help="ignore case, for systems that write lowercase only")
    parser.add_argument("--output", required=True, help="score table to write (tab-separated)")
    options = parser.parse_args()
    pairs = pair(
        read_shards(options.sentences, "sentences"),
        read_shards(options.tokens, "tokens"),
        read_table(options.translations, "translations"),
        read_instances(options.dataset),
        file=options.translations,
    )
    scores = translation_scores(pairs, language=options.language, lowercase=options.lowercase)
    if options.contrastive:
        items = read_shards(options.contrastive, "contrastive_scores")
        scores += contrastive_scores(items, file=options.contrastive[0])
    names = {key: getattr(options, key) for key in ("corpus", "experiment", "system", "seed", "test_set")}
    write_text(render(score_table(scores, **names)), options.output)


if __name__ == "__main__":
    run(main)
