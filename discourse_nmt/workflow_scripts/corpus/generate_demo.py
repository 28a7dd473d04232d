"""Write the demo corpus: English-German documents with gold discourse annotation, made from resources/demo.

For each of the splits train, dev and test: SPLIT.tsv with the columns doc_id, source and target, and
gold/TABLE/SPLIT.parquet for the tables edus, rst, rst_dependencies, coreference and themes; for the items of the test
split contrastive/test.parquet. The same number of documents and seed give the same bytes.
"""

import logging
from pathlib import Path

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.demo.generation import contrastive_table, generate, gold_tables, sentences
from discourse_nmt.demo.oracles import accuracies
from discourse_nmt.demo.settings import DemoSettings
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, generate, write."""
    parser, demo = arguments(__doc__), DemoSettings()
    parser.add_argument("--documents", type=int, default=demo.documents, help="documents in all splits together (even)")
    parser.add_argument("--seed", type=int, default=demo.seed, help="seed of all choices")
    parser.add_argument("--output", type=Path, required=True, help="folder to write to")
    options = parser.parse_args()

    splits = generate(options.documents, options.seed)
    for split, documents in splits.items():
        pairs = sentences(documents)
        # Not to_csv: its quoting rules would be a second file format.
        lines = ["\t".join(pairs.columns), *("\t".join(row) for row in pairs.itertuples(index=False))]
        write_text("\n".join(lines) + "\n", options.output / f"{split}.tsv")
        for name, table in gold_tables(documents).items():
            write_table(table, options.output / "gold" / name / f"{split}.parquet", name)
        logging.info("%s: %d documents, %d sentences", split, len(documents), len(pairs))
    items = contrastive_table(splits["test"])
    write_table(items, options.output / "contrastive" / "test.parquet", "contrastive")
    figures = accuracies(splits["train"], splits["test"]).round(1).to_string()
    logging.info("accuracy in percent on the %d contrastive items of test, by what is known:\n%s", len(items), figures)


if __name__ == "__main__":
    run(main)
