"""Words per CPU-second of the coreference resolver, with one thread, on documents with syntax in CoNLL-U.

The documents are resolved again and again until there are --words words. Prints words per CPU-second over the best of
--rounds rounds; analysing the syntax is not counted.

    python -m benchmarks.coreference_throughput --annotated annotated.conllu
"""

import time

import torch

from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.parsers.train_coreference import read_syntax


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--annotated", nargs="+", required=True, metavar="PATTERN", help="CoNLL-U with # newdoc id")
    parser.add_argument("--words", type=int, default=60_000, help="words to resolve in a round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the fastest counts")
    parser.add_argument("--weights", default="resources/analysers/en", metavar="FOLDER", help="resolver to measure")
    given = parser.parse_args()
    torch.set_num_threads(1)
    resolver = load_resolver(given.weights)
    documents = list(read_syntax(given.annotated).values())
    words = sum(len(sentence.forms) for document in documents for sentence in document)
    times = max(1, -(-given.words // max(words, 1)))
    seconds = []
    for _ in range(given.rounds):
        began = time.process_time()
        for _ in range(times):
            resolver.resolve(documents)
        seconds.append(time.process_time() - began)
    print(f"coreference: {times * words / min(seconds):,.0f} words per CPU-second")


if __name__ == "__main__":
    run(main)
