"""Judge translations of a test set or suite: whether each has the form that its document requires, and no wrong one.

docs/reference/contrastive-suites.md explains how.
"""

from pathlib import Path

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.scoring.metrics.generation import judge_contrastive, judge_expected
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import read_shards


def main() -> None:
    """Read items, translations and references, write the judged_translations table."""
    parser = arguments(__doc__)
    add = parser.add_argument
    items = parser.add_mutually_exclusive_group(required=True)
    items.add_argument("--contrastive", type=Path, help="contrastive table, whose rows name wrong translations")
    items.add_argument("--expected", type=Path, help="expected_forms table")
    add("--translations", type=Path, required=True, help="translations table of the same documents")
    add("--sentences", nargs="+", required=True, help="sentences tables of these documents, every shard")
    add("--output", type=Path, required=True, help="judged_translations table to write (Parquet)")
    options = parser.parse_args()
    translations = read_table(options.translations, "translations")
    if options.expected:
        expected = read_table(options.expected, "expected_forms")
        judged = judge_expected(expected, translations, file=options.translations)
    else:
        sentences = read_shards(options.sentences, "sentences")
        references = dict(zip(zip(sentences["doc_id"], sentences["sent_id"]), sentences["target"]))
        contrasted = read_table(options.contrastive, "contrastive")
        judged = judge_contrastive(contrasted, references, translations, file=options.translations)
    write_table(judged, options.output, "judged_translations")


if __name__ == "__main__":
    run(main)
