"""Training and decoding of packed systems allow the same pairs of a query and a key."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, SPECIALS
from discourse_nmt.models.attention.neighbourhood import Neighbourhood
from discourse_nmt.models.packed.decoding.encoded import EncodedInstances, encode_instances
from discourse_nmt.models.packed.decoding.sequence import SequenceSteps
from discourse_nmt.models.packed.decoding.waves import WaveSteps
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.relations import Relation, edu_relation
from tests.unit.models.packed.packed_examples import BEAM, SIZE, instance, network

Pairs = set[tuple[int, int]]
"""Indices of a query token and of a key token that it may attend to."""

CASES: list[tuple[str, dict[str, Any]]] = [
    ("rst_transformer", {}),
    ("rst_transformer", {"source_attention": "tree"}),
    ("rst_transformer", {"source_attention": "instance"}),
    ("rst_transformer", {"source_attention": "sentence"}),
    ("rst_transformer", {"target_tree": "none"}),
    ("g_transformer", {}),
    ("concat", {}),
    ("concat", {"attention": "sentence"}),
    ("flat_transformer", {}),
    ("hybrid_context", {}),
]


def random_instance(seed: int) -> Instance:
    """One to six sentences, some without a subword, under a random tree or none, and random translations."""
    rng = np.random.default_rng(seed)
    one = instance(rng.integers(0, 6, rng.integers(1, 7)).tolist(), seed, tree=bool(rng.random() < 0.8))
    target = [rng.integers(len(SPECIALS), SIZE, rng.integers(1, 5)) for _ in one.source]
    return Instance(one.source, target, one.edus, one.heads, one.tree)


def pairs_of(plan: Neighbourhood) -> Pairs:
    """The pairs that a plan of training allows."""
    _, queries, keys = plan.shape
    allowed = torch.ones(queries, keys, dtype=torch.bool) if plan.mask is None else plan.mask[0, 0]
    return set(map(tuple, allowed.nonzero().tolist()))


def target_pairs(before: np.ndarray, sentence_of_token: Sequence[int]) -> Pairs:
    """Those of each token with its own and with the sentences ``before`` it [sentences, sentences], up to itself."""
    return {
        (query, key)
        for query, own in enumerate(sentence_of_token)
        for key in range(query + 1)
        if sentence_of_token[key] == own or before[own, sentence_of_token[key]]
    }


def source_pairs(visible: Tensor, places: Tensor, queries: Sequence[int]) -> Pairs:
    """Those of ``queries`` with the source tokens ``places`` [B, K] that their rows of a keys_values show them."""
    return {(query, int(key)) for row, query in enumerate(queries) for key in places[row][visible[row].flatten()]}


def in_waves(
    model: PackedTransformer, encoded: EncodedInstances, sentence_of_token: Sequence[int]
) -> tuple[dict[Relation, Pairs], dict[Relation, Pairs]]:
    """What decoding in waves allows in the target, and from the target to the source."""
    before = WaveSteps(model, encoded, None).before
    target = {relation: target_pairs(matrix, sentence_of_token) for relation, matrix in before.items()}
    rows = np.array(sentence_of_token)
    across = {}
    for relation, keys_values in encoded.memory_keys_values(rows[:, None]).items():
        assert keys_values.memory_index is not None
        across[relation] = source_pairs(keys_values.visible, keys_values.memory_index, range(len(rows)))
    return target, across


def in_sequence(
    model: PackedTransformer, encoded: EncodedInstances, tokens: Sequence[int], sentences: int
) -> tuple[dict[Relation, Pairs], dict[Relation, Pairs]]:
    """What the search over a whole instance allows while it is made to write ``tokens``."""
    steps = SequenceSteps(model, encoded, np.array([sentences]))
    target: dict[Relation, Pairs] = {relation: set() for relation in encoded.target}
    across: dict[Relation, Pairs] = {relation: set() for relation in encoded.across}
    for cache in steps.caches.values():
        cache.drops = False  # so that positions keep their numbers
    for query, token in enumerate(tokens):
        steps.logits(torch.tensor([token]))
        for relation, cache in steps.caches.items():
            target[relation] |= {(query, int(key)) for key in (cache.mask == 0).flatten().nonzero()}
        for relation, keys_values in steps.plans.across.items():
            assert keys_values.memory_index is not None
            across[relation] |= source_pairs(keys_values.visible, keys_values.memory_index, [query])
        steps.select(None, torch.zeros(1, 1, dtype=torch.int64))
    return target, across


@pytest.mark.parametrize(("system", "switches"), CASES)
@pytest.mark.parametrize("seed", range(6))
def test_training_and_decoding_allow_the_same_pairs(system: str, switches: dict[str, Any], seed: int) -> None:
    model, one = network(system=system, **switches), random_instance(seed)
    plans = model.pack([one]).plans
    sentence_of_token = [number for number, ids in enumerate(one.target) for _ in range(len(ids) + 1)]
    tokens = [token for ids in one.target for token in (BEGIN, *ids.tolist())]
    with torch.inference_mode():
        encoded = encode_instances(model, [one], BEAM)
        found = [in_waves(model, encoded, sentence_of_token), in_sequence(model, encoded, tokens, len(one.target))]
    for target, across in found:
        assert target == {relation: pairs_of(plans.target[relation]) for relation in model.target_relations}
        assert across == {relation: pairs_of(plans.across[relation]) for relation in model.source_relations}


@pytest.mark.parametrize("seed", range(6))
def test_the_source_tree_is_the_formula(seed: int) -> None:
    """Equation 7 of specification 01, pair by pair, and that nothing leads from one instance to another."""
    batch = [replace(random_instance(seed + 10 * place), tree=place != 1) for place in range(3)]
    tokens = []  # the instance, its head table and the unit of each token; None where there is no tree
    for number, one in enumerate(batch):
        for sentence, edus in enumerate(one.edus):
            marked = [edus[0], *edus, edus[-1]] if len(edus) else [-2 - sentence] * 2
            tokens += [(number, one.heads if one.tree else None, int(unit)) for unit in marked]

    def related(query: tuple[int, Any, int], key: tuple[int, Any, int]) -> bool:
        if query[0] != key[0]:
            return False
        heads, edu, other = query[1], query[2], key[2]
        if heads is None or edu == other:
            return True
        return min(edu, other) >= 0 and (heads[edu] == other or heads[other] == edu)

    expected = {(i, j) for i, query in enumerate(tokens) for j, key in enumerate(tokens) if related(query, key)}
    everywhere = np.arange(len(tokens))
    assert pairs_of(edu_relation(batch).plan(everywhere, everywhere)) == expected
