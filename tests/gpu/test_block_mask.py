"""FlexAttention, compiled: `make test-gpu`, on a machine with a GPU."""

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Integers
from discourse_nmt.models.attention.gathered_attention import attend_gathered
from discourse_nmt.models.attention.multi_head import attend, path_of
from discourse_nmt.models.attention.neighbourhood import NOWHERE, Neighbourhood, neighbourhood

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


def tree(rng: np.random.Generator, length: int) -> tuple[Integers, Integers]:
    """Units [length] of about ten positions, the last ten of them padding, and the pairs of a random tree."""
    units = np.arange(length) // 10
    units[length - 10 :] = NOWHERE
    count = int(units.max()) + 1
    arcs = np.array([(unit, rng.integers(0, unit)) for unit in range(1, count)])
    return units, np.concatenate([arcs, arcs[:, ::-1], np.stack([np.arange(count)] * 2, axis=1)])


def gradients(result: Tensor, states: list[Tensor]) -> tuple[Tensor, ...]:
    return torch.autograd.grad((result**2).sum(), states)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("length", [700, 2000, 2049])
def test_blocks_equal_the_gathers(length: int, causal: bool) -> None:
    rng = np.random.default_rng(length)
    documents = [tree(rng, length) for _ in range(2)]
    units = np.stack([units for units, _ in documents])
    plan: Neighbourhood = neighbourhood(units, units, [pairs for _, pairs in documents], causal)
    plan = plan.to(torch.device("cuda"))
    assert path_of(plan, 0.0) == "blocks"
    generator = torch.Generator("cuda").manual_seed(1)
    states = [torch.randn(2, 8, length, 64, generator=generator, device="cuda").requires_grad_() for _ in range(3)]
    found = attend(states[0], states[1], states[2], plan, causal=False, dropout=0.0)
    wanted = attend_gathered(states[0], states[1], states[2], plan.gathering, dropout=0.0)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    for ours, theirs in zip(gradients(found, states), gradients(wanted, states)):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)
