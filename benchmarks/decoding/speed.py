"""Speed of beam search with key-value caches against the same search with a full forward pass per step.

An untrained model never ends a sentence, so every translation is as long as the limit allows: about as long as its
source. Both searches must return the same translations. Prints output subwords per CPU-second of each, and the median
over the batches of uncached time / cached time (above 1: the cache is faster).

    python -m benchmarks.decoding.speed
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from benchmarks.options import begin, model_arguments
from benchmarks.rounds import alternate
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.vocabulary import SPECIALS
from discourse_nmt.models.core.beam_search import CachedSteps, Hypothesis, Steps, longest, search
from discourse_nmt.models.core.inference import padded
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.workflow_scripts.command import run


class UncachedSteps:
    """The control: it stores the tokens of each hypothesis and decodes all of them again at every step."""

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
    steps: Callable[[Transformer, Memory], Steps], model: Transformer, settings: DecodingSettings, source_ids: Tensor
) -> list[list[Hypothesis]]:
    """The hypotheses of each sentence of a batch [B, T]."""
    with torch.inference_mode():
        lengths = (source_ids >= len(SPECIALS)).sum(dim=1)
        return search(steps(model, model.encode(source_ids)), longest(lengths, settings), settings)


def main() -> None:
    parser = model_arguments(__doc__)
    parser.add_argument("--beam", type=int, default=4, help="hypotheses per sentence")
    parser.add_argument("--length", type=int, default=25, help="mean source subwords per sentence")
    parser.add_argument("--sentences", type=int, default=32, help="sentences per batch")
    parser.add_argument("--batches", type=int, default=3, help="batches timed")
    options, _ = begin(parser)
    size = options.vocabulary_size
    settings = parse_settings(TransformerSettings, options.settings, "system transformer")
    decoding = DecodingSettings(beam=options.beam, max_length_ratio=1.0, max_length_offset=1)
    model = Transformer(settings, size, size, True).eval()
    batches = []
    for _ in range(options.batches):
        lengths = torch.randint(options.length - 5, options.length + 6, (options.sentences,)).tolist()
        batches.append(padded([torch.randint(len(SPECIALS), size, (n,)).tolist() for n in lengths], model))
    searches = {
        "cached": partial(translate, CachedSteps, model, decoding),
        "uncached": partial(translate, UncachedSteps, model, decoding),
    }
    rounds = alternate(searches, batches, warm_up=batches[0][:1])
    ids = {
        name: [[[hypothesis.ids for hypothesis in sentence] for sentence in batch] for batch in rounds.results[name]]
        for name in searches
    }
    if ids["cached"] != ids["uncached"]:
        raise SystemExit("the two searches differ")
    subwords = sum(len(sentence[0]) for batch in ids["cached"] for sentence in batch)
    for name in searches:
        rates = subwords / rounds.total(name), options.sentences * len(batches) / rounds.total(name)
        print(f"{name}: {rates[0]:.0f} subwords and {rates[1]:.1f} sentences per CPU-second")
    print(f"median ratio over {len(batches)} batches: {rounds.ratio('cached', 'uncached'):.1f}")
    print(rounds.conditions)


if __name__ == "__main__":
    run(main)
