"""Speed of beam search with key-value caches against the same search with a full forward pass per step.

An untrained model never ends a sentence, so every translation gets the length that the limit allows: about
that of its source. Both searches must return the same translations. Prints output subwords per second of
each, and the median ratio over the batches (above 1: the cache is faster).

    python -m benchmarks.decoding_speed
"""

import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor

from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.corpus.vocabulary import SPECIALS
from discourse_nmt.models.core.beam_search import CachedSteps, Hypothesis, Steps, longest, search
from discourse_nmt.models.core.inference import padded
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

SIZE = {"width": 256, "heads": 4, "encoder_layers": 3, "decoder_layers": 3, "feed_forward_width": 1024}


class UncachedSteps:
    """The control: keeps each hypothesis as its tokens and reads all of them again at every step."""

    def __init__(self, model: Transformer, memory: Memory) -> None:
        self.model = model
        self.memory = memory
        self.prefixes = torch.empty(0)

    def logits(self, tokens: Tensor) -> Tensor:
        """See :class:`.Steps`."""
        self.prefixes = tokens[:, None] if not len(self.prefixes) else torch.cat((self.prefixes, tokens[:, None]), 1)
        return self.model.logits(self.model.decode(self.prefixes, self.memory)[:, -1])

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`.Steps`."""
        prefixes = self.prefixes.unflatten(0, (len(self.memory.states), -1))  # (B, r, T)
        if sentences is not None:
            self.memory = self.memory.select(sentences)
            prefixes = prefixes[sentences]
        self.prefixes = prefixes.take_along_dim(parents[:, :, None], dim=1).flatten(0, 1)


def translate(
    make: Callable[[Transformer, Memory], Steps],
    model: Transformer,
    source_ids: Tensor,
    settings: DecodingSettings,
) -> tuple[list[list[Hypothesis]], float]:
    """Translations of a batch and the seconds they took."""
    start = time.perf_counter()
    with torch.inference_mode():
        lengths = (source_ids >= len(SPECIALS)).sum(dim=1)
        found = search(make(model, model.encode(source_ids)), longest(lengths, settings), settings)
    return found, time.perf_counter() - start


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument(
        "--settings", action=JsonObject, default=SIZE, help="settings of the system transformer, as JSON"
    )
    parser.add_argument("--vocabulary-size", type=int, default=8000, help="symbols of the joint vocabulary")
    parser.add_argument("--beam", type=int, default=4, help="hypotheses per sentence")
    parser.add_argument("--length", type=int, default=25, help="mean source subwords per sentence")
    parser.add_argument("--sentences", type=int, default=32, help="sentences per batch")
    parser.add_argument("--batches", type=int, default=3, help="batches timed")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    size = options.vocabulary_size
    settings = parse_settings(TransformerSettings, options.settings, "system transformer")
    decoding = DecodingSettings(beam=options.beam, max_length_ratio=1.0, max_length_offset=1)
    model = Transformer(settings, size, size, True).eval()
    times, subwords = [], 0
    for _ in range(options.batches):
        lengths = torch.randint(options.length - 5, options.length + 6, (options.sentences,)).tolist()
        source_ids = padded([torch.randint(len(SPECIALS), size, (n,)).tolist() for n in lengths], model)
        cached, cached_seconds = translate(CachedSteps, model, source_ids, decoding)
        uncached, uncached_seconds = translate(UncachedSteps, model, source_ids, decoding)
        if [[h.ids for h in sentence] for sentence in cached] != [[h.ids for h in sentence] for sentence in uncached]:
            raise SystemExit("the two searches differ")
        times.append((cached_seconds, uncached_seconds))
        subwords += sum(len(sentence[0].ids) for sentence in cached)
    for name, total in zip(("cached", "uncached"), (sum(pair) for pair in zip(*times))):
        sentences = options.sentences * len(times)
        print(f"{name}: {subwords / total:.0f} subwords/s, {sentences / total:.1f} sentences/s")
    print(f"median ratio over {len(times)} batches: {statistics.median(b / a for a, b in times):.1f}")


if __name__ == "__main__":
    run(main)
