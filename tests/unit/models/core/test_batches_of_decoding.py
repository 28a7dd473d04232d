"""The memory of a search bounds its batches."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from discourse_nmt.models.attention.kv_cache import DROPPING_BLOCK
from discourse_nmt.models.core.beam_search import CachedSteps, longest, search
from discourse_nmt.models.core.inference import decoding_batches, decoding_bytes, padded, translate
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import build
from tests.unit.models.core.test_beam_search import SIZE, make, sources

SETTINGS = DecodingSettings(beam=5, max_length_ratio=1.5, max_length_offset=3)


class Weighed(CachedSteps):
    """Steps that note the most bytes of keys, values and scores."""

    most = 0

    def logits(self, tokens: Tensor) -> Tensor:
        """See :class:`.Steps`."""
        logits = super().logits(tokens)
        assert self.memory.keys_values is not None
        kept = [*self.cache.growing.values(), *self.memory.keys_values.stored.values()]
        bytes_of_states = sum(states.nbytes for states in kept)
        self.most = max(self.most, bytes_of_states + 2 * logits.nbytes)
        return logits


@pytest.mark.parametrize("length", [4, 40])
@pytest.mark.parametrize("layers", [1, 3])
def test_the_estimate_bounds_a_search(length: int, layers: int) -> None:
    """But for the positions that a cache allocates in advance; and half of it is reached."""
    network = make(decoder_layers=layers)
    with torch.inference_mode():
        source = padded(sources([length] * 3), network)
        steps = Weighed(network, network.encode(source))
        steps.cache.drops = False  # the worst case: every position stays live
        search(steps, longest(torch.full((3,), length), SETTINGS), SETTINGS)
    bound = 3 * decoding_bytes(network, length + 2, SETTINGS)
    spare = 3 * layers * 2 * 32 * SETTINGS.beam * network.settings.width * 4
    assert bound / 2 < steps.most <= bound + spare and DROPPING_BLOCK <= 32


@pytest.mark.parametrize(
    "changes",
    [{"beam": 6}, {"max_length_ratio": 2.0}, {"max_length_offset": 4}],
    ids=lambda changes: next(iter(changes)),
)
def test_wider_and_longer_searches_are_larger(changes: dict[str, Any]) -> None:
    network = make()
    assert decoding_bytes(network, 9, replace(SETTINGS, **changes)) > decoding_bytes(network, 9, SETTINGS)


def test_fused_attentions_keep_twice_as_much() -> None:
    sizes = {"width": 16, "heads": 2, "encoder_layers": 1, "decoder_layers": 2, "feed_forward_width": 16}
    plain = build("transformer", sizes, SIZE, SIZE, True)
    fused = build("rst_transformer", {**sizes, "rst_layers": 1}, SIZE, SIZE, True)
    assert isinstance(plain, Transformer) and isinstance(fused, Transformer)
    scores = 4 * 2 * SETTINGS.beam * SIZE
    states = [decoding_bytes(network, 9, SETTINGS) - scores for network in (plain, fused)]
    assert states[1] == 1.5 * states[0]


def test_batches_fit_into_memory() -> None:
    network = make(width=128)
    lengths = [50, 9, 9, 48, 30, 9, 4]
    settings = replace(SETTINGS, memory=2)
    found = list(decoding_batches(network, lengths, settings))
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    for batch, following in zip(found, [*found[1:], []]):
        of_one = decoding_bytes(network, lengths[batch[0]], settings)
        assert len(batch) == 1 or of_one * len(batch) <= 2e6
        assert not following or of_one * (len(batch) + 1) > 2e6
    assert len(found) > 1 and len(list(decoding_batches(network, lengths, SETTINGS))) == 1
    assert [len(batch) for batch in decoding_batches(network, lengths, replace(SETTINGS, batch_tokens=1))] == [1] * 7


def test_memory_changes_batches_but_no_translation() -> None:
    network, ids = make(end=3.0, width=128), sources([50, 9, 9, 48, 30, 9, 4])
    one, several = (dict(translate(network, ids, replace(SETTINGS, memory=memory))) for memory in (100, 2))
    assert {index: [h.ids for h in found] for index, found in one.items()} == {
        index: [h.ids for h in found] for index, found in several.items()
    }
