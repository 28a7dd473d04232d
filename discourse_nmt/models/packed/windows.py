"""Windows: every source sentence with copies of the sentences around it, as a context of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.spans import ranges
from discourse_nmt.models.attention.neighbourhood import Neighbourhood, neighbourhood


@dataclass(frozen=True)
class Window:
    """The relation of a source sentence to itself and those around it: how many ``before`` and how many ``after``.

    Queries and keys are copies of the tokens of each sentence's window, which is a text of its own.
    """

    before: int
    after: int


@dataclass(frozen=True, eq=False, kw_only=True)
class WindowPlan(Neighbourhood):
    """Who attends to whom among C copies of S tokens, and the tokens that are copied."""

    copies: Tensor
    """[C] the token that each copy repeats."""
    context: Tensor
    """[C] bool: whether it is of another sentence than the window's own."""
    current: Tensor
    """[S] the copy of each token in the window of its own sentence."""
    positions: Tensor
    """[1, C] the position of each copy in its window, from 0."""

    def to(self, device: torch.device) -> "WindowPlan":
        """The same plan for states on another device."""
        return replace(
            self,
            device=device,
            copies=self.copies.to(device),
            context=self.context.to(device),
            current=self.current.to(device),
            positions=self.positions.to(device),
        )


def window_plan(window: Window, lengths: Sequence[Sequence[int]]) -> WindowPlan:
    """The plan of a batch of instances whose source sentences have ``lengths`` tokens, marks included."""
    counts = np.concatenate([np.array(instance, np.int64) for instance in lengths])
    starts = np.cumsum(counts) - counts
    sentences, other = _pairs(window, [len(instance) for instance in lengths])
    sizes = counts[other]
    owners, context = np.repeat(sentences, sizes), np.repeat(other != sentences, sizes)
    itself = np.stack([np.arange(len(counts))] * 2, axis=1)
    plan = neighbourhood(owners[None], owners[None], [itself])
    return WindowPlan(
        query_units=plan.query_units,
        key_units=plan.key_units,
        pairs=plan.pairs,
        causal=False,
        device=plan.device,
        copies=torch.from_numpy(ranges(starts[other], starts[other] + sizes)),
        context=torch.from_numpy(context),
        current=torch.from_numpy(np.flatnonzero(~context)),
        positions=torch.from_numpy(np.arange(len(owners)) - np.searchsorted(owners, owners))[None],
    )


def _pairs(window: Window, sentences: Sequence[int]) -> tuple[Integers, Integers]:
    """Each sentence of the batch and those in its window, in the order of the text, as two rows [P]."""
    size = np.array(sentences, np.int64)
    own = np.arange(size.sum())
    first = np.repeat(np.cumsum(size) - size, size)
    last = np.repeat(np.cumsum(size), size) - 1
    begin = np.maximum(first, own - window.before)
    end = np.minimum(last, own + window.after)
    widths = end - begin + 1
    return np.repeat(own, widths), ranges(begin, end + 1)
