"""Shifted positions of the sentence model."""

from typing import Any

import pytest
import torch
from torch import Tensor

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.core.embeddings import InputEmbedding
from discourse_nmt.models.core.sentence_model import SentenceModel
from discourse_nmt.models.systems import build, system_named

SIZE = 20
TINY = {"width": 8, "heads": 2, "feed_forward_width": 16, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.0}
SOURCE = torch.tensor([[BEGIN, 7, 8, 9, END], [BEGIN, 10, 11, END, PAD]])
TARGET = torch.tensor([[BEGIN, 12, 13, 14], [BEGIN, 15, PAD, PAD]])


def network(shift: int, **values: object) -> SentenceModel:
    torch.manual_seed(1)
    model = build("transformer", TINY | {"position_shift": shift} | values, SIZE, SIZE, True)
    assert isinstance(model, SentenceModel)
    return model


def positions_seen(model: SentenceModel, monkeypatch: pytest.MonkeyPatch) -> list[Tensor]:
    """The positions of the source and of the target in one pass of training, each [2, T]."""
    seen = []
    for side in ("source_embedding", "target_embedding"):
        embedding = getattr(model, side)
        states = type(embedding).states

        def spy(ids: Tensor, positions: Tensor, embedding: InputEmbedding = embedding, states: Any = states) -> Tensor:
            seen.append(positions.expand_as(ids))
            return states(embedding, ids, positions)

        monkeypatch.setattr(embedding, "states", spy)
    model.train()(SOURCE, TARGET)
    return seen


@pytest.mark.parametrize("marks", ["both", "end"])
def test_both_sides_of_a_sentence_share_a_shift_of_their_own(marks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = network(50, marks=marks)
    unshifted = model.source_positions(SOURCE)
    firsts = []
    for _ in range(200):
        source, target = positions_seen(model, monkeypatch)
        monkeypatch.undo()
        assert torch.equal(source - source[:, :1], (unshifted - unshifted[0]).expand_as(source))
        assert torch.equal(target - target[:, :1], torch.arange(4).expand(2, 4))
        assert torch.equal(source[:, 0], target[:, 0])
        firsts.append(source[:, 0])
    drawn = torch.stack(firsts)
    assert drawn.min() == 0 and drawn.max() == 50  # each of 51 numbers 400 times at random
    assert not torch.equal(drawn[:, 0], drawn[:, 1])


def test_a_shift_of_nothing_and_evaluation_have_the_positions_of_the_sentence() -> None:
    plain, shifted = network(0), network(50)
    expected = plain.train()(SOURCE, TARGET)
    assert torch.equal(shifted.eval()(SOURCE, TARGET), expected)
    states = {tuple(shifted.train()(SOURCE, TARGET).flatten().tolist()) for _ in range(5)}
    assert len(states) > 1  # the shift changes states, which the sinusoids alone can do without dropout


def test_states_are_those_of_sentences_that_begin_later() -> None:
    """Beside a literal computation with the positions of the draw."""
    model = network(9).train()
    torch.manual_seed(3)
    shift = torch.randint(10, (2, 1))
    torch.manual_seed(3)
    computed = model(SOURCE, TARGET)
    memory = model.encode_at(torch.arange(5) + shift, SOURCE)
    target = model.embed(TARGET, model.target_embedding, torch.arange(4) + shift)
    assert shift[0] != shift[1]
    assert torch.equal(computed, model.logits(model.through_decoder(target, memory, None)))
    wanted = TARGET != PAD
    torch.manual_seed(3)
    assert torch.equal(model(SOURCE, TARGET, wanted), computed[wanted])


def test_learned_positions_must_reach_as_far() -> None:
    switches = system_named("transformer").switches
    switches({"positions": "learned", "max_positions": 60, "position_shift": 59})
    with pytest.raises(InputError, match="position_shift is 60, max_positions is 60"):
        switches({"positions": "learned", "max_positions": 60, "position_shift": 60})


def test_packed_systems_have_no_shift() -> None:
    with pytest.raises(InputError, match="position_shift"):
        system_named("concat").switches({"position_shift": 1})
