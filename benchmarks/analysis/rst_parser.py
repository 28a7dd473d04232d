"""Discourse units per CPU-second of the builtin RST parser, with one thread, on the sentences of a text file.

The file holds one sentence per line and is cut into documents. Words and syntax are analysed before and not counted.
Prints the rate of the fastest of --rounds rounds.

    python -m benchmarks.analysis.rst_parser --text corpus.en
"""

import torch

from benchmarks.rounds import alternate
from discourse_nmt.base.storage.files import read_text
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
    options = parser.parse_args()
    torch.set_num_threads(1)
    lines = [line for line in read_text(options.text).splitlines() if line.strip()]
    texts = [lines[first : first + options.sentences] for first in range(0, len(lines), options.sentences)]
    analyser = load_analyser(options.weights)
    syntax = analyse_texts(texts[: options.documents], load_segmenter(options.weights), analyser)[1]
    documents = []
    for analyses in analyser.analyse([[sentence.forms for sentence in text] for text in syntax], states=True):
        edus = edus_of_starts([sentence.edu_starts for sentence in analyses])
        documents.append(ParserInput(analyses, edus, states_of(analyses)))
    parser_of_trees = load_rst_parser(options.weights)
    units = sum(len(document.edus) for document in documents)
    rounds = alternate({"RST parser": parser_of_trees.parse}, [documents] * options.rounds, warm_up=documents[:1])
    rate = units / rounds.best("RST parser")
    print(f"{len(documents)} documents, {units:,} units: {rate:,.0f} units per CPU-second")
    print(rounds.conditions)


if __name__ == "__main__":
    run(main)
