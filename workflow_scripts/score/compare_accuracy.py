"""Compare contrastive accuracy with that of a baseline on the same items: differences, and exact tests of them.

Files and seeds come in pairs: the first of the system with the first of the baseline, and so on. One pair is tested
over items and over documents; of several pairs the mean over seeds is tested over documents.
docs/how-to/significance.md explains how each number is computed.
"""

from discourse_nmt.corpus.storage.tables import read_table
from discourse_nmt.scoring.comparison.comparison import Comparison, accuracy_tests
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import add_names, add_seeds, compared_seeds, write_scores


def main() -> None:
    """Read the scores of both and the items, write differences and p-values."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--items", required=True, help="contrastive table with the document of each item")
    add("--contrastive", nargs="+", required=True, help="contrastive_scores tables, one for each seed")
    add("--baseline-contrastive", nargs="+", required=True, help="contrastive_scores tables of the baseline, as many")
    add_seeds(parser)
    add_names(parser)
    options = parser.parse_args()
    seeds = compared_seeds(options.contrastive, options.baseline_contrastive, options)
    items = read_table(options.items, "contrastive", ["item_id", "doc_id"])
    own, other = (
        [read_table(path, "contrastive_scores") for path in paths]
        for paths in (options.contrastive, options.baseline_contrastive)
    )
    documents = dict(zip(items["item_id"], items["doc_id"]))
    comparison = Comparison(options.baseline, seeds)
    write_scores(
        accuracy_tests(own, other, documents, comparison, file=options.contrastive[0]), options.seeds[0], options
    )


if __name__ == "__main__":
    run(main)
