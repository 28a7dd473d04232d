"""The parts between the attentions: dropout, the residual wrapper, the gate and the feed-forward block."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.sublayers.products import product

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


class Linear(nn.Linear):
    """A linear layer of which a range of outputs may be computed alone."""

    def forward(self, states: Tensor) -> Tensor:
        """``states`` [..., inputs] to [..., outputs]."""
        return product(states, self.weight, self.bias)

    def activated(self, states: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
        """The ``activation`` of the outputs of ``states`` [..., inputs]."""
        return activation(self(states))

    def outputs(self, states: Tensor, first: int, last: int) -> Tensor:
        """The outputs ``first`` … ``last - 1`` of ``states`` [..., inputs]."""
        return product(states, self.weight[first:last], None if self.bias is None else self.bias[first:last])


def linear(inputs: int, outputs: int, parts: int = 1, bias: bool = True) -> Linear:
    """A linear layer, Glorot-uniform with zero bias; each of ``parts`` equal blocks of outputs counts as a matrix."""
    layer = Linear(inputs, outputs, bias)
    for block in layer.weight.data.chunk(parts):
        nn.init.xavier_uniform_(block)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def split_heads(states: Tensor, heads: int) -> Tensor:
    """``states`` [B, T, h * d_k] by head: [B, h, T, d_k]."""
    return states.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(states: Tensor) -> Tensor:
    """The heads [B, h, T, d_k] of states side by side: [B, T, h * d_k]."""
    return states.transpose(1, 2).flatten(-2)


@torch.no_grad()
def begin_alike(query: Tensor, key: Tensor) -> None:
    """Initialise attention to prefer keys that are similar to the query: both matrices become twice ``query``.

    With two random matrices attention begins spread over all keys, and the mean of a whole paragraph is nearly the same
    for all queries.
    """
    query.mul_(2.0)
    key.copy_(query)


@torch.no_grad()
def begin_copying(value: Tensor, output: Tensor) -> None:
    """Initialise attention to return the states that it attends to: both matrices [d, d] become the identity.

    A trained decoder can read the states of its encoder, but not a random projection of them.
    """
    nn.init.eye_(value)
    nn.init.eye_(output)


class Residual(nn.Module):
    """A block with its residual connection, dropout and layer normalisation.

    ``post``: ``norm(x + dropout(block(x)))`` (Vaswani et al. 2017); ``pre``: ``x + dropout(block(norm(x)))``.
    """

    def __init__(self, width: int, dropout: float, norm: str) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.dropout = Dropout(dropout)
        self.before = norm == "pre"

    def forward(self, states: Tensor, block: Callable[[Tensor], Tensor]) -> Tensor:
        """``states`` [..., d] through ``block``, which keeps the shape."""
        if self.before:
            return states + self.dropout(block(self.norm(states)))
        normed: Tensor = self.norm(states + self.dropout(block(states)))
        return normed


PASSING = 9.0
"""Bias of a gate that passes on the sentence model's states: the others' share is 0.0001.

It changes logits by a few thousandths. With a share of zero, which is exact, the new blocks would never learn; with
0.00005 (a bias of 10) their gradients are near Adam's epsilon, and they learn late.
"""


def mixed(gate: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """``g x + (1 - g) y``, the one way in which two states are mixed; all are [..., d]."""
    return gate * first + (1 - gate) * second  # lerp would refuse states of different precision


class Gate(Linear):
    """The gate ``g = sigmoid([x; y; ...] W + b)`` of ``count`` states of ``width`` components, for each component.

    ``own_matrices`` initialises the part of W for each state as a matrix by itself.
    """

    def __init__(self, width: int, *, bias: bool = True, count: int = 2, own_matrices: bool = False) -> None:
        super().__init__(count * width, width, bias)
        for matrix in self.weight.data.chunk(count if own_matrices else 1, dim=1):
            nn.init.xavier_uniform_(matrix)
        if bias:
            nn.init.zeros_(self.bias)

    @torch.no_grad()
    def begin_constant(self, bias: float) -> None:
        """Initialise the gate to the sigmoid of ``bias`` for all states."""
        nn.init.zeros_(self.weight)
        nn.init.constant_(self.bias, bias)

    def share(self, *states: Tensor) -> Tensor:
        """The gate g [..., d] of the ``states``, [..., d] each."""
        return torch.sigmoid(super().forward(torch.cat(states, dim=-1)))

    def forward(self, first: Tensor, second: Tensor) -> Tensor:  # type: ignore[override]
        """``first`` and ``second`` [..., d], mixed by the gate of both; the gate is the share of ``first``."""
        return mixed(self.share(first, second), first, second)


class FeedForward(nn.Module):
    """``activation(x W1 + b1) W2 + b2``, the same at every position."""

    def __init__(self, width: int, hidden: int, activation: str, dropout: float) -> None:
        super().__init__()
        self.expand = linear(width, hidden)
        self.contract = linear(hidden, width)
        self.activation = ACTIVATIONS[activation]
        self.dropout = Dropout(dropout)

    @torch.no_grad()
    def begin_copying(self) -> None:
        """Initialise the block, hidden width 2 d or more, as the identity: f(x) - f(-x) is x for all activations."""
        width = self.contract.out_features
        identity = torch.eye(width)
        nn.init.zeros_(self.contract.weight)
        for first, sign in ((0, 1.0), (width, -1.0)):
            self.expand.weight[first : first + width] = sign * identity
            self.contract.weight[:, first : first + width] = sign * identity

    def begin_silent(self) -> None:
        """Initialise the block to return zero, for use inside a residual connection."""
        nn.init.zeros_(self.contract.weight)

    def forward(self, states: Tensor) -> Tensor:
        """``states`` [..., d] to [..., d]."""
        contracted: Tensor = self.contract(self.dropout(self.expand.activated(states, self.activation)))
        return contracted
