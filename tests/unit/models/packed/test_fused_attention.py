"""Attention of a target to the source, fused, beside literal numbers; marks and the units they belong to."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.models.packed.instances import SourceInstance
from discourse_nmt.models.packed.related_attention import FusedAttention, Fusion
from discourse_nmt.models.packed.relations import edu_relation

STATES = torch.tensor([[[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]])
MEMORY = torch.tensor([[[1.0, 1.0], [2.0, -1.0], [0.0, 3.0], [-2.0, 0.0]]])
OWN = torch.tensor([[1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]], dtype=torch.bool)
TREE = torch.tensor([[1, 1, 1, 0], [1, 0, 1, 1], [0, 1, 1, 1]], dtype=torch.bool)


def plain(fusion: Fusion) -> FusedAttention:
    """One head whose projections are the identity, and a gate of one half."""
    attention = FusedAttention(2, 1, 0.0, fusion, "tree").eval()
    for module in attention.modules():
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.weight)
            nn.init.zeros_(module.bias)
    for part in (attention, attention.related):
        assert part is not None
        nn.init.eye_(part.output.weight)
        part.projection.weight.data.copy_(torch.eye(2).repeat(3, 1))
    return attention


def literal(queries: Tensor, allowed: Tensor) -> Tensor:
    """``softmax(q k / sqrt 2) v``, pair by pair."""
    rows = []
    for query, row in zip(queries[0].tolist(), allowed.tolist()):
        seen = [key for key, may in zip(MEMORY[0].tolist(), row) if may]
        weights = [math.exp((query[0] * key[0] + query[1] * key[1]) / math.sqrt(2)) for key in seen]
        rows.append([sum(w * key[axis] for w, key in zip(weights, seen)) / sum(weights) for axis in (0, 1)])
    return torch.tensor([rows])


@pytest.mark.parametrize("fusion", ["serial", "parallel", "mix"])
def test_the_wider_attention_to_the_source_asks_with_the_output_of_the_own_sentence(fusion: Fusion) -> None:
    """Spec 01, section 5, cross-attention: in serial and mix the query is projected from H'_s, keys and values are the
    memory's.
    """
    own = literal(STATES, OWN)
    wide = literal(STATES if fusion == "parallel" else own, TREE)
    wanted = wide if fusion == "serial" else (own + wide) / 2
    masks: Any = {"sentence": OWN, "tree": TREE}  # in the place of plans
    found = plain(fusion).across(STATES, MEMORY, masks)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    assert (literal(STATES, TREE) - literal(own, TREE)).abs().max() > 0.1


def test_marks_belong_to_the_first_and_to_the_last_unit_of_their_sentence() -> None:
    """Overview, section 3: <s> to the first unit, </s> to the last one."""
    ids = [np.array([9, 9, 9]), np.array([9, 9])]
    instance = SourceInstance(ids, [np.array([0, 0, 1]), np.array([2, 3])], np.array([-1, 0, 1, 2]), True)
    units = edu_relation([instance]).unit_of
    assert units.tolist() == [0, 0, 0, 1, 1, 2, 2, 3, 3]
