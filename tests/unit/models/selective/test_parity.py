"""Selective attention against its word-by-word reference, forward and backward."""

import pytest
import torch
from torch import Tensor

from discourse_nmt.models.selective.network import Selective
from tests.unit.models.selective.reference import Reference, attended, joined
from tests.unit.models.selective.selective_examples import KINDS, batch_of, example, network, states_of

PARAGRAPHS = [example([3, 1, 2], seed=1), example([2], seed=2), example([1, 3], seed=3)]


def gradients(model: Selective, states: list[Tensor]) -> dict[str, Tensor]:
    generator = torch.Generator().manual_seed(5)
    loss = sum((one * torch.randn(one.shape, generator=generator).double()).sum() for one in states)
    assert isinstance(loss, Tensor)
    names, parameters = zip(*model.named_parameters())
    found = torch.autograd.grad(loss, parameters, allow_unused=True)
    return {name: one if one is not None else torch.zeros(()).double() for name, one in zip(names, found)}


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few units and few paragraphs at a time, so that there are several parts."""
    monkeypatch.setattr("discourse_nmt.models.selective.network.ROOM", 200)
    monkeypatch.setattr("discourse_nmt.models.selective.attention.SCORES", 500)


def check(model: Selective) -> None:
    found = states_of(model, PARAGRAPHS)
    wanted = [states for paragraph in PARAGRAPHS for states in Reference(model, paragraph).memory()]
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-6)
    given, right = gradients(model, found), gradients(model, wanted)
    for name, gradient in given.items():
        difference = (gradient - right[name]).abs().max() / right[name].abs().max().clamp(min=1)
        assert difference < 1e-6, name


@pytest.mark.parametrize("injection", ["ctx", "embed"])
@pytest.mark.parametrize("fusion", ["add", "nonlinear"])
@pytest.mark.parametrize("kinds", [["abs_edu", "abs_depth"], ["path"], ["rel_edu", "rel_depth", "path"], KINDS])
@pytest.mark.parametrize("attention", ["flat", "hier"])
def test_structural_positions_are_those_of_the_specification(
    attention: str, kinds: list[str], fusion: str, injection: str
) -> None:
    check(network(attention=attention, dsp=kinds, dsp_fusion=fusion, rel_injection=injection))


@pytest.mark.parametrize("context", ["offline", "online"])
@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("attention", ["flat", "hier"])
def test_plain_host_is_that_of_the_specification(attention: str, gradient: bool, context: str) -> None:
    check(network(attention=attention, dsp=[], context=context, context_gradient=gradient))


@pytest.mark.parametrize("fusion", ["add", "nonlinear"])
@pytest.mark.parametrize("injection", ["ctx", "embed"])
def test_context_gradient_reaches_the_encoder(injection: str, fusion: str) -> None:
    check(network(dsp=["path"], dsp_fusion=fusion, rel_injection=injection, context_gradient=True))


@pytest.mark.parametrize("attention", ["flat", "hier"])
def test_target_block_reads_all_earlier_sentences(attention: str) -> None:
    model = network(attention=attention, dsp=[], sides="both")
    batch = batch_of(model, PARAGRAPHS)
    logits = model(batch)
    memory = model.encode_source(batch.source)
    top = model.top_states(batch.target_input, memory)
    numbers, block = batch.source.paragraphs.paragraph_of_row, model.target_block
    assert block is not None
    for row, length in enumerate((batch.target_input != 0).sum(1).tolist()):
        earlier = [before for before in range(row) if numbers[before] == numbers[row]]
        words = [list(top[before][batch.target_input[before] != 0].detach()) for before in earlier]
        for place in range(length):
            own = top[row, place]
            wanted = joined(block, own, attended(block, own, words)) if words else own
            torch.testing.assert_close(logits[row, place], model.logits(wanted), rtol=0, atol=1e-6)
