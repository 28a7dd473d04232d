"""What all systems with context have in common that read no structure file."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.context.doc_transformer import DocTransformer
from discourse_nmt.models.context.han import Han
from discourse_nmt.models.context.inference import Paragraph, reads_translations, score_paragraphs, translate_paragraphs
from discourse_nmt.models.core.beam_search import beam_search, forbid_specials
from discourse_nmt.models.systems import SYSTEMS, build
from discourse_nmt.training.checkpoints.model_files import load_model, save_model
from tests.unit.models.context.context_examples import (
    BEAM,
    GREEDY,
    OF_SYSTEM,
    PARAGRAPHS,
    SIZE,
    SMALL,
    TEXT_ONLY,
    WORDS,
    batch,
    check_scores,
    logits,
    network,
    paragraph,
    sentence_model,
)

EVERY = pytest.mark.parametrize("name", TEXT_ONLY)


@EVERY
def test_without_context_it_is_the_sentence_model_bit_for_bit(name: str) -> None:
    model = network(name, context="none")
    made = batch(model, PARAGRAPHS)
    stage_1 = sentence_model(model)
    assert torch.equal(model(made), stage_1(made.source.ids, made.target_input))
    alone = replace(BEAM, batch_tokens=1)
    found = dict(translate_paragraphs(model, PARAGRAPHS, alone))
    for number, one in enumerate(PARAGRAPHS):
        for ids, hypotheses in zip(one.source, found[number], strict=True):
            assert hypotheses == beam_search(stage_1, torch.tensor([[BEGIN, *ids, END]]), alone)[0]


ATTENTIONS = {
    "han": ["encoder_block.word_attention", "decoder_block.sentence_attention"],
    "doc_transformer": ["encoder_layers.1.context.attention", "decoder_layers.0.context.attention"],
    "continuous_cache": ["reading"],
    "document_graph": ["encoder_layers.0.graph_attention", "decoder_layers.1.graph_attention"],
}


@pytest.mark.parametrize("name", ATTENTIONS)
def test_new_attentions_may_begin_copying(name: str) -> None:
    """A single entry is returned as it is, and queries and keys are alike."""
    for beginning in ("random", "copy"):
        model = build(name, {**SMALL, "beginning": beginning}, SIZE, SIZE, True)
        for place in ATTENTIONS[name]:
            attention = model.get_submodule(place)
            assert isinstance(attention, MultiHeadAttention)
            states = 3 * torch.eye(16)[None, :5]
            single = attention.to_memory(states[:, :1], states[:, :1])
            assert torch.allclose(single, states[:, :1], atol=1e-6) == (beginning == "copy")
            if beginning == "copy":
                assert attention.to_memory(states, states)[0, :, :5].argmax(dim=1).tolist() == [0, 1, 2, 3, 4]


def test_blocks_around_a_copying_attention_begin_silent() -> None:
    model = build("han", {**SMALL, "beginning": "copy"}, SIZE, SIZE, True)
    assert isinstance(model, Han) and model.encoder_block is not None
    states = torch.randn(2, 16)
    assert torch.equal(model.encoder_block.residual(states, model.encoder_block.feed_forward), states)
    context = build("doc_transformer", {**SMALL, "beginning": "copy", "norm": "pre"}, SIZE, SIZE, True)
    assert isinstance(context, DocTransformer)
    for layer in context.context_layers:
        assert torch.equal(layer(states[None], None), states[None])


@pytest.mark.parametrize(
    ("name", "gates"),
    [
        ("han", ["encoder_block.gate", "decoder_block.gate"]),
        ("doc_transformer", ["encoder_layers.0.context.gate"]),
        ("continuous_cache", ["gate"]),
        ("selective", ["source_block.gate"]),
    ],
)
def test_gates_begin_with_their_bias(name: str, gates: list[str]) -> None:
    for values, bias in (({"gate_bias": -1.5}, -1.5), ({}, None if name == "doc_transformer" else 0.0)):
        model = build(name, {**SMALL, **values}, SIZE, SIZE, True)
        for gate in gates:
            found = model.get_submodule(gate).bias
            assert found is None if bias is None else torch.equal(found, torch.full((16,), bias))  # type: ignore[arg-type]


@pytest.mark.parametrize("place", ["encoder", "decoder", "joint"])
def test_han_has_a_block_at_its_place_alone(place: str) -> None:
    """On top of the decoder alone, the encoder is that of the sentence model."""
    model = network("han", place=place)
    assert isinstance(model, Han)
    assert (model.encoder_block is not None) == (place != "decoder")
    assert (model.decoder_block is not None) == (place != "encoder")
    source = batch(model, PARAGRAPHS).source
    found, wanted = model.encode_source(source).states, sentence_model(model).encode(source.ids).states
    assert torch.allclose(found, wanted, atol=1e-5) == (place == "decoder")


@EVERY
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_paragraph_does_not_depend_on_the_batch(name: str, norm: str) -> None:
    model = network(name, norm=norm).double()
    others = [paragraph([30, 2], 7), *PARAGRAPHS, paragraph([2], 8)]
    together = logits(model, others)
    for one, sentences in zip(others, together, strict=True):
        for found, wanted in zip(sentences, logits(model, [one])[0], strict=True):
            torch.testing.assert_close(found, wanted, atol=1e-9, rtol=1e-9)


@EVERY
def test_only_what_is_seen_counts(name: str) -> None:
    """Online a sentence does not depend on later ones; the last one depends on the first."""
    model = network(name, **({"sentences": 9} if "sentences" in vars(SYSTEMS[name].switches({})) else {}))
    model.settings = replace(model.settings, context="online")
    one = paragraph([3, 4, 5, 3], 5)
    other = paragraph([3, 4, 5, 3], 6)
    later = Paragraph([*one.source[:2], *other.source[2:]], [*one.target[:2], *other.target[2:]])
    earlier = Paragraph([other.source[0], *one.source[1:]], [other.target[0], *one.target[1:]])
    wanted, changed, moved = (logits(model, [each])[0] for each in (one, later, earlier))
    for place in range(2):
        torch.testing.assert_close(changed[place], wanted[place], atol=1e-5, rtol=1e-5)
    assert not torch.allclose(moved[3], wanted[3], atol=1e-3)


@EVERY
def test_greedy_translations_are_one_sentence_and_one_word_after_the_other(name: str) -> None:
    model = network(name, end=4.0)
    found = dict(translate_paragraphs(model, PARAGRAPHS, GREEDY))
    for number, one in enumerate(PARAGRAPHS):
        done: list[list[int]] = []
        for place, source in enumerate(one.source):
            ids: list[int] = []
            while not ids or ids[-1] != END:
                targets = [*done, ids, *([5] for _ in one.source[place + 1 :])]
                scores = logits(model, [Paragraph(one.source, targets)])[0][place][-1].clone()
                forbid_specials(scores)
                if not ids:
                    scores[END] = -torch.inf
                full = len(ids) == len(source) + GREEDY.max_length_offset
                ids.append(END if full else int(scores.argmax()))
            done.append(ids[:-1])
        assert [list(hypotheses[0].ids) for hypotheses in found[number]] == done


@EVERY
def test_beam_search_and_scores_agree_with_forward(name: str) -> None:
    model = network(name)
    found = dict(translate_paragraphs(model, PARAGRAPHS, replace(BEAM, batch_tokens=30)))
    best = [Paragraph(one.source, [h[0].ids for h in found[number]]) for number, one in enumerate(PARAGRAPHS)]
    items = [(number, place, ids) for number, one in enumerate(best) for place, ids in enumerate(one.target)]
    scores = dict(score_paragraphs(model, best, items, 30))
    outputs = logits(model, best)
    check_scores(items, scores, found, outputs)


@pytest.mark.parametrize(
    ("name", "gradient"),
    [
        (name, gradient)
        for name in TEXT_ONLY
        for gradient in (False, True)
        if not gradient or name not in ("doc_transformer", "side_constraint")
    ],
)
def test_every_new_parameter_gets_a_gradient(name: str, gradient: bool) -> None:
    model = network(name, context_gradient=gradient).train()
    made = batch(model, PARAGRAPHS)
    model(made, made.target_output != PAD).square().sum().backward()
    for parameter, value in model.named_parameters():
        assert value.grad is not None and value.grad.isfinite().all(), parameter
        assert value.grad.abs().sum() > 0, parameter


@pytest.mark.parametrize("name", [name for name in TEXT_ONLY if name != "side_constraint"])  # which adds no parameters
def test_a_batch_without_context_trains_with_stage_1_frozen(name: str) -> None:
    """The loss depends on the new parameters, though they change nothing."""
    model = network(name).train()
    stage_1 = {key for key, _ in sentence_model(model).named_parameters()}
    for key, value in model.named_parameters():
        value.requires_grad_(key not in stage_1)
    model(batch(model, [paragraph([3]), paragraph([2], 2)])).square().sum().backward()


@EVERY
def test_one_word_in_one_sentence_has_a_translation(name: str) -> None:
    model = network(name)
    assert len(dict(translate_paragraphs(model, [paragraph([1])], GREEDY))[0][0][0].ids) >= 1


@EVERY
def test_a_model_comes_back_as_it_was(name: str, tmp_path: Path) -> None:
    model = network(name)
    path = tmp_path / "model.safetensors"
    save_model(path, model, name, {**SMALL, **OF_SYSTEM.get(name, {})}, WORDS, WORDS)
    loaded = load_model(path, WORDS, WORDS, system=name)
    made = batch(model, PARAGRAPHS)
    assert torch.equal(loaded(made), model(made))


@EVERY
def test_a_sentence_model_initialises_it(name: str) -> None:
    """All parameters of the sentence model exist under the same names, with and without normalisation before blocks."""
    for norm in ("post", "pre"):
        with torch.device("meta"):
            model, base = (
                build(system, {"norm": norm}, SIZE, SIZE, True).state_dict() for system in (name, "transformer")
            )
        assert {key: each.shape for key, each in base.items()}.items() <= {
            key: each.shape for key, each in model.items()
        }.items()


@pytest.mark.parametrize(
    ("name", "published", "extra"),
    [
        ("han", 7.36, 28 * 512**2 + 40 * 512),
        ("doc_transformer", 22.06, 84 * 512**2 + 85 * 512),
        ("continuous_cache", 1.84, 7 * 512**2 + 5 * 512),
        ("hm_gdc", 7.35, 28 * 512**2 + 28 * 512),
    ],
)
def test_parameters_of_the_base_size(name: str, published: float, extra: int) -> None:
    """Spec 06, 3.3; HM-GDC's published number is 7.30 M."""
    with torch.device("meta"):
        model, base = (build(system, {}, SIZE, SIZE, True) for system in (name, "transformer"))
    more = sum(p.numel() for p in model.parameters()) - sum(p.numel() for p in base.parameters())
    assert more == extra
    assert round(more / 1e6, 2) == published


def test_systems_that_look_back() -> None:
    """The others translate all sentences in one batch."""
    assert [
        name for name in ("han", "doc_transformer", "continuous_cache", "hm_gdc") if reads_translations(network(name))
    ] == [
        "han",
        "continuous_cache",
    ]
    assert not reads_translations(network("han", place="encoder"))
    assert not reads_translations(network("continuous_cache", context="none"))
