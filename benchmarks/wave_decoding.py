"""Speed of decoding in waves against decoding the same documents from left to right, one sentence at a time.

The network is an untrained RST-Transformer, which never ends a sentence, so every translation gets the length of its
source. Trees are random: a text is split between two sentences, again and again, and of two neighbouring parts the
first is the nucleus with probability 0.7; the head of a part is that of its nucleus. Both orders must give the same
translations.
Prints sentences per second of CPU time of each order and of the literal search over the whole document as one sequence,
and their time relative to waves, the median over the documents. Once with trees and once without, where every sentence
sees all before it and waves are left to right.

    python -m benchmarks.wave_decoding
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from corpus.settings import parse_settings
from corpus.vocabulary import SPECIALS
from models.decoding import Hypothesis
from models.encoded_instances import Booleans
from models.neighbourhood import Integers
from models.packed import PackedTransformer
from models.packed_decoding import decode_in_waves
from models.packing import SourceInstance
from models.rst_transformer import RstTransformer
from models.sequence_decoding import decode_as_sequences
from models.settings import DecodingSettings
from models.systems import RstTransformerSettings
from workflow_scripts.command import JsonObject, arguments, run

Decode = Callable[[PackedTransformer, Sequence[SourceInstance], DecodingSettings], list[list[list[Hypothesis]]]]
SIZE = {"width": 256, "heads": 4, "encoder_layers": 3, "decoder_layers": 3, "feed_forward_width": 1024, "rst_layers": 1}


def random_heads(first: int, last: int, heads: Integers, rng: np.random.Generator) -> int:
    """Fill in the heads of the sentences ``first … last``, under a random tree; returns the one at its top."""
    if first == last:
        return first
    middle = int(rng.integers(first, last))
    left, right = random_heads(first, middle, heads, rng), random_heads(middle + 1, last, heads, rng)
    nucleus, satellite = (left, right) if rng.random() < 0.7 else (right, left)
    heads[satellite] = nucleus
    return nucleus


def document(sentences: int, length: int, size: int, rng: np.random.Generator) -> SourceInstance:
    """A random document whose sentences have about ``length`` subwords in two units each."""
    lengths = rng.integers(length - 5, length + 6, sentences)
    heads = np.full(sentences, -1)
    random_heads(0, sentences - 1, heads, rng)
    # The first unit of a sentence stands for it, the second one hangs on the first.
    units = np.stack([np.where(heads < 0, -1, 2 * heads), 2 * np.arange(sentences)], axis=1).ravel()
    edus = [2 * number + (np.arange(count) >= count // 2) for number, count in enumerate(lengths)]
    return SourceInstance([rng.integers(len(SPECIALS), size, count) for count in lengths], edus, units)


def left_to_right(awaited: Booleans) -> Booleans:
    """Every sentence waits for all before it."""
    return np.tril(np.ones_like(awaited), -1)


def timed(
    decode: Decode, model: PackedTransformer, source: SourceInstance, settings: DecodingSettings
) -> tuple[float, list[tuple[int, ...]]]:
    """CPU seconds of this process, which other work on the machine does not change, and the translations."""
    start = time.process_time()
    found = decode(model, [source], settings)[0]
    return time.process_time() - start, [hypotheses[0].ids for hypotheses in found]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--settings", action=JsonObject, default=SIZE, help="settings of the system rst_transformer, as JSON"
    )
    parser.add_argument("--vocabulary-size", type=int, default=8000, help="symbols of the joint vocabulary")
    parser.add_argument("--beam", type=int, default=4, help="hypotheses per sentence")
    parser.add_argument("--length", type=int, default=25, help="mean source subwords per sentence")
    parser.add_argument("--sentences", type=int, default=20, help="sentences per document")
    parser.add_argument("--documents", type=int, default=5, help="documents timed, one after the other")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    size = options.vocabulary_size
    settings = parse_settings(RstTransformerSettings, options.settings, "system rst_transformer")
    decoding = DecodingSettings(beam=options.beam, max_length_ratio=1.0, max_length_offset=1)
    model = RstTransformer(settings, size, size, True).eval()
    documents = [document(options.sentences, options.length, size, rng) for _ in range(options.documents)]

    orders: dict[str, Decode] = {
        "in waves": decode_in_waves,
        "from left to right": partial(decode_in_waves, order=left_to_right),
        "as one sequence": decode_as_sequences,
    }
    decode_in_waves(model, documents[:1], decoding)
    for name, tree in (("with trees", True), ("without trees", False)):
        times = []
        for source in documents:
            found = [timed(decode, model, replace(source, tree=tree), decoding) for decode in orders.values()]
            if found[0][1] != found[1][1]:
                raise SystemExit("waves and left to right differ")
            times.append([seconds for seconds, _ in found])
        for number, order in enumerate(orders):
            rate = options.sentences * len(times) / sum(row[number] for row in times)
            ratio = statistics.median(row[number] / row[0] for row in times)
            print(f"{name}, {order}: {rate:.1f} sentences/s, {ratio:.2f} times the seconds of waves")


if __name__ == "__main__":
    run(main)
