"""Give each source word of a split the label of the theme or rheme that it is in."""

import pandas as pd

from corpus.tables import read_table, write_table
from discourse.themes.words import words_of_themes
from workflow_scripts.command import arguments, run


def main() -> None:
    """Read the tables of all shards, write the table labelled_words."""
    parser = arguments(__doc__)
    for name in ("tokens", "themes"):
        option = f"--{name}"
        parser.add_argument(option, required=True, nargs="+", metavar="FILE", help=f"{name} tables of all shards")
    parser.add_argument("--output", required=True, metavar="FILE", help="labelled_words table to write (Parquet)")
    given = parser.parse_args()
    tokens, themes = (
        pd.concat([read_table(path, name) for path in getattr(given, name)], ignore_index=True)
        for name in ("tokens", "themes")
    )
    table = words_of_themes(tokens, themes).sort_values(["doc_id", "sent_id"], ignore_index=True)
    write_table(table, given.output, "labelled_words")


if __name__ == "__main__":
    run(main)
