"""Words per CPU-second of the builtin English analysers, with one thread, on the sentences of a text file.

The file holds one sentence per line; it is read again until there are --words words. Prints tokenising, joint
analysis and both together, each as words per CPU-second over the best of --rounds rounds.

    python -m benchmarks.analyser_throughput --text corpus.en
"""

import time
from collections.abc import Callable

import torch

from discourse_nmt.corpus.storage.files import read_text
from discourse_nmt.discourse.analysers.annotation import analyse_texts
from discourse_nmt.discourse.analysers.weights import load_analyser, load_segmenter
from discourse_nmt.workflow_scripts.command import arguments, run


def best(action: Callable[[], object], rounds: int) -> float:
    """Least CPU-seconds of ``rounds`` calls."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--text", required=True, metavar="FILE", help="English, one sentence per line")
    parser.add_argument("--words", type=int, default=30_000, help="words to analyse in a round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the fastest counts")
    parser.add_argument("--weights", default="resources/analysers/en", metavar="FOLDER", help="analyser to measure")
    given = parser.parse_args()
    torch.set_num_threads(1)
    segmenter, analyser = load_segmenter(given.weights), load_analyser(given.weights)
    sentences = read_text(given.text).splitlines()
    document: list[str] = []
    words: list[list[str]] = []
    while sum(map(len, words)) < given.words:
        spans = segmenter.tokenise(sentences)
        words += [[text[start:end] for start, end in ranges] for text, ranges in zip(sentences, spans)]
        document += sentences
    count = sum(map(len, words))
    for name, action in (
        ("tokenising", lambda: segmenter.tokenise(document)),
        ("joint analysis", lambda: analyser.analyse([words])),
        ("both", lambda: analyse_texts([document], segmenter, analyser)),
    ):
        print(f"{name}: {count / best(action, given.rounds):,.0f} words per CPU-second")


if __name__ == "__main__":
    run(main)
