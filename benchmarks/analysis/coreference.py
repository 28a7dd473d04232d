"""Words per CPU-second of the coreference resolver, with one thread, on documents with syntax in CoNLL-U.

The documents are repeated up to --words words. Prints words per CPU-second of the fastest of --rounds rounds. Syntax is
read, not analysed.

    python -m benchmarks.analysis.coreference --annotated annotated.conllu
"""

import torch

from benchmarks.rounds import alternate
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.parsers.train_coreference import read_syntax


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--annotated", nargs="+", required=True, metavar="PATTERN", help="CoNLL-U with # newdoc id")
    parser.add_argument("--words", type=int, default=60_000, help="words to resolve in a round")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the fastest counts")
    parser.add_argument("--weights", default="resources/analysers/en", metavar="FOLDER", help="resolver to measure")
    options = parser.parse_args()
    torch.set_num_threads(1)
    resolver = load_resolver(options.weights)
    documents = list(read_syntax(options.annotated).values())
    words = sum(len(sentence.forms) for document in documents for sentence in document)
    repeats = max(1, -(-options.words // max(words, 1)))

    def resolve(times: int) -> None:
        for _ in range(times):
            resolver.resolve(documents)

    rounds = alternate({"coreference": resolve}, [repeats] * options.rounds, warm_up=1)
    print(f"coreference: {repeats * words / rounds.best('coreference'):,.0f} words per CPU-second")
    print(rounds.conditions)


if __name__ == "__main__":
    run(main)
