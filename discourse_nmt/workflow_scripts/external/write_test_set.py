"""Write sources, references and document ids of a test set as text: a line for each sentence, in the corpus's order."""

from pathlib import Path

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.corpus.test_sets import read_in_order
from discourse_nmt.scoring.alignment.references import check_references
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Read the sentences, write three files."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    add("--documents", required=True, help="documents table of the test set")
    add("--source", type=Path, required=True, help="file of the sources to write")
    add("--references", type=Path, required=True, help="file of the references to write")
    add("--ids", type=Path, required=True, help="file to write with the document id of each sentence")
    options = parser.parse_args()
    sentences = read_in_order(options.sentences, options.documents)
    check_references(sentences)
    for column, path in (("source", options.source), ("target", options.references), ("doc_id", options.ids)):
        write_text("".join(f"{line}\n" for line in sentences[column]), path)


if __name__ == "__main__":
    run(main)
