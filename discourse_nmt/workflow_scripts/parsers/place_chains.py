"""Lay annotated chains that come without their text (resources/chinese_chains) over the text that you have: a treebank
with conllu/, coref_conll/ and text/.

    place_chains --chains resources/chinese_chains/held_back --text mine --language zh --output held_back

--text is a folder with NAME.LANGUAGE for each table NAME.tsv of --chains, a line for each of its rows. White space in
the text does not count.
"""

import logging
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.discourse.treebanks.standoff import place_on_text
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.parsers.convert_mmax import write_document


def main() -> None:
    """Parse the arguments, read all documents, write them."""
    parser = arguments(__doc__)
    parser.add_argument("--chains", required=True, metavar="FOLDER", type=Path, help="folder of tables NAME.tsv")
    parser.add_argument("--text", required=True, metavar="FOLDER", type=Path, help="folder of texts NAME.LANGUAGE")
    parser.add_argument("--language", required=True, help="ISO 639-1 code, the ending of the texts")
    parser.add_argument("--output", required=True, metavar="FOLDER", type=Path, help="folder to write")
    options = parser.parse_args()

    tables = sorted(options.chains.glob("*.tsv"))
    if not tables:
        raise InputError("no tables *.tsv", file=options.chains, remedy="correct --chains")
    documents = []
    for table in tables:
        text = options.text / f"{table.stem}.{options.language}"
        documents.append(place_on_text(read_text(table), read_text(text).splitlines(), str(table), str(text)))
    for document in documents:
        write_document(document, options.language, options.output)
    mentions = sum(len(document.mentions) for document in documents)
    logging.info("%d documents, %d mentions", len(documents), mentions)


if __name__ == "__main__":
    run(main)
