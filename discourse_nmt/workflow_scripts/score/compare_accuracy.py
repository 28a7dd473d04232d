"""Compare accuracy with that of a baseline on the same items: differences, and exact tests of them.

Files and seeds come in pairs: the first of the system with the first of the baseline, and so on. One pair is tested
over items and over documents; of several pairs the mean over seeds is tested over documents and seeds, or
over documents alone.
docs/how-to/significance.md explains how each number is computed.
"""

from collections.abc import Callable, Mapping

import pandas as pd

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.corpus.groups import text_of_item
from discourse_nmt.scoring.comparison.comparison import Comparison, accuracy_tests
from discourse_nmt.scoring.metrics.contrastive import judge
from discourse_nmt.scoring.metrics.generation import generation_items
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.score.score_command import add_names, add_seeds, compared_seeds, write_scores

ITEMS: Mapping[str, Callable[[str], pd.DataFrame]] = {
    "contrastive": lambda path: judge(read_table(path, "contrastive_scores"), file=path),
    "generation": lambda path: generation_items(read_table(path, "judged_translations")),
}


def main() -> None:
    """Read the judged items of both and the documents of the items, write differences and p-values."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--task", choices=list(ITEMS), required=True, help="accuracy of given translations, or of the systems' own")
    add("--items", required=True, help="contrastive or expected_forms table with the document of each item")
    add("--judged", nargs="+", required=True, help="contrastive_scores or judged_translations, one for each seed")
    add("--baseline-judged", nargs="+", required=True, help="those of the baseline, as many")
    add_seeds(parser)
    add_names(parser)
    options = parser.parse_args()
    seeds = compared_seeds(options.judged, options.baseline_judged, options)
    items = read_table(options.items, "contrastive", ["item_id", "doc_id"])
    own, other = ([ITEMS[options.task](path) for path in paths] for paths in (options.judged, options.baseline_judged))
    documents = {
        item: text_of_item(doc_id, options.test_set) for item, doc_id in zip(items["item_id"], items["doc_id"])
    }
    comparison = Comparison(options.baseline, seeds, options.groups, trainings=options.trainings)
    scores = accuracy_tests(options.task, own, other, documents, comparison, file=options.judged[0])
    write_scores(scores, options.seeds[0], options)


if __name__ == "__main__":
    run(main)
