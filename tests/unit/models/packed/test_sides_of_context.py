"""Scores with one side of the context: those of texts that do not have the other side's tokens."""

from typing import Any

import numpy as np
import pytest
import torch

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.attention.neighbourhood import NOWHERE, Neighbourhood, neighbourhood
from discourse_nmt.models.packed.decoding.inference import score_candidates
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.packing import PackedText, Plans, layout, source_layout, source_text, target_layout
from discourse_nmt.models.packed.packing import source_plans as plans_of_source
from discourse_nmt.models.packed.relations import sentence_relation
from discourse_nmt.models.switches.decoding import ContextRead
from tests.unit.models.packed.packed_examples import instance, network

SYSTEMS: dict[str, dict[str, Any]] = {
    "concat": {},
    "concat, running": {"target_positions": "running"},
    "g_transformer": {"position_reset": True},
    "rst_transformer": {"source_attention": "tree"},
    "hybrid_context": {},
}
ONE_UNIT = [np.zeros((1, 2), np.int64)]


def example(tree: bool) -> Instance:
    source = instance([4, 6, 3, 5], tree=tree)
    rng = np.random.default_rng(4)
    targets = [rng.integers(7, 23, length) for length in (3, 5, 2, 4)]
    return Instance(source.source, targets, source.edus, source.heads, tree)


def made(system: str) -> PackedTransformer:
    return network(system=system.partition(",")[0], **SYSTEMS[system])


def together(queries: list[int], keys: list[int], causal: bool = False) -> Neighbourhood:
    """Everything with unit 0 attends to everything with unit 0."""
    return neighbourhood(np.array([queries]), np.array([keys]), ONE_UNIT, causal)


def log_probability(model: PackedTransformer, ids: list[int], positions: list[int], memory: Any, plans: Plans) -> float:
    """That of the last sentence of the target ``ids``, which begins with the last mark."""
    text = PackedText(torch.tensor([ids]), torch.tensor([positions]))
    begin = max(place for place, token in enumerate(ids) if token == BEGIN)
    wanted = torch.tensor([*ids[begin + 1 :], END])
    values = model.logits(model.decode_packed(text, memory, plans)[0, begin:]).log_softmax(-1)
    return values.gather(1, wanted[:, None]).sum().item()


def places(model: PackedTransformer, one: Instance) -> tuple[Any, Any]:
    """The layouts of both sides of the whole instance."""
    settings = model.settings
    source = source_layout([one], settings.position_reset)
    return source, target_layout([one], source, settings.position_reset, settings.target_positions)


def without_target(model: PackedTransformer, one: Instance, sentence: int) -> float:
    """The whole source, and a target that is this sentence alone."""
    source, target = places(model, one)
    plans = Plans(plans_of_source([one], source, model.relations), {}, {})
    ids = [BEGIN, *one.target[sentence].tolist()]
    for relation in model.relations:
        plans.target[relation] = together([0] * len(ids), [0] * len(ids), causal=True)
        seen = sentence_relation([one], relation, model.target_tree).matrix[sentence]
        units = np.where(seen, 0, NOWHERE)[source.sentences].tolist()
        plans.across[relation] = together([0] * len(ids), units)
    memory = model.encode_packed(source_text([one], source), plans)
    first = int(target.firsts[sentence])
    return log_probability(model, ids, list(range(first, first + len(ids))), memory, plans)


def without_source(model: PackedTransformer, one: Instance, sentence: int) -> float:
    """A source that is this sentence alone, and the target so far, whose earlier sentences have no source."""
    source, target = places(model, one)
    tokens = [BEGIN, *one.source[sentence].tolist(), END]
    texts = [[BEGIN, *ids.tolist()] for ids in one.target[: sentence + 1]]
    earlier, own = sum(map(len, texts[:-1])), len(texts[-1])
    number = [index for index, text in enumerate(texts) for _ in text]
    everything = [0] * len(number)
    itself = np.repeat(np.arange(sentence + 1)[:, None], 2, axis=1)
    plans = Plans({}, {}, {})
    for relation in model.relations:
        plans.source[relation] = together([0] * len(tokens), [0] * len(tokens))
        plans.target[relation] = together(everything, everything, causal=True)
        if relation == "sentence":
            plans.target[relation] = neighbourhood(np.array([number]), np.array([number]), [itself], True)
        plans.across[relation] = together([NOWHERE] * earlier + [0] * own, [0] * len(tokens))
    first = int(source.firsts[sentence])
    text = PackedText(torch.tensor([tokens]), torch.arange(first, first + len(tokens))[None])
    placed = layout([[len(text) for text in texts]], False, target.firsts[: sentence + 1])
    ids = [token for text in texts for token in text]
    return log_probability(model, ids, placed.positions.tolist(), model.encode_packed(text, plans), plans)


def scores(model: PackedTransformer, one: Instance, context: ContextRead) -> list[float]:
    items = [(0, sentence, ids.tolist()) for sentence, ids in enumerate(one.target)]
    found = dict(score_candidates(model, [one], items, 1000, context))
    return [found[item] for item in range(len(items))]


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_score_without_target_context_is_that_of_a_target_without_it(system: str) -> None:
    model, one = made(system), example(tree=system == "rst_transformer")
    with torch.inference_mode():
        expected = [without_target(model, one, sentence) for sentence in range(4)]
    found, whole = scores(model, one, "source"), scores(model, one, "both")
    assert found == pytest.approx(expected, rel=1e-4)
    assert found[0] == pytest.approx(whole[0], rel=1e-4)
    assert found[1:] != pytest.approx(whole[1:], rel=1e-3)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_score_without_source_context_is_that_of_a_source_without_it(system: str) -> None:
    model, one = made(system), example(tree=False)
    with torch.inference_mode():
        expected = [without_source(model, one, sentence) for sentence in range(4)]
    found, whole = scores(model, one, "target"), scores(model, one, "both")
    assert found == pytest.approx(expected, rel=1e-4)
    assert all(score != pytest.approx(read, rel=1e-3) for score, read in zip(found, whole))


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_left_out_changes_no_score(system: str) -> None:
    """Other words in the context of a side that is not read, as many as there were."""
    model, one = made(system), example(tree=False)
    rng = np.random.default_rng(9)
    sources, targets = ([rng.integers(7, 23, len(ids)) for ids in side] for side in (one.source, one.target))
    other_source = Instance([*sources[:-1], one.source[-1]], one.target, (), one.heads, False)
    other_target = Instance(one.source, [*targets[:-1], one.target[-1]], (), one.heads, False)
    for context, other, read in (("target", other_source, other_target), ("source", other_target, other_source)):
        last = scores(model, one, context)[-1]  # type: ignore[arg-type]
        assert scores(model, other, context)[-1] == pytest.approx(last, rel=1e-4)  # type: ignore[arg-type]
        assert scores(model, read, context)[-1] != pytest.approx(last, rel=1e-3)  # type: ignore[arg-type]
