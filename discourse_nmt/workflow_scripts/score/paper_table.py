"""Make a table of a paper: measured scores beside the published ones, as Markdown, as LaTeX, and for the report.

The table is described as JSON: paper, source, title, note, size, columns, and rows with a name and cells. A cell has a
published number, and the names by which the table of scores has the measured one, or files of each seed from which it
is read: a model, whose parameters are counted and those of the files under beside taken off; metrics.csv; or figures
of a model as a discourse parser.
"""

import math
import statistics
from typing import TypedDict

import pandas as pd
from safetensors import SafetensorError, safe_open

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text, verified, write_json, write_text
from discourse_nmt.scoring.tables.analyses import analysis_scores
from discourse_nmt.scoring.tables.papers import MeasuredCell, comparison, latex_of_paper, markdown_of_paper
from discourse_nmt.scoring.tables.scores import collect, parse
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

NOTES = {
    "added parameters": "Parameters: millions more than the first row's model, which depends on the vocabularies.",
    "speed": "Speed: thousand target tokens a second in training on this machine, the median over rows of metrics.csv.",
}
SMALL = "size: small. The numbers show that the chain is complete; they are no results."
PAPERS = "Beside the measured numbers stand those of the paper, which are of other data where the preset says so."


def parameters(file: str) -> int:
    """The number of parameters in a model file (safetensors), from the shapes in its header."""
    try:
        with safe_open(verified(file), framework="numpy") as tensors:
            return sum(math.prod(tensors.get_slice(name).get_shape()) for name in tensors.keys())  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise InputError(f"no model ({error})", file=file, remedy="delete it and run again") from None


def speed(file: str) -> float:
    """Thousand target tokens a second: the median over the rows of metrics.csv."""
    try:
        rates = pd.read_csv(verified(file), usecols=["tokens_per_second"])["tokens_per_second"]
    except ValueError as error:
        raise InputError(f"no metrics of a training ({error})", file=file, remedy="delete it and run again") from None
    # The window of a row that follows another one at once is empty.
    return statistics.median([rate for rate in rates.tolist() if rate > 0] or [0.0]) / 1000


def agreement(file: str, metric: str) -> float:
    """A figure of a model as a discourse parser."""
    for score in analysis_scores(read_text(file), "", file=file):
        if score.metric == metric:
            return score.value
    raise InputError(f"no figure {metric}", file=file, remedy="correct the metric in paper_tables")


class CellFiles(TypedDict):
    """Of a described cell, the metric and the files of each seed from which it is read."""

    metric: str
    files: list[str]
    beside: list[str]


def numbers(cell: CellFiles) -> list[float] | None:
    """The numbers of a cell that are read from files, one for each seed; None where the table of scores has them."""
    if not cell["files"]:
        return None
    if cell["metric"] == "speed":
        return [speed(file) for file in cell["files"]]
    if cell["metric"] == "added parameters":
        base = parameters(cell["beside"][0])
        return [(parameters(file) - base) / 1e6 for file in cell["files"][:1]]
    return [agreement(file, cell["metric"]) for file in cell["files"]]


def main() -> None:
    """Read the description and the scores, write the table."""
    parser = arguments(__doc__)
    parser.add_argument("--table", action=JsonObject, required=True, help="description of the table, as JSON")
    parser.add_argument("--scores", nargs="+", required=True, help="score tables (tsv)")
    parser.add_argument("--markdown", required=True, help="table to write in Markdown")
    parser.add_argument("--latex", required=True, help="the same in LaTeX, for the package booktabs")
    parser.add_argument("--cells", required=True, help="the same for the report (JSON)")
    options = parser.parse_args()
    described = options.table
    scores = collect([(parse(read_text(file), file=file), file) for file in options.scores])
    rows = {
        row["name"]: [
            MeasuredCell(
                **{key: cell[key] for key in cell if key not in ("files", "beside")},
                numbers=numbers(cell),
            )
            for cell in row["cells"]
        ]
        for row in described["rows"]
    }
    used = {cell.metric for cells in rows.values() for cell in cells}
    notes = [PAPERS, described["note"], *(text for metric, text in NOTES.items() if metric in used)]
    notes += [SMALL] if described["size"] == "small" else []
    title = f"{described['paper']}, {described['source']}: {described['title']}"
    table = comparison(title, notes, described["columns"], rows, scores)
    write_text(markdown_of_paper(table), options.markdown)
    write_text(latex_of_paper(table), options.latex)
    cells = table.cells()
    content = {
        "title": table.title,
        "notes": list(table.notes),
        "columns": list(cells),
        "rows": cells.to_numpy().tolist(),
    }
    write_json(content, options.cells)
    print(markdown_of_paper(table), end="")


if __name__ == "__main__":
    run(main)
