"""Block masks: the same attention as a mask of all positions, from tables of blocks and of units only."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.arrays import Integers
from discourse_nmt.models.attention import block_mask
from discourse_nmt.models.attention.block_mask import BLOCK, attend_in_blocks, takes
from discourse_nmt.models.attention.neighbourhood import NOWHERE, Neighbourhood, neighbourhood


def document(seed: int, length: int, mean: int, padding: int = 0) -> tuple[Integers, Integers]:
    """Units [length] of about ``mean`` positions in a random tree, and the related pairs."""
    rng = np.random.default_rng(seed)
    begins = rng.random(length) < 1 / mean
    begins[0] = False
    units = np.cumsum(begins, dtype=np.int64)
    units[length - padding :] = NOWHERE
    count = int(units.max()) + 1
    heads = np.array([rng.integers(0, unit) for unit in range(1, count)], np.int64)
    arcs = np.stack([np.arange(1, count), heads], axis=1)
    itself = np.stack([np.arange(count)] * 2, axis=1)
    return units, np.concatenate([arcs, arcs[:, ::-1], itself])


def batch(seed: int, length: int, mean: int, causal: bool) -> Neighbourhood:
    """Two documents, the second of which is padded."""
    documents = [document(seed, length, mean), document(seed + 1, length, mean, padding=length // 3)]
    units = np.stack([units for units, _ in documents])
    return neighbourhood(units, units, [pairs for _, pairs in documents], causal)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 1000), st.integers(1, 3 * BLOCK), st.sampled_from([1, 8, 300]), st.booleans())
def test_blocks_and_table_tell_what_the_mask_tells(seed: int, length: int, mean: int, causal: bool) -> None:
    plan = batch(seed, length, mean, causal)
    whole = torch.zeros(2, length, 2, length, dtype=torch.bool)
    for sequence in range(2):
        whole[sequence, :, sequence] = True if plan.mask is None else plan.mask[sequence, 0]
    size = 2 * length
    wanted = whole.reshape(size, size)
    blocks, places = plan.block_mask, torch.arange(size)
    zero = torch.tensor(0)
    torch.testing.assert_close(blocks.mask_mod(zero, zero, places[:, None], places), wanted)

    edge = -(-size // BLOCK)
    counts = torch.zeros(edge, BLOCK, edge, BLOCK, dtype=torch.int64)
    counts.reshape(edge * BLOCK, edge * BLOCK)[:size, :size] = wanted
    counts = counts.sum((1, 3))
    assert blocks.full_kv_num_blocks is not None and blocks.full_kv_indices is not None
    full = listed(blocks.full_kv_num_blocks, blocks.full_kv_indices)
    assert full == set(map(tuple, (counts == BLOCK * BLOCK).nonzero().tolist()))
    partial = listed(blocks.kv_num_blocks, blocks.kv_indices)
    assert not partial & full
    assert partial | full >= set(map(tuple, counts.nonzero().tolist()))


def listed(numbers: torch.Tensor, indices: torch.Tensor) -> set[tuple[int, int]]:
    return {
        (row, int(column)) for row in range(numbers.shape[-1]) for column in indices[0, 0, row, : numbers[0, 0, row]]
    }


def test_blocks_of_unrelated_text_are_left_out() -> None:
    units, pairs = np.arange(32 * BLOCK)[None] // 16, np.arange(2 * BLOCK)
    plan = neighbourhood(units, units, [np.stack([pairs, pairs], axis=1)])
    assert plan.block_mask.kv_num_blocks.tolist() == [[[1] * 32]]


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("causal", [False, True])
def test_FlexAttention_equals_the_mask_on_a_CPU(causal: bool) -> None:
    """Forward only: FlexAttention has no gradients on a CPU."""
    plan = batch(3, BLOCK + 20, 9, causal)
    rng = torch.Generator().manual_seed(1)
    query, keys, values = torch.randn(3, 2, 2, plan.shape[1], 16, generator=rng)
    found = attend_in_blocks(query, keys, values, plan.block_mask)
    wanted = F.scaled_dot_product_attention(query, keys, values, attn_mask=plan.mask)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(("of_keys", "of_values", "wanted"), [(64, 64, True), (128, 64, False), (84, 84, False)])
def test_widths_of_heads_that_the_kernel_takes(of_keys: int, of_values: int, wanted: bool) -> None:
    assert takes(torch.zeros(1, 1, 1, of_keys), torch.zeros(1, 1, 1, of_values)) == wanted


def test_the_kernel_is_compiled_once_for_all_lengths_and_without_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[dict[str, object]] = []

    def compile_kernel(function: object, **options: object) -> object:
        compiled.append(options)
        return function

    monkeypatch.setattr(torch, "compile", compile_kernel)
    block_mask._kernel.__wrapped__("cuda")
    assert compiled == [{"dynamic": True, "options": {"compile_threads": 1}}]
    assert "compile_threads" in torch._inductor.list_options()
