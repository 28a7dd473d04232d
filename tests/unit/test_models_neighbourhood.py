"""Neighbourhood attention against a literal dense reference, forward and backward, on random relations."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from models.attention import attend
from models.neighbourhood import NOWHERE, Integers, neighbourhood

Relation = set[tuple[int, int]]


def dense(
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    query_units: Integers,
    key_units: Integers,
    relations: Sequence[Relation],
    causal: bool,
) -> Tensor:
    """Softmax over the related keys of one query at a time, zeros where there is none."""
    rows = []
    for sequence in range(len(query)):
        for head in range(query.shape[1]):
            for place in range(query.shape[2]):
                seen = [
                    other
                    for other in range(keys.shape[2])
                    if (query_units[sequence][place], key_units[sequence][other]) in relations[sequence]
                    and not (causal and other > place)
                ]
                if not seen:
                    rows.append(values.new_zeros(values.shape[3]))
                    continue
                logits = keys[sequence, head, seen] @ query[sequence, head, place] / query.shape[3] ** 0.5
                rows.append(logits.softmax(0) @ values[sequence, head, seen])
    return torch.stack(rows).view(query.shape)


def tree_relation(heads: Sequence[int]) -> Relation:
    """Every unit with itself, its head and its dependents."""
    arcs = {(unit, head) for unit, head in enumerate(heads) if head >= 0}
    return arcs | {(head, unit) for unit, head in arcs} | {(unit, unit) for unit in range(len(heads))}


def planned(relations: Sequence[Relation]) -> list[Integers]:
    return [np.array(sorted(relation), np.int64).reshape(-1, 2) for relation in relations]


def random_states(rng: torch.Generator, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=rng).requires_grad_()


def check(query_units: Integers, key_units: Integers, relations: list[Relation], causal: bool, seed: int) -> None:
    rng = torch.Generator().manual_seed(seed)
    batch, heads, width = len(query_units), 2, 3
    query = random_states(rng, batch, heads, query_units.shape[1], width)
    keys, values = (random_states(rng, batch, heads, key_units.shape[1], width) for _ in range(2))
    weight = torch.randn(query.shape, generator=rng)
    plan = neighbourhood(query_units, key_units, planned(relations), causal)
    found = attend(query, keys, values, plan, causal=False, dropout=0.0)
    wanted = dense(query, keys, values, query_units, key_units, relations, causal)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    if wanted.requires_grad:
        gradients = [
            torch.autograd.grad((result * weight).sum(), (query, keys, values), allow_unused=True, retain_graph=True)
            for result in (found, wanted)
        ]
        for ours, theirs, state in zip(*gradients, (query, keys, values)):
            zeros = torch.zeros_like(state)
            torch.testing.assert_close(
                zeros if ours is None else ours, zeros if theirs is None else theirs, atol=1e-5, rtol=1e-5
            )


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Sizes of the units of a document, and a random tree over them."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=7))
    heads = [-1] + [draw(st.integers(0, unit - 1)) for unit in range(1, len(sizes))]
    return sizes, heads


def units_of(sizes: Sequence[Sequence[int]]) -> Integers:
    """The unit of each position, padded at the end."""
    rows = [np.repeat(np.arange(len(counts)), counts) for counts in sizes]
    units = np.full((len(rows), max(map(len, rows))), NOWHERE, np.int64)
    for place, row in enumerate(rows):
        units[place, : len(row)] = row
    return units


@settings(deadline=None, max_examples=60)
@given(st.lists(documents(), min_size=1, max_size=3), st.booleans(), st.integers(0, 1000))
def test_random_trees_of_ragged_documents(batch: list[tuple[list[int], list[int]]], causal: bool, seed: int) -> None:
    units = units_of([sizes for sizes, _ in batch])
    check(units, units, [tree_relation(heads) for _, heads in batch], causal, seed)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.integers(0, 1000))
def test_any_relation_between_two_texts(data: st.DataObject, seed: int) -> None:
    batch = data.draw(st.integers(1, 3))
    counts = st.lists(st.integers(1, 4), min_size=1, max_size=4)
    query_sizes, key_sizes = ([data.draw(counts) for _ in range(batch)] for _ in range(2))
    relations = [
        data.draw(st.sets(st.tuples(st.integers(0, len(left) - 1), st.integers(0, len(right) - 1)), max_size=8))
        for left, right in zip(query_sizes, key_sizes)
    ]
    check(units_of(query_sizes), units_of(key_sizes), relations, False, seed)


def test_a_causal_query_may_see_nothing() -> None:
    """Its unit is related to a later one only."""
    units = np.array([[0, 0, 1, 1]])
    check(units, units, [{(0, 1), (1, 1)}], causal=True, seed=2)


def test_scattered_units_are_units() -> None:
    """The positions of a unit need not lie side by side."""
    units = np.array([[0, 1, 0, 2, 1, NOWHERE, 0]])
    check(units, units, [tree_relation([-1, 0, 1])], causal=True, seed=3)


def test_padding_neither_looks_nor_is_looked_at() -> None:
    units = np.array([[0, 0, NOWHERE], [0, 1, 1]])
    check(units, units, [tree_relation([-1]), tree_relation([-1, 0])], causal=False, seed=4)


def test_no_relation_at_all_gives_zeros() -> None:
    units = np.array([[0, 1]])
    check(units, units, [set()], causal=False, seed=5)


@pytest.mark.parametrize("length", [500, 4000])
def test_the_plan_of_a_chain_grows_with_the_related_pairs_only(length: int) -> None:
    units = np.repeat(np.arange(length // 10), 10)[None]
    relation = tree_relation([unit - 1 for unit in range(length // 10)])
    plan = neighbourhood(units, units, planned([relation]))
    related = 100 * len(relation)
    assert related <= plan.pairs <= 1.1 * related
