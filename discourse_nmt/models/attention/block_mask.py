"""Block masks for FlexAttention (Dong et al. 2024, "Flex Attention: a programming model for optimized kernels").

The kernel works on square blocks of queries and keys, and skips blocks without a related pair. The others follow from
the blocks that each unit lies in, so that no mask of queries x keys is built: the largest tables have one entry for
each pair of blocks and one for each pair of units.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, flex_attention

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.spans import ranges
from discourse_nmt.models.attention.units import NOWHERE

BLOCK = 128  # queries and keys of a block, the kernel's own default
WIDTHS = (16, 32, 64, 128, 256)  # of a head


@dataclass(frozen=True)
class _Cells:
    """Positions of a unit in a block, counted and sorted by unit: cells ``starts[u] : starts[u] + counts[u]``."""

    blocks: Integers
    sizes: Integers
    starts: Integers
    counts: Integers

    @property
    def stops(self) -> Integers:
        """Where the cells of each unit end."""
        return self.starts + self.counts


def relation_table(pairs: Integers, units: int) -> Booleans:
    """Which units are related, [units + 1, units + 1]; the last row and column are those of :data:`NOWHERE`."""
    related = np.zeros((units + 1, units + 1), bool)
    related[pairs[:, 0], pairs[:, 1]] = True
    return related


def block_mask(
    query_units: Integers, key_units: Integers, pairs: Integers, units: int, causal: bool, device: torch.device
) -> BlockMask:
    """The block mask of a flattened batch.

    ``query_units`` [Q] and ``key_units`` [K] hold one of ``units`` units for each position, or :data:`NOWHERE`;
    ``pairs`` [P, 2] are the related ones. ``causal`` hides the keys after a query's own position.
    """
    counts = _pairs_of_blocks(query_units, key_units, pairs, units)
    full = counts == BLOCK * BLOCK
    if causal:
        counts, full = np.tril(counts), np.tril(full, -1)
    related = torch.from_numpy(relation_table(pairs, units)).to(device)
    rows, columns = (
        torch.from_numpy(np.where(unit_of == NOWHERE, units, unit_of)).to(device)
        for unit_of in (query_units, key_units)
    )

    def allowed(batch: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        visible = related[rows[query], columns[key]]
        return visible & (key <= query) if causal else visible

    return BlockMask.from_kv_blocks(
        *_listed((counts > 0) & ~full, device),
        *_listed(full, device),
        BLOCK_SIZE=BLOCK,
        mask_mod=allowed,
        seq_lengths=(len(query_units), len(key_units)),
    )


def takes(keys: Tensor, values: Tensor) -> bool:
    """Whether the kernel is used for heads of these widths: equal ones, powers of two; it is compiled for each."""
    return keys.shape[-1] == values.shape[-1] and keys.shape[-1] in WIDTHS


def attend_in_blocks(query: Tensor, keys: Tensor, values: Tensor, mask: BlockMask) -> Tensor:
    """Attention [B, h, Q, d_k] where the ``mask`` over the flattened batch allows; zeros for a query without keys.

    ``keys`` and ``values`` are [B, h, K, d_k]. The kernel is compiled on a GPU; elsewhere the function that defines it
    runs as it stands, which builds all scores and is there for tests.
    """
    flat = [states.transpose(0, 1).flatten(1, 2)[None] for states in (query, keys, values)]
    mixed = _kernel(query.device.type)(*flat, block_mask=mask)
    assert isinstance(mixed, Tensor)
    return mixed[0].unflatten(1, (query.shape[0], query.shape[2])).transpose(0, 1)


@functools.cache
def _kernel(device: str) -> Callable[..., object]:
    if device != "cuda":
        return flex_attention
    # The lengths differ from batch to batch, and each must not compile anew. With more threads the compiler starts
    # processes, which found no GPU on an H100 that processes shared by MPS; there are two kernels only.
    return torch.compile(flex_attention, dynamic=True, options={"compile_threads": 1})


def _pairs_of_blocks(query_units: Integers, key_units: Integers, pairs: Integers, units: int) -> Integers:
    """Number of related (query, key) in each block of queries and block of keys, [query blocks, key blocks]."""
    queries, keys = _cells(query_units, units), _cells(key_units, units)
    # All cells of a pair's query unit, each with all cells of its key unit.
    left = ranges(queries.starts[pairs[:, 0]], queries.stops[pairs[:, 0]])
    key_of_left = np.repeat(pairs[:, 1], queries.counts[pairs[:, 0]])
    right = ranges(keys.starts[key_of_left], keys.stops[key_of_left])
    left = np.repeat(left, keys.counts[key_of_left])
    rows, columns = (-(-len(unit_of) // BLOCK) for unit_of in (query_units, key_units))
    sums = np.bincount(
        queries.blocks[left] * columns + keys.blocks[right],
        weights=queries.sizes[left] * keys.sizes[right],
        minlength=rows * columns,
    )
    return sums.astype(np.int64).reshape(rows, columns)


def _cells(unit_of: Integers, units: int) -> _Cells:
    width = -(-len(unit_of) // BLOCK)
    real = np.flatnonzero(unit_of != NOWHERE)
    cells, sizes = np.unique(unit_of[real] * width + real // BLOCK, return_counts=True)
    counts = np.bincount(cells // width, minlength=units)
    return _Cells(cells % width, sizes, np.cumsum(counts) - counts, counts)


def _listed(chosen: Booleans, device: torch.device) -> tuple[Tensor, Tensor]:
    """The number of ``chosen`` key blocks of each query block, and the indices of key blocks, the chosen ones first."""
    indices = np.argsort(~chosen, axis=1, kind="stable")
    return tuple(torch.from_numpy(table.astype(np.int32))[None, None].to(device) for table in (chosen.sum(1), indices))  # type: ignore[return-value]
