"""Speed of decoding in waves against two ways of decoding the same documents from left to right, with the same model.

- *sentence by sentence*: the decoder of the waves, where each sentence waits for all before it. Same translations.
- *as one sequence*: the literal search of the papers, in which the whole document is one hypothesis.

The network is an untrained RST-Transformer, which never ends a sentence, so every translation gets the length of its
source. Documents and trees are random (:mod:`benchmarks.random_documents`); 20 sentences take 5.6 waves on average, and
5.5 in GUM. Prints for each way sentences per second of CPU time, and its time relative to waves, the median over the
documents, each decoded in all three ways in turn. Once with trees, and once, for the first documents, without, where
every sentence sees all before it and waves are sentence by sentence too.

    python -m benchmarks.wave_decoding
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from benchmarks.random_documents import SIZE, begin, document, model_arguments
from discourse_nmt.corpus.arrays import Booleans
from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.packed.decoding.encoded import encode_instances
from discourse_nmt.models.packed.decoding.sequence import decode_as_sequences
from discourse_nmt.models.packed.decoding.waves import awaited, decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import SourceInstance
from discourse_nmt.models.packed.rst_transformer import RstTransformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.packed import RstTransformerSettings
from discourse_nmt.workflow_scripts.command import run

Decode = Callable[[PackedTransformer, Sequence[SourceInstance], DecodingSettings], list[list[list[Hypothesis]]]]


def random_document(sentences: int, length: int, size: int, rng: np.random.Generator) -> SourceInstance:
    """A document whose sentences have about ``length`` subwords, in units of about ten."""
    made = document(rng.integers(length - 5, length + 6, sentences), 10, size, rng)
    return SourceInstance(made.source, made.edus, made.heads)


def waves(model: PackedTransformer, source: SourceInstance, settings: DecodingSettings) -> int:
    """The longest chain of sentences of which each waits for the one before it."""
    awaits = awaited(model, encode_instances(model, [source], settings))
    numbers = np.zeros(len(awaits), np.int64)
    for sentence, earlier in enumerate(awaits):
        numbers[sentence] = 1 + numbers[earlier].max(initial=0)
    return int(numbers.max())


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
    parser = model_arguments(__doc__, "rst_transformer", {**SIZE, "rst_layers": 1})
    parser.add_argument("--beam", type=int, default=4, help="hypotheses per sentence")
    parser.add_argument("--length", type=int, default=25, help="mean source subwords per sentence")
    parser.add_argument("--documents", type=int, default=10, help="documents timed, one after the other")
    parser.add_argument("--treeless", type=int, default=2, help="of them also timed without trees")
    options, rng = begin(parser)
    size = options.vocabulary_size
    settings = parse_settings(RstTransformerSettings, options.settings, "system rst_transformer")
    decoding = DecodingSettings(beam=options.beam, max_length_ratio=1.0, max_length_offset=1)
    model = RstTransformer(settings, size, size, True).eval()
    documents = [random_document(options.sentences, options.length, size, rng) for _ in range(options.documents)]

    orders: dict[str, Decode] = {
        "in waves": decode_in_waves,
        "left to right, sentence by sentence": partial(decode_in_waves, order=left_to_right),
        "left to right, as one sequence": decode_as_sequences,
    }
    decode_in_waves(model, documents[:1], decoding)
    with torch.inference_mode():
        numbers = [waves(model, source, decoding) for source in documents]
    print(f"waves of the documents with trees: {sorted(numbers)}, {statistics.mean(numbers):.1f} on average")
    for name, tree, count in (("with trees", True, options.documents), ("without trees", False, options.treeless)):
        times = []
        for source in documents[:count]:
            found = [timed(decode, model, replace(source, tree=tree), decoding) for decode in orders.values()]
            if found[0][1] != found[1][1]:
                raise SystemExit("waves and sentence by sentence differ")
            times.append([seconds for seconds, _ in found])
        for number, order in enumerate(orders if times else ()):
            rate = options.sentences * len(times) / sum(row[number] for row in times)
            ratio = statistics.median(row[number] / row[0] for row in times)
            print(f"{name}, {order}: {rate:.1f} sentences/s, {ratio:.2f} times the seconds of waves", flush=True)


if __name__ == "__main__":
    run(main)
