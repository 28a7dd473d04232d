"""Write the command of sacrebleu that scores translations which were written as text."""

from pathlib import Path

from discourse_nmt.corpus.storage.files import write_text
from discourse_nmt.scoring.external.sacrebleu_command import sacrebleu_command
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Write the command."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--text", required=True, help="file of the translations")
    add("--references", required=True, help="file of the references")
    add("--language", required=True, help="target language code")
    add("--lowercase", action="store_true", help="ignore case, for systems that write lowercase only")
    add("--output", type=Path, required=True, help="file of the command to write")
    options = parser.parse_args()
    command = sacrebleu_command(
        options.references, options.text, language=options.language, lowercase=options.lowercase
    )
    write_text(f"{command}\n", options.output)


if __name__ == "__main__":
    run(main)
