"""Learn translation probabilities of words from sentence pairs, for the metrics that align words.

docs/reference/document-metrics.md explains the model.
"""

from itertools import chain

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.shard_files import read_shards
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.scoring.alignment.settings import DocumentMetricsSettings
from discourse_nmt.word_alignment.model import learn
from discourse_nmt.workflow_scripts.command import arguments, run

COLUMNS = ["doc_id", "sent_id", "side", "tokens"]


def read_pairs(paths: list[str], number: int) -> pd.DataFrame:
    """The words of the first ``number`` sentence pairs of tokens tables: columns source and target."""
    pairs = [pd.DataFrame(columns=["source", "target"])]
    for tokens in chain.from_iterable(read_shards(path, "tokens", COLUMNS) for path in paths):
        sides = (
            tokens[tokens["side"] == side].set_index(["doc_id", "sent_id"])["tokens"] for side in ("source", "target")
        )
        pairs.append(pd.concat(sides, axis=1, join="inner", keys=["source", "target"]).head(number))
        number -= len(pairs[-1])
        if not number:
            break
    return pd.concat(pairs, ignore_index=True)


def main() -> None:
    """Read tokens, write the translations of words."""
    parser = arguments(__doc__)
    parser.add_argument("--tokens", nargs="+", required=True, help="tokens tables to learn from")
    parser.add_argument(
        "--pairs",
        type=int,
        default=DocumentMetricsSettings.alignment_pairs,
        help="largest number of sentence pairs; the first ones are taken",
    )
    parser.add_argument("--output", required=True, help="word_translations table to write")
    options = parser.parse_args()
    if options.pairs < 1:
        raise InputError(f"--pairs is {options.pairs}", remedy="give at least 1")
    pairs = read_pairs(options.tokens, options.pairs)
    if pairs.empty:
        raise InputError("no sentence pairs", file=options.tokens[0], remedy="give tables with tokens of both sides")
    write_table(learn(pairs["source"].tolist(), pairs["target"].tolist()), options.output, "word_translations")


if __name__ == "__main__":
    run(main)
