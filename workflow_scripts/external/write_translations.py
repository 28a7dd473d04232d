"""Write the translations of a test set as text, one sentence per line, in the order of the corpus files.

Beside them goes the command of sacrebleu that computes their scores.
"""

from pathlib import Path

from discourse_nmt.corpus.storage.files import write_text
from discourse_nmt.scoring.external.sacrebleu_command import sacrebleu_command
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.external.test_set_text import read_in_order, translations_of


def main() -> None:
    """Read the translations, write the text and the command."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--translations", required=True, help="translations table of the test set")
    add("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    add("--documents", required=True, help="documents table of the test set")
    add("--references", required=True, help="file of the references, for the command")
    add("--language", required=True, help="target language code")
    add("--lowercase", action="store_true", help="ignore case, for systems that write lowercase only")
    add("--output", type=Path, required=True, help="file of the translations to write")
    add("--command", type=Path, required=True, help="file of the command to write")
    options = parser.parse_args()
    lines = translations_of(read_in_order(options.sentences, options.documents), options.translations)
    write_text("".join(f"{line}\n" for line in lines), options.output)
    command = sacrebleu_command(
        options.references, str(options.output), language=options.language, lowercase=options.lowercase
    )
    write_text(f"{command}\n", options.command)


if __name__ == "__main__":
    run(main)
