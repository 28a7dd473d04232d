"""The host of systems with context: groups of lengths, translation, scoring and what blocks are shown."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest
import torch
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, PAD
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.inference import (
    Paragraph,
    score_paragraphs,
    translate_in_streams,
    translate_paragraphs,
    translate_together,
)
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, History, Paragraphs
from discourse_nmt.models.core.beam_search import Hypothesis, beam_search
from discourse_nmt.models.core.length_groups import length_groups
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.context import ContextSettings
from discourse_nmt.models.switches.decoding import DecodingSettings
from tests.unit.models.context.context_examples import (
    BEAM,
    GREEDY,
    PARAGRAPHS,
    SIZE,
    SMALL,
    batch,
    logits,
    paragraph,
    sentence_model,
)


class Toy(ContextTransformer):
    """Adds the mean state of each earlier source sentence, and of the words of up to two earlier target sentences."""

    targets: int | None = 2

    @property
    def earlier_targets(self) -> int | None:
        return self.targets

    def in_context(self, memory: ContextMemory, source: object) -> ContextMemory:
        paragraphs = cast(Paragraphs, getattr(source, "paragraphs"))  # noqa: B009
        real = ~memory.padding[:, :, None]
        means = (memory.states * real).sum(1) / real.sum(1)
        seen = paragraphs.seen(self.settings.context).to(means.dtype)
        return replace(memory, states=memory.states + (seen @ means)[:, None])

    def decoder_context(self, top: Tensor, memory: ContextMemory) -> Tensor:
        if memory.history is None:
            return top
        history = memory.history
        real = ~history.padding[:, :, None]
        means = (history.states * real).sum(1) / real.sum(1).clamp(min=1)
        seen = means[history.rows.clamp(min=0)].masked_fill(history.absent[:, :, None], 0.0).sum(1)
        return top + seen.repeat_interleave(len(top) // len(seen), dim=0)[:, None]


def toy(targets: int | None = 2, context: str = "online") -> Toy:
    torch.manual_seed(3)
    model = Toy(ContextSettings(**SMALL, context=context), SIZE, SIZE, True).eval()  # type: ignore[arg-type]
    model.targets = targets
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.3)
    return model


def rows(sentences: Sequence[Sequence[int]]) -> Tensor:
    return torch.nn.utils.rnn.pad_sequence([torch.tensor([1, *ids, 2]) for ids in sentences], True, PAD)


def close(one: list[Hypothesis], other: list[Hypothesis]) -> None:
    assert [h.ids for h in one] == [h.ids for h in other]
    assert [h.score for h in one] == pytest.approx([h.score for h in other], abs=1e-5)


def test_paragraphs_know_places_rows_and_earlier_sentences() -> None:
    paragraphs = Paragraphs(torch.tensor([0, 0, 0, 1, 2, 2]))
    assert paragraphs.sentence_of_row.tolist() == [0, 1, 2, 0, 0, 1]
    assert paragraphs.rows.tolist() == [[0, 1, 2], [3, NO_SENTENCE, NO_SENTENCE], [4, 5, NO_SENTENCE]]
    nobody = NO_SENTENCE
    assert paragraphs.earlier(1).tolist() == [[nobody], [0], [1], [nobody], [nobody], [4]]
    assert paragraphs.earlier(None).tolist()[2] == [1, 0]
    assert paragraphs.earlier(9).shape == (6, 2)
    assert paragraphs.seen("online")[2].tolist() == [True, True, False, False, False, False]
    assert paragraphs.seen("offline")[1].tolist() == [True, False, True, False, False, False]
    assert not paragraphs.seen("none").any()
    assert Paragraphs(torch.tensor([0, 1])).earlier(None).tolist() == [[nobody], [nobody]]


def test_groups_hold_every_row_once_at_least_cost() -> None:
    lengths = [5, 300, 7, 290, 5, 6]
    groups = length_groups(lengths, torch.device("cpu"))
    assert groups.row_lists == ((1, 3), (0, 2, 4, 5))
    assert groups.lengths == (300, 7)
    assert length_groups([4, 5, 4], torch.device("cpu")).row_lists == ((0, 1, 2),)
    states = torch.randn(6, 300, 2)
    states *= (torch.arange(300) < torch.tensor(lengths)[:, None])[:, :, None]
    assert torch.equal(groups.join([states[chosen, :length] for chosen, length in groups], 300), states)


def test_groups_are_larger_in_mixed_precision() -> None:
    lengths = [10] * 4 + [50] * 4  # a group of its own saves the short rows 160 positions of padding
    assert len(length_groups(lengths, torch.device("cpu")).rows) == 2
    with torch.autocast("cpu", torch.bfloat16):
        assert len(length_groups(lengths, torch.device("cpu")).rows) == 1


def test_without_context_forward_is_the_sentence_model_bit_for_bit() -> None:
    model = toy(context="none")
    made = batch(model, PARAGRAPHS)
    wanted = sentence_model(model)(made.source.ids, made.target_input)
    assert torch.equal(model(made), wanted)
    real = made.target_output != PAD
    assert torch.equal(model(made, real), sentence_model(model)(made.source.ids, made.target_input, real))


def test_without_context_translations_are_those_of_the_sentence_model() -> None:
    model = toy(context="none")
    stage_1 = sentence_model(model)
    settings = replace(BEAM, batch_tokens=20)
    found = dict(translate_paragraphs(model, PARAGRAPHS, settings))
    for number, one in enumerate(PARAGRAPHS):
        for ids, hypotheses in zip(one.source, found[number], strict=True):
            close(hypotheses, beam_search(stage_1, rows([ids]), settings)[0])


def test_together_is_one_search_of_the_sentence_model_over_states_in_context() -> None:
    """The literal search reads states computed sentence by sentence."""
    model = toy(targets=0)
    stage_1 = sentence_model(model)
    found = translate_together(model, PARAGRAPHS, BEAM)
    with torch.inference_mode():
        for one, translations in zip(PARAGRAPHS, found, strict=True):
            states = [stage_1.encode(rows([ids])).states[0] for ids in one.source]
            for place, (ids, hypotheses) in enumerate(zip(one.source, translations)):
                seen = sum((state.mean(0) for state in states[:place]), torch.zeros(16))
                close(hypotheses, beam_search(encoding(stage_1, states[place] + seen), rows([ids]), BEAM)[0])


def encoding(model: Transformer, states: Tensor) -> Transformer:
    """The sentence model whose encoder has made ``states`` [S, d]."""
    found = sentence_model(cast(ContextTransformer, model))
    memory = replace(model.encode(torch.full((1, len(states)), BEGIN)), states=states[None])
    found.encode = lambda source_ids, context=None: memory  # type: ignore[method-assign]
    return found


@pytest.mark.parametrize(("targets", "settings"), [(1, GREEDY), (2, replace(BEAM, batch_tokens=12)), (None, BEAM)])
def test_streams_are_one_sentence_after_the_other(targets: int | None, settings: DecodingSettings) -> None:
    """The literal loop makes one paragraph of the sentences up to each one and gives it its own translations."""
    model = toy(targets)
    texts = [paragraph([3, 5, 2, 3], 1), paragraph([4, 2], 2)]
    found = translate_in_streams(model, texts, settings)
    for one, translations in zip(texts, found, strict=True):
        assert len(translations) == len(one.source)
        done: list[Sequence[int]] = []
        for place, hypotheses in enumerate(translations):
            part = Paragraph(one.source[: place + 1], [*done, [5]])
            alone = translate_in_streams(model, [part], settings)[0][place]
            close(hypotheses, alone)
            items = [(0, place, hypothesis.ids) for hypothesis in hypotheses]
            scores = dict(score_paragraphs(model, [part], items, 1000))
            for number, hypothesis in enumerate(hypotheses):
                assert scores[number] == pytest.approx(hypothesis.log_probability, abs=1e-4)
            done.append(hypotheses[0].ids)


@pytest.mark.parametrize("batch_tokens", [10, 1000])
@pytest.mark.parametrize("targets", [0, 1, None])
def test_scores_are_those_of_forward(targets: int | None, batch_tokens: int) -> None:
    model = toy(targets)
    items = [(number, place, ids) for number, one in enumerate(PARAGRAPHS) for place, ids in enumerate(one.target)]
    items.append((2, 1, [7, 8]))
    found = dict(score_paragraphs(model, PARAGRAPHS, items, batch_tokens))
    other = replace(PARAGRAPHS[2], target=[PARAGRAPHS[2].target[0], [7, 8], PARAGRAPHS[2].target[2]])
    outputs = logits(model, PARAGRAPHS)
    for number, (place, sentence, ids) in enumerate(items):
        output = outputs[place][sentence] if number < len(items) - 1 else logits(model, [other])[0][1]
        wanted = output.log_softmax(-1).gather(1, torch.tensor([*ids, 2])[:, None]).sum().item()
        assert found[number] == pytest.approx(wanted, abs=1e-4)


def test_groups_do_not_change_what_forward_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    model = toy(None)
    long = [*PARAGRAPHS, paragraph([40, 2, 35], 4)]
    grouped = logits(model, long)
    assert len(batch(model, long).groups.rows) > 1
    monkeypatch.setattr("discourse_nmt.models.core.length_groups.COSTS", {"cpu": 10**9})
    assert len(batch(model, long).groups.rows) == 1
    for one, other in zip(grouped, logits(model, long)):
        for found, wanted in zip(one, other, strict=True):
            torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("gradient", [False, True])
def test_states_of_context_have_a_gradient_only_on_request(gradient: bool) -> None:
    model = Toy(ContextSettings(**SMALL, context="online", context_gradient=gradient), SIZE, SIZE, True)
    seen: list[bool] = []
    model.remember = lambda history: seen.append(history.states.requires_grad) or history  # type: ignore
    model(batch(model, PARAGRAPHS))
    assert seen == [gradient]


def test_history_is_made_of_the_sentences_that_are_seen() -> None:
    """A bank hands on no other sentence, and rows are renumbered."""
    model = toy(1)
    seen: list[History] = []
    model.remember = lambda history: seen.append(history) or history  # type: ignore
    translate_in_streams(model, PARAGRAPHS, GREEDY)
    assert [len(history.states) for history in seen[1:]] == [2, 3, 2, 2]  # the first row stands for absent ones
    assert seen[0].absent.all()
    assert all(history.rows.max() < len(history.states) for history in seen)
