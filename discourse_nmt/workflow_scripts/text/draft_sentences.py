"""Replace the target by translations: the draft of one file of shards of documents.

Memory holds one shard, the best translations of the file's documents, and a part of the other translations.
"""

from itertools import chain

import pandas as pd

from discourse_nmt.base.storage.shard_files import read_shards, write_shards
from discourse_nmt.corpus.importing.drafts import draft
from discourse_nmt.workflow_scripts.command import arguments, run


def best_of(translations: str, documents: set[str]) -> pd.DataFrame:
    """The best translations of some ``documents``, from the table of the whole split: read a part at a time."""
    parts = read_shards(translations, "translations", ["doc_id", "sent_id", "rank", "hypothesis"])
    return pd.concat([part[(part["rank"] == 0) & part["doc_id"].isin(documents)] for part in parts])


def main() -> None:
    """Parse the arguments, read, join, write."""
    parser = arguments(__doc__)
    parser.add_argument("--sentences", required=True, metavar="FILE", help="sentences table of the shard")
    parser.add_argument("--translations", required=True, metavar="FILE", help="translations table of the whole split")
    parser.add_argument("--output", required=True, metavar="FILE", help="sentences table to write")
    options = parser.parse_args()

    names = (shard["doc_id"].unique() for shard in read_shards(options.sentences, "sentences", ["doc_id"]))
    translations = best_of(options.translations, set(chain.from_iterable(names)))
    drafted = (draft(shard, translations) for shard in read_shards(options.sentences, "sentences"))
    write_shards(drafted, options.output, "sentences")


if __name__ == "__main__":
    run(main)
