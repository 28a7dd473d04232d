"""Speed of decoding in waves against two ways of decoding the same documents from left to right, with the same model.

- *sentence by sentence*: the decoder of the waves, where each sentence waits for all before it. Same translations.
- *as one sequence*: the literal search of the papers, in which the whole document is one hypothesis.

And of each sentence after the references of the earlier ones (``target_context: references``), where none waits.

The network is an untrained RST-Transformer, which never ends a sentence, so every translation gets the length of its
source. Documents and trees are random (:mod:`benchmarks.random_documents`); 20 sentences take 5.6 waves on average, and
5.5 in GUM. Each document is decoded in all four ways in turn. Prints for each way sentences per CPU-second, and its
time relative to waves, the median over the documents: first with trees, then, for the first documents, without. Without
trees every sentence sees all before it, so that waves are decoded sentence by sentence, too.

    python -m benchmarks.decoding.waves
"""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch

from benchmarks.options import SIZE, begin, model_arguments
from benchmarks.random_documents import document
from benchmarks.rounds import alternate
from discourse_nmt.base.arrays import Booleans
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.packed.decoding.encoded import encode_instances
from discourse_nmt.models.packed.decoding.sequence import decode_as_sequences
from discourse_nmt.models.packed.decoding.waves import awaited, decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.rst_transformer import RstTransformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.packed import RstTransformerSettings
from discourse_nmt.workflow_scripts.command import run

Decode = Callable[[PackedTransformer, Sequence[Instance], DecodingSettings], list[list[list[Hypothesis]]]]


def random_document(sentences: int, length: int, size: int, rng: np.random.Generator) -> Instance:
    """A document whose sentences have about ``length`` subwords, in units of about ten."""
    return document(rng.integers(length - 5, length + 6, sentences), 10, size, rng)


def waves(model: PackedTransformer, source: Instance, settings: DecodingSettings) -> int:
    """Number of waves: the length of the longest chain of sentences each of which waits for the one before it."""
    awaits = awaited(model, encode_instances(model, [source], settings))
    wave_of_sentence = np.zeros(len(awaits), np.int64)
    for sentence, earlier in enumerate(awaits):
        wave_of_sentence[sentence] = 1 + wave_of_sentence[earlier].max(initial=0)
    return int(wave_of_sentence.max())


def left_to_right(awaited: Booleans) -> Booleans:
    """Every sentence waits for all before it."""
    return np.tril(np.ones_like(awaited), -1)


def after_references(
    model: PackedTransformer, sources: Sequence[Instance], settings: DecodingSettings
) -> list[list[list[Hypothesis]]]:
    """Every sentence after the references of all before it."""
    return decode_in_waves(model, sources, replace(settings, target_context="references"))


def translations(
    decode: Decode, model: PackedTransformer, settings: DecodingSettings, source: Instance
) -> list[tuple[int, ...]]:
    """The best translation of each sentence of a document."""
    return [hypotheses[0].ids for hypotheses in decode(model, [source], settings)[0]]


def main() -> None:
    parser = model_arguments(__doc__, "rst_transformer", {**SIZE, "rst_layers": 1})
    parser.add_argument("--sentences", type=int, default=20, help="sentences per document")
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

    in_waves, by_sentence = "in waves", "left to right, sentence by sentence"
    orders: dict[str, Decode] = {
        in_waves: decode_in_waves,
        by_sentence: partial(decode_in_waves, order=left_to_right),
        "left to right, as one sequence": decode_as_sequences,
        "after references": after_references,
    }
    decoders = {name: partial(translations, decode, model, decoding) for name, decode in orders.items()}
    with torch.inference_mode():
        counts = sorted(waves(model, source, decoding) for source in documents)
    print(f"waves of the documents with trees: {counts}, {statistics.mean(counts):.1f} on average")
    short = random_document(2, options.length, size, rng)
    for name, tree, count in (("with trees", True, options.documents), ("without trees", False, options.treeless)):
        if not count:
            continue
        rounds = alternate(decoders, [replace(source, tree=tree) for source in documents[:count]], warm_up=short)
        if rounds.results[in_waves] != rounds.results[by_sentence]:
            raise SystemExit("waves and sentence by sentence differ")
        for order in orders:
            rate = options.sentences * count / rounds.total(order)
            ratio = rounds.ratio(in_waves, order)
            print(f"{name}, {order}: {rate:.1f} sentences per CPU-second, {ratio:.2f} times the seconds of waves")
        print(rounds.conditions, flush=True)


if __name__ == "__main__":
    run(main)
