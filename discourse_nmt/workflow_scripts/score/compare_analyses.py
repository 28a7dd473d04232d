"""Score an analysis of the workflow against gold tables of the same documents (such as the demo's), or compare two
analyses: discourse units, RST trees, discourse dependencies, coreference, themes.

Both folders hold the tables as TABLE/SPLIT.parquet or TABLE/SPLIT/*.parquet. Tables that are missing on one side are
left out. The output has the columns task, metric, value (percent), setting; docs/analysers/evaluation.md explains them.
"""

import logging
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.discourse.evaluation.comparison import COMPARED, compare
from discourse_nmt.discourse.evaluation.figures import figures, write_figures
from discourse_nmt.discourse.formats.reading import blaming
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.workflow_scripts.command import arguments, run


def tables(folder: Path, split: str, chosen: Sequence[str]) -> dict[str, dict[str, list[Row]]]:
    """Rows of the ``chosen`` tables by table and document."""
    rows: dict[str, dict[str, list[Row]]] = {}
    for table in chosen:
        paths = [folder / table / f"{split}.parquet", *sorted((folder / table / split).glob("*.parquet"))]
        for path in filter(Path.is_file, paths):
            documents = rows.setdefault(table, defaultdict(list))
            for row in read_table(path, table).to_dict("records"):
                documents[row["doc_id"]].append({str(key): value for key, value in row.items()})
    if not rows:
        remedy = f"correct the folder or --split: it should hold TABLE/{split}.parquet"
        raise InputError("no tables", file=folder, remedy=remedy)
    return rows


def main() -> None:
    """Parse the arguments, read, compare, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--gold", type=Path, required=True, metavar="FOLDER", help="gold tables")
    add("--predicted", type=Path, required=True, metavar="FOLDER", help="tables of the analysis")
    add("--tables", nargs="+", choices=COMPARED, default=COMPARED, metavar="TABLE", help="tables that are read")
    add("--split", required=True, help="split of the corpus, for example test")
    add("--output", required=True, metavar="FILE", help="tab-separated table to write")
    options = parser.parse_args()

    gold, predicted = (tables(folder, options.split, options.tables) for folder in (options.gold, options.predicted))
    for table in sorted(gold.keys() ^ predicted.keys()):
        logging.info("%s: only one side has it; left out where both are needed", table)
    documents = sorted({document for table in gold.values() for document in table})
    scores = []
    for document in progress(documents, "compare", "documents"):
        sides = [{name: rows.get(document, []) for name, rows in side.items()} for side in (gold, predicted)]
        with blaming(f"{options.predicted}: document {document}"):
            scores.append(compare(*sides))
    write_text(write_figures(figures(scores)), options.output)


if __name__ == "__main__":
    run(main)
