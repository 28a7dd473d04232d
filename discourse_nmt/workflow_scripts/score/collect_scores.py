"""Collect the scores of all runs in one long table and a Markdown summary, which is also printed."""

from discourse_nmt.base.storage.files import read_text, write_text
from discourse_nmt.scoring.tables.scores import collect, parse, render
from discourse_nmt.scoring.tables.summary import markdown
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Read score tables, write the collected table and its summary."""
    parser = arguments(__doc__)
    parser.add_argument("--scores", nargs="+", required=True, help="score tables of every run and test set (tsv)")
    parser.add_argument("--output", required=True, help="long table to write (tab-separated)")
    parser.add_argument("--markdown", required=True, help="summary to write: a row per experiment and test set")
    options = parser.parse_args()
    table = collect([(parse(read_text(file), file=file), file) for file in options.scores])
    summary = markdown(table)
    write_text(render(table), options.output)
    write_text(summary, options.markdown)
    print(summary, end="")


if __name__ == "__main__":
    run(main)
