"""Import the translations of a test set by another system: check that they fit it, tokenise them, write a table.

docs/how-to/other-systems.md shows the formats.
"""

from pathlib import Path

import pandas as pd

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.corpus.hypotheses import read_hypotheses
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.text.tokenisers import tokeniser
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Read documents and hypotheses, write the translations table."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--hypotheses", required=True, help="file of the translations, or a pattern with one file per document")
    add("--documents", type=Path, required=True, help="documents table of the test set (Parquet)")
    add("--corpus", required=True, help="name of the corpus, for messages")
    add("--test-set", required=True, help="name of the test set")
    add("--text-settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    add("--output", type=Path, required=True, help="translations table to write (Parquet)")
    options = parser.parse_args()

    documents = read_table(options.documents, "documents")
    lengths = dict(zip(documents["doc_id"], documents["sentences"].tolist()))
    read = read_hypotheses(options.hypotheses, lengths, f"test set {options.test_set} of corpus {options.corpus}")
    tokenise = tokeniser(TextSettings.from_mapping(options.text_settings).target).tokenise
    rows = [
        {"doc_id": document, "sent_id": number, "hypothesis": text, "tokens": tokenise(text).tokens}
        for document, texts in read.items()
        for number, text in enumerate(texts)
    ]
    # One translation of each sentence; its log-probability is unknown.
    write_table(pd.DataFrame(rows).assign(rank=0, score=0.0), options.output, "translations")


if __name__ == "__main__":
    run(main)
