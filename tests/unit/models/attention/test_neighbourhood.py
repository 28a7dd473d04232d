"""Neighbourhood attention against a literal dense reference, forward and backward, on random relations."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from discourse_nmt.base.arrays import Integers
from discourse_nmt.models.attention.gathered_attention import attend_gathered
from discourse_nmt.models.attention.gathering import KEY_GROWTH, POSITIONS, QUERY_GROWTH
from discourse_nmt.models.attention.multi_head import DENSE, attend, path_of
from discourse_nmt.models.attention.neighbourhood import NOWHERE, Neighbourhood, neighbourhood

Relation = set[tuple[int, int]]


def reference(
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


def by_every_path(query: Tensor, keys: Tensor, values: Tensor, plan: Neighbourhood) -> list[Tensor]:
    """The result of ``attend`` as it chooses, of the gathers, and of a mask; FlexAttention has a test of its own.

    The gathers with torch's own gradient are those of values whose width is not that of the keys.
    """
    twice = torch.cat((values, values), dim=3)
    return [
        attend(query, keys, values, plan, causal=False, dropout=0.0),
        attend_gathered(query, keys, values, plan.gathering, dropout=0.0),
        attend_gathered(query, keys, twice, plan.gathering, dropout=0.0)[..., values.shape[3] :],
        F.scaled_dot_product_attention(query, keys, values, attn_mask=plan.mask),
    ]


def check(query_units: Integers, key_units: Integers, relations: list[Relation], causal: bool, seed: int) -> None:
    """Results and gradients of every path are those of the reference."""
    rng = torch.Generator().manual_seed(seed)
    batch, heads, width = len(query_units), 2, 4
    query = random_states(rng, batch, heads, query_units.shape[1], width)
    keys, values = (random_states(rng, batch, heads, key_units.shape[1], width) for _ in range(2))
    weight = torch.randn(query.shape, generator=rng)
    plan = neighbourhood(query_units, key_units, planned(relations), causal)
    wanted = reference(query, keys, values, query_units, key_units, relations, causal)
    slopes = gradients(wanted * weight, query, keys, values)
    for found in by_every_path(query, keys, values, plan):
        for ours, theirs in zip((found, *gradients(found * weight, query, keys, values)), (wanted, *slopes)):
            torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def gradients(result: Tensor, *states: Tensor) -> tuple[Tensor, ...]:
    if not result.requires_grad:  # no query sees any key
        return tuple(map(torch.zeros_like, states))
    return torch.autograd.grad(result.sum(), states, retain_graph=True, materialize_grads=True)


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


def test_one_token_sees_itself() -> None:
    units = np.zeros((1, 1), np.int64)
    check(units, units, [{(0, 0)}], causal=True, seed=6)


def test_sequences_with_and_without_relations_in_one_batch() -> None:
    units = units_of([[3], [2, 2], [1, 1, 4]])
    check(units, units, [{(0, 0)}, set(), {(0, 2), (2, 2)}], causal=False, seed=7)


@pytest.mark.parametrize("causal", [False, True])
def test_a_long_unit_among_short_ones(causal: bool) -> None:
    sizes = [2, 60, 1, 3, 2]
    units = units_of([sizes])
    check(units, units, [tree_relation([1, -1, 1, 2, 1])], causal, seed=8)


def test_every_path_is_taken_where_it_should_be() -> None:
    def path(length: int, unit: int, dropout: float = 0.0, device: str = "cpu") -> str:
        units = np.arange(length)[None] // unit
        plan = neighbourhood(units, units, planned([tree_relation([*range(-1, units.max())])]))
        return path_of(plan.to(torch.device(device)), dropout)

    assert path(DENSE, 10) == "dense"
    assert path(10 * DENSE, 10 * DENSE) == "plain"
    assert path(DENSE + 1, 10) == "gather"
    assert path(DENSE + 1, 10, device="cuda") == "blocks"
    assert path(DENSE + 1, 10, device="cuda", dropout=0.1) == "gather"


def test_the_paths_agree_on_a_whole_instance() -> None:
    """Long enough that ``attend`` gathers, with too many pairs for the reference."""
    numbers = np.random.default_rng(9)
    sizes = [numbers.integers(1, 20, 40).tolist() for _ in range(2)]
    heads = [[-1, *(int(numbers.integers(0, unit)) for unit in range(1, 40))] for _ in range(2)]
    units = units_of(sizes)
    plan = neighbourhood(units, units, planned([tree_relation(tree) for tree in heads]), causal=True)
    assert path_of(plan, 0.0) == "gather"
    rng = torch.Generator().manual_seed(9)
    states = [random_states(rng, 2, 2, units.shape[1], 4) for _ in range(3)]
    chosen, *_, masked = by_every_path(states[0], states[1], states[2], plan)
    torch.testing.assert_close(chosen, masked, atol=1e-5, rtol=1e-5)
    for ours, theirs in zip(gradients(chosen**2, *states), gradients(masked**2, *states)):
        torch.testing.assert_close(ours, theirs, atol=1e-5, rtol=1e-5)


def test_a_plan_made_without_gradients_serves_training() -> None:
    units = np.array([[0, 0, 1]])
    plan = neighbourhood(units, units, planned([tree_relation([-1, 0])]))
    states = random_states(torch.Generator().manual_seed(0), 1, 1, 3, 4)
    with torch.inference_mode():
        before = attend_gathered(states, states, states, plan.gathering, dropout=0.0)
    after = attend_gathered(states, states, states, plan.gathering, dropout=0.0)
    after.sum().backward()
    torch.testing.assert_close(after.detach(), before)


@pytest.mark.parametrize("length", [500, 4000])
@pytest.mark.parametrize("heads", ["chain", "star"])
@pytest.mark.parametrize("causal", [False, True])
def test_what_is_computed_grows_with_the_related_pairs_only(length: int, heads: str, causal: bool) -> None:
    """Of a chain of short units, and of the worst tree: short units that all depend on a long one (spec 01, 12)."""
    count = length // 10
    sizes = np.full(count, 10) if heads == "chain" else np.array([length // 2, *[10] * (count // 2)])
    units = np.repeat(np.arange(len(sizes)), sizes)[None]
    relation = tree_relation([unit - 1 if heads == "chain" else min(unit, 1) - 1 for unit in range(len(sizes))])
    plan = neighbourhood(units, units, planned([relation]), causal)
    assert plan.related <= sum(sizes[query] * sizes[key] for query, key in relation)
    assert plan.gathering.pairs <= 1.1 * plan.related


@pytest.mark.parametrize("unit", [10, POSITIONS + 1])
def test_no_group_gathers_more_than_the_bound(unit: int) -> None:
    """Unless one unit does."""
    units = np.arange(5 * POSITIONS)[None] // unit
    plan = neighbourhood(units, units, planned([{(number, number) for number in range(units.max() + 1)}]))
    for group in plan.gathering.groups:
        assert group.units == 1 or group.units * max(group.queries, group.keys) <= POSITIONS


@given(documents(), st.integers(1, 3))
def test_padding_of_unequal_units_is_bounded(document: tuple[list[int], list[int]], scale: int) -> None:
    sizes, heads = document
    units = units_of([[size**scale for size in sizes]])
    plan = neighbourhood(units, units, planned([tree_relation(heads)]))
    assert plan.gathering.pairs <= QUERY_GROWTH * KEY_GROWTH * plan.related
