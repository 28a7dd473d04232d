"""Discourse units per CPU-second of the builtin RST parser, with one thread, on the sentences of a text file.

The file holds one sentence per line and is cut into documents; sentences and syntax are made first and not counted.
Prints the best of --rounds rounds.

    python -m benchmarks.rst_throughput --text corpus.en
"""

import torch

from benchmarks.analyser_throughput import best
from discourse_nmt.corpus.storage.files import read_text
from discourse_nmt.discourse.analysers.analyser import states_of
from discourse_nmt.discourse.analysers.annotation import analyse_texts
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.weights import load_rst_parser
from discourse_nmt.discourse.structures.mentions import edus_of_starts
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--text", required=True, metavar="FILE", help="English, one sentence per line")
    parser.add_argument("--sentences", type=int, default=60, help="sentences of a document")
    parser.add_argument("--documents", type=int, default=30, help="documents to parse in a round, at most")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the fastest counts")
    parser.add_argument("--weights", default="resources/analysers/en", metavar="FOLDER", help="parser to measure")
    given = parser.parse_args()
    torch.set_num_threads(1)
    lines = [line for line in read_text(given.text).splitlines() if line.strip()]
    texts = [lines[first : first + given.sentences] for first in range(0, len(lines), given.sentences)]
    analyser = load_analyser(given.weights)
    words = analyse_texts(texts[: given.documents], load_segmenter(given.weights), analyser)[1]
    documents = []
    for analyses in analyser.analyse([[one.forms for one in page] for page in words], states=True):
        documents.append(
            ParserInput(analyses, edus_of_starts([one.edu_starts for one in analyses]), states_of(analyses))
        )
    rst = load_rst_parser(given.weights)
    units = sum(len(document.edus) for document in documents)
    rate = units / best(lambda: rst.parse(documents), given.rounds)
    print(f"{len(documents)} documents, {units:,} units: {rate:,.0f} units per CPU-second")


if __name__ == "__main__":
    run(main)
