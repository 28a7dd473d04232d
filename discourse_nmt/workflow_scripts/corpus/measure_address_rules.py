"""Score rules that guess the form of address on the items of a suite, as rows beside the systems.

docs/reference/contrastive-suites.md explains the rules.
"""

from collections.abc import Iterable, Iterator

import pandas as pd

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.shard_files import read_shards
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.corpus.address.scenes import Row, rows_of
from discourse_nmt.scoring.metrics.address.address_rules import SIGNATURE, judged_rules
from discourse_nmt.scoring.metrics.generation import generation_scores
from discourse_nmt.scoring.tables.scores import render, score_table
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Read train and the sentences of the suite, write the scores."""
    parser = arguments(__doc__)
    parser.add_argument("--train", nargs="+", required=True, help="sentences tables of train, every shard")
    parser.add_argument(
        "--sentences", nargs="+", required=True, help="the same of the splits that the suite is made of"
    )
    parser.add_argument("--documents", nargs="+", required=True, help="documents tables of these splits")
    parser.add_argument("--language", required=True, help="target language code")
    parser.add_argument("--corpus", required=True, help="name of the corpus")
    parser.add_argument("--suite", required=True, help="name of the suite")
    parser.add_argument("--output", required=True, help="score table to write (tab-separated)")
    options = parser.parse_args()

    listed = [doc_id for path in options.documents for doc_id in read_table(path, "documents")["doc_id"]]
    place_of_document = {doc_id: place for place, doc_id in enumerate(listed)}
    tested = sorted(rows_in(options.sentences), key=lambda row: place_of_document[row["doc_id"]])
    tables = [
        score_table(
            generation_scores(judged, file=options.sentences[0], signature=SIGNATURE),
            corpus=options.corpus,
            experiment=rule,
            system="rule",
            seed=0,
            test_set=options.suite,
        )
        for rule, judged in judged_rules(rows_in(options.train), tested, options.language).items()
    ]
    write_text(render(pd.concat(tables, ignore_index=True)), options.output)


def rows_in(paths: Iterable[str]) -> Iterator[Row]:
    """The rows of tables ``sentences``, with one shard in memory at a time."""
    return (row for path in paths for shard in read_shards(path, "sentences") for row in rows_of(shard))


if __name__ == "__main__":
    run(main)
