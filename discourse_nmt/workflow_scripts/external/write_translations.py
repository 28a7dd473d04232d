"""Write the translations of a test set in the order of the corpus files: as text, one sentence per line, and as JSON
lines, one document per line, as the Conference on Machine Translation (WMT) takes submissions.

A document's hypothesis has the lines and paragraphs of its source, where the corpus files tell them, else a line for
each sentence.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pandas as pd

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.corpus.test_sets import read_in_order, translations_of
from discourse_nmt.text.writing_systems import UNSPACED_LANGUAGES, with_gaps
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Read the translations, write the text."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--translations", required=True, help="translations table of the test set")
    add("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    add("--documents", required=True, help="documents table of the test set")
    add("--language", required=True, help="target language")
    add("--output", type=Path, required=True, help="text file of the translations to write")
    add("--submission", type=Path, required=True, help="JSON lines of the translations to write")
    options = parser.parse_args()
    lines = translations_of(read_in_order(options.sentences, options.documents), options.translations)
    write_text("".join(f"{line}\n" for line in lines), options.output)
    documents = read_table(options.documents, "documents")
    write_text("".join(submission(documents, lines, options.language)), options.submission)


def submission(documents: pd.DataFrame, translations: Iterable[str], language: str) -> Iterator[str]:
    """A line of JSON for each row of a table ``documents``, from the ``translations`` of all sentences in order."""
    space = "" if language in UNSPACED_LANGUAGES else " "
    remaining = iter(translations)
    for doc_id, count, gaps in zip(documents["doc_id"], documents["sentences"], documents["gaps"]):
        sentences = list(islice(remaining, count))
        hypothesis = "\n".join(sentences) if gaps is None else with_gaps(sentences, list(gaps), space)
        yield json.dumps({"doc_id": doc_id, "hypothesis": hypothesis}, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    run(main)
