"""Scores with one side of the context: those of paragraphs that do not have the other side's words."""

from typing import Any

import pytest
import torch

from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.inference import Paragraph, score_paragraphs, source_of
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, History
from discourse_nmt.models.core.inference import Ids, padded
from discourse_nmt.models.switches.decoding import ContextRead
from tests.unit.models.context.context_examples import network

SYSTEMS: dict[str, dict[str, Any]] = {"han": {}, "selective": {"sides": "both", "dsp": []}, "continuous_cache": {}}
SOURCE = [[7, 9, 12], [8, 15, 11, 20], [10, 7], [21, 9, 13, 8, 14]]
TARGET = [[9, 14], [17, 7, 8], [12, 10, 9, 16], [22, 7, 11]]


def scores(model: ContextTransformer, context: ContextRead) -> list[float]:
    items = [(0, sentence, ids) for sentence, ids in enumerate(TARGET)]
    found = dict(score_paragraphs(model, [Paragraph(SOURCE, TARGET)], items, 1000, context))
    return [found[item] for item in range(len(items))]


def log_probability(model: ContextTransformer, ids: Ids, states: Any) -> float:
    return model.logits(states[0]).log_softmax(-1).gather(1, torch.tensor([*ids, END])[:, None]).sum().item()


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_score_without_target_context_is_that_of_a_decoder_without_its_block(system: str) -> None:
    model = network(system, **SYSTEMS[system])
    with torch.inference_mode():
        memory = model.encode_source(source_of(model, [Paragraph(SOURCE)]))
        tops = [
            model.top_states(torch.tensor([[BEGIN, *ids]]), memory.part(torch.tensor([row]), len(SOURCE[row]) + 2))
            for row, ids in enumerate(TARGET)
        ]
        # The top layer of the continuous cache also returns vectors of attention.
        expected = [log_probability(model, ids, top[..., : model.settings.width]) for ids, top in zip(TARGET, tops)]
    found, whole = scores(model, "source"), scores(model, "both")
    assert found == pytest.approx(expected, rel=1e-4)
    assert found[0] == pytest.approx(whole[0], rel=1e-4) and found[1:] != pytest.approx(whole[1:], rel=1e-3)


def states_without_source(model: ContextTransformer, ids: torch.Tensor) -> torch.Tensor:
    """The top states of ``ids`` where there is nothing to attend to: the sum of no value, and the output's bias."""
    with pytest.MonkeyPatch.context() as patch:
        for layer in model.decoder_layers:
            attention: Any = layer.source_attention
            patch.setattr(attention, "to_memory", lambda states, *_, bias=attention.output.bias: bias.expand_as(states))
        nothing = ContextMemory(torch.empty(len(ids), 0, model.settings.width), torch.empty(len(ids), 0).bool())
        return model.top_states(ids, nothing)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_score_without_source_context_is_that_of_a_source_without_it(system: str) -> None:
    """The source is one sentence, and the earlier target sentences are decoded without a source."""
    model = network(system, **SYSTEMS[system])
    expected = []
    with torch.inference_mode():
        ids = padded(TARGET, model)[:, :-1]
        ids = ids.masked_fill(ids == END, PAD)
        states = states_without_source(model, ids)
        for row, target in enumerate(TARGET):
            memory = model.encode_source(source_of(model, [Paragraph([SOURCE[row]])]))
            earlier = torch.tensor([[*range(row - 1, -1, -1)] or [NO_SENTENCE]])[:, : model.earlier_targets]
            read = ContextMemory(memory.states, memory.padding, history=model.remember(History(states, ids, earlier)))
            expected.append(log_probability(model, target, model.decode(torch.tensor([[BEGIN, *target]]), read)))
    found, whole = scores(model, "target"), scores(model, "both")
    assert found == pytest.approx(expected, rel=1e-4)
    assert found[1:] != pytest.approx(whole[1:], rel=1e-3)
