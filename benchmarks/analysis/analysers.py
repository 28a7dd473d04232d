"""Words per CPU-second of the builtin English analysers, with one thread, on the sentences of a text file.

The file holds one sentence per line and is repeated up to --words words. Prints tokenising, joint analysis and both
together, each as words per CPU-second of the fastest of --rounds rounds.

    python -m benchmarks.analysis.analysers --text corpus.en
"""

from collections.abc import Callable, Sequence

import torch

from benchmarks.rounds import alternate
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.discourse.analysers.annotation import analyse_texts
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.workflow_scripts.command import arguments, run

Words = list[list[str]]
"""The words of each sentence."""


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--text", required=True, metavar="FILE", help="English, one sentence per line")
    parser.add_argument("--words", type=int, default=30_000, help="words to analyse in a round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the fastest counts")
    parser.add_argument("--weights", default="resources/analysers/en", metavar="FOLDER", help="analyser to measure")
    options = parser.parse_args()
    torch.set_num_threads(1)
    segmenter, analyser = load_segmenter(options.weights), load_analyser(options.weights)

    def words_of(texts: Sequence[str]) -> Words:
        return [
            [text[start:end] for start, end in spans] for text, spans in zip(texts, segmenter.tokenise(list(texts)))
        ]

    sentences = read_text(options.text).splitlines()
    words = words_of(sentences)
    repeats = -(-options.words // sum(map(len, words)))
    sentences, words = sentences * repeats, words * repeats
    contenders: dict[str, Callable[[int], object]] = {
        "tokenising": lambda number: segmenter.tokenise(sentences[:number]),
        "joint analysis": lambda number: analyser.analyse([words[:number]]),
        "both": lambda number: analyse_texts([sentences[:number]], segmenter, analyser),
    }
    rounds = alternate(contenders, [len(sentences)] * options.rounds, warm_up=1)
    for name in contenders:
        print(f"{name}: {sum(map(len, words)) / rounds.best(name):,.0f} words per CPU-second")
    print(rounds.conditions)


if __name__ == "__main__":
    run(main)
