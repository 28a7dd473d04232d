"""Import the translations of a test set by another system: check or align them, tokenise them, write tables.

An output with a text for each document is aligned with the sentences of the test set.
docs/how-to/other-systems.md shows the formats.
"""

from pathlib import Path

import pandas as pd

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.documents import UNKNOWN
from discourse_nmt.corpus.outputs import read_output
from discourse_nmt.corpus.test_sets import paragraphs_of, read_in_order
from discourse_nmt.quality.languages import other_language
from discourse_nmt.sentence_alignment.output import AlignedOutput, align_outputs, alignment_table
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.text.tokenisers import tokeniser
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Read sentences and hypotheses, write the tables of translations and of the alignment."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--hypotheses", required=True, help="file of the translations, or a pattern with one file per document")
    add("--documents", type=Path, required=True, help="documents table of the test set (Parquet)")
    add("--sentences", nargs="+", required=True, help="sentences tables of the test set, every shard")
    add("--corpus", required=True, help="name of the corpus, for messages")
    add("--test-set", required=True, help="name of the test set")
    add("--text-settings", action=JsonObject, required=True, help="section text with languages, as JSON")
    add("--alignment", type=Path, required=True, help="output_alignment table to write (Parquet)")
    add("--output", type=Path, required=True, help="translations table to write (Parquet)")
    options = parser.parse_args()

    sentences = read_in_order(options.sentences, options.documents)
    sources, references = (
        {str(document): texts.tolist() for document, texts in sentences.groupby("doc_id", sort=False)[side]}
        for side in ("source", "target")
    )
    lengths = {document: len(texts) for document, texts in sources.items()}
    output = read_output(options.hypotheses, lengths, f"test set {options.test_set} of corpus {options.corpus}")
    settings = TextSettings.from_mapping(options.text_settings)
    aligned: dict[str, AlignedOutput] = {}
    if output.texts:
        aligned = align_outputs(
            sources,
            output.texts,
            references if sentences["target"].any() and not sentences["target"].eq(UNKNOWN).any() else None,
            lambda text: other_language([text], settings.target.language),
            paragraphs_of(options.documents),
        )
    lines = output.sentences or {document: one.lines for document, one in aligned.items()}
    tokenise = tokeniser(settings.target).tokenise
    rows = [
        {"doc_id": document, "sent_id": number, "hypothesis": text, "tokens": tokenise(text).tokens}
        for document, texts in lines.items()
        for number, text in enumerate(texts)
    ]
    # One translation of each sentence; its log-probability is unknown.
    write_table(pd.DataFrame(rows).assign(rank=0, score=0.0), options.output, "translations")
    write_table(alignment_table(aligned), options.alignment, "output_alignment")


if __name__ == "__main__":
    run(main)
