"""Write the translations of a test set as text, one sentence per line, in the order of the corpus files."""

from pathlib import Path

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.external.test_set_text import read_in_order, translations_of


def main() -> None:
    """Read the translations, write the text."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--translations", required=True, help="translations table of the test set")
    add("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    add("--documents", required=True, help="documents table of the test set")
    add("--output", type=Path, required=True, help="file of the translations to write")
    options = parser.parse_args()
    lines = translations_of(read_in_order(options.sentences, options.documents), options.translations)
    write_text("".join(f"{line}\n" for line in lines), options.output)


if __name__ == "__main__":
    run(main)
