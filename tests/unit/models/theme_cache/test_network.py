"""The theme-rheme cache: worked examples, properties, and parity with a run sentence by sentence."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.functional import layer_norm

from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.inference import score_paragraphs, translate_paragraphs
from discourse_nmt.models.core.beam_search import beam_search
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.models.systems import SYSTEMS, build
from discourse_nmt.models.theme_cache.network import ContextualAttention, ThemeRhemeCache
from discourse_nmt.training.checkpoints.model_files import load_model, save_model
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.settings import TrainingSettings
from tests.unit.models.context.context_examples import (
    BEAM,
    SIZE,
    batch,
    check_scores,
    logits,
    paragraph,
    sentence_model,
)
from tests.unit.models.theme_cache.cache_examples import DOCUMENTS, LABELLER, cache_network, cut, with_words
from tests.unit.models.theme_cache.cache_reference import translated, words_of
from tests.unit.training.run.training_toy import vocabulary

SWITCHES: list[dict[str, Any]] = [
    {"cache_size": 4},
    {"cache_size": 3, "dedup_when_not_full": True, "ctx_residual": "none", "gate_bias": -2.2},
    {"cache_size": 25, "ctx_residual": "both", "norm": "pre"},
    {"cache_size": 2, "stop_filter": False},
    {"cache": "continuous", "cache_size": 5, "beginning": "copy"},
    {"cache": "continuous", "cache_size": 2, "stop_filter": True},
    {"cache_size": 4, "context_gradient": True},
    {"cache_size": 4, "ageing": "fixed", "half_life": 0.7},
    {"cache_size": 3, "ageing": "learned", "half_life": 2.0, "context_gradient": True},
    {"cache": "continuous", "cache_size": 5, "ageing": "learned"},
]
KINDS = pytest.mark.parametrize("cache", ["theme_rheme", "continuous"])


def block(**switches: Any) -> ContextualAttention:
    found = cache_network(**switches).cache_block
    assert found is not None
    return found.double()


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_encoding_first_is_the_same_as_sentence_by_sentence(switches: dict[str, Any]) -> None:
    """States, cached words and gradients are those of a run with a cache that is carried from sentence to sentence."""
    torch.set_default_dtype(torch.float64)
    try:
        model = cache_network(**switches)
        outputs = logits(model, DOCUMENTS)
        stage_1 = sentence_model(model)
        references = [translated(model, one, stage_1)[0] for one in DOCUMENTS]
        wanted = [[stage_1.logits(states) for states in one] for one in references]
        for one, found in zip(wanted, outputs, strict=True):
            for states, output in zip(one, found, strict=True):
                torch.testing.assert_close(output, states, atol=1e-9, rtol=0)
        trained = {name: value for name, value in model.named_parameters() if value.requires_grad}
        copies = trained | dict(stage_1.named_parameters())
        gradients = [
            torch.autograd.grad(sum((each.square().sum() for one in rows for each in one), torch.zeros(())), values)
            for rows, values in ((outputs, list(trained.values())), (wanted, list(copies.values())))
        ]
        for first, second in zip(*gradients, strict=True):
            torch.testing.assert_close(first, second, atol=1e-7, rtol=1e-8)
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_T05_5_the_cache_never_exceeds_its_size_and_holds_no_stop_word(switches: dict[str, Any]) -> None:
    model = cache_network(**switches)
    made = batch(model, DOCUMENTS)
    words = made.source.structure
    half_life = model.cache_block.half_life  # type: ignore[union-attr]
    scores = model.scores(model.encode(made.source.ids).states, made.source)
    entries = words.cached(model.settings, scores, half_life)
    assert entries.shape == (len(made.source.ids), model.settings.cache_size)
    held = entries[entries >= 0]
    assert len(held) and (not model.settings.filters or not words.stops[held].any())
    rows = iter(entries.tolist())
    for one in DOCUMENTS:
        for types in translated(model, one)[1]:
            assert sorted(words.types[word] for word in next(rows) if word >= 0) == sorted(types)


def test_T05_3_gate() -> None:
    one = block(width=2, heads=1)
    h, d = torch.tensor([1.0, -1]).double(), torch.tensor([3.0, 1]).double()
    with torch.no_grad():
        one.gate.weight.zero_()
        torch.testing.assert_close(one.joined(h, d), torch.tensor([2.0, 0]).double())
        one.gate.weight.copy_(torch.cat((torch.eye(2), 0.5 * torch.eye(2)), dim=1))
        torch.testing.assert_close(one.joined(h, d), torch.tensor([2.848284, -0.244919]).double(), atol=5e-7, rtol=0)
        alpha = one.gate.share(h, d)
        torch.testing.assert_close(alpha, torch.tensor([0.924142, 0.377541]).double(), atol=5e-7, rtol=0)


def test_the_gate_begins_with_its_bias() -> None:
    sizes: dict[str, Any] = {"width": 16, "heads": 2, "feed_forward_width": 16}
    assert ContextualAttention(ThemeRhemeCacheSettings(**sizes)).gate.bias is None
    biased = ContextualAttention(ThemeRhemeCacheSettings(**sizes, gate_bias=-2.2))
    torch.testing.assert_close(biased.gate.bias, torch.full((16,), -2.2))


def test_scores_are_decided_in_full_precision() -> None:
    model = cache_network()
    made = batch(model, DOCUMENTS)
    with torch.autocast("cpu", torch.bfloat16):
        scores = model.scores(model.encode(made.source.ids).states, made.source)
    assert scores is not None and scores.dtype == torch.float32


def test_T05_5_the_order_of_entries_does_not_matter() -> None:
    one = block()
    states, cached = torch.randn(2, 3, 16).double(), torch.randn(2, 5, 16).double()
    ages = torch.tensor([[1, 4, 2, 1, 3], [2, 1, 1, 0, 0]])
    order = torch.tensor([3, 1, 4, 0, 2])
    keys, values = one.attention.keys_values(cached, cached)
    torch.testing.assert_close(
        one(states, keys[:, order], values[:, order], ages[:, order]), one(states, keys, values, ages)
    )


def test_ageing_is_a_factor_on_the_weights() -> None:
    """Equal entries of ages 1 and 3 and a half-life of 2 share the attention as 2 to 1; as printed, equally."""
    states, cached = torch.randn(1, 3, 16).double(), torch.randn(1, 1, 16).double().expand(1, 2, 16)
    values = torch.eye(16).double()[None, :2]
    for ageing, wanted in (("none", [1 / 2, 1 / 2]), ("fixed", [2 / 3, 1 / 3]), ("learned", [2 / 3, 1 / 3])):
        one = block(ageing=ageing, half_life=2.0)
        if one.log_half_life is not None:
            nn.init.constant_(one.log_half_life, math.log(2))
        with torch.no_grad():
            one.attention.output.weight.copy_(torch.eye(16))
            one.attention.output.bias.zero_()
        recency = one._recency(torch.tensor([[1, 3]]), states)
        read = one.attention.read(states, cached, values, None, recency)
        torch.testing.assert_close(read[0, :, :2], torch.tensor([wanted] * 3).double())


def test_words_do_not_age_in_the_paper() -> None:
    settings = ThemeRhemeCacheSettings()
    assert (settings.ageing, settings.carried_sentences) == ("none", 0)
    assert block().half_life is None and block(ageing="fixed", half_life=3.0).half_life == 3.0
    learned = ContextualAttention(ThemeRhemeCacheSettings(ageing="learned", half_life=5.0))
    assert learned.half_life == pytest.approx(5.0)


def test_T05_5_an_entry_is_its_value_alone() -> None:
    """What a labeller makes of a word decides whether it is stored and is no part of what is read of it."""
    model = cache_network(cache_size=25)
    found = logits(model, DOCUMENTS)
    assert model.labeller is not None
    with torch.no_grad():
        for value in model.labeller.parameters():
            value.add_(torch.randn(value.shape))
    assert max(len(types) for one in DOCUMENTS for types in translated(model, one)[1]) <= 25  # nothing is left out
    for one, other in zip(found, logits(model, DOCUMENTS)):
        for output, wanted in zip(one, other, strict=True):
            torch.testing.assert_close(output, wanted)


@KINDS
def test_T05_5_an_empty_cache_is_the_step_1_model_bit_for_bit(cache: str) -> None:
    """Documents of one sentence, and sentences before which there are stop words only."""
    model = cache_network(cache=cache, stop_filter=True)
    single = [with_words(paragraph([4], seed), seed) for seed in range(5)]
    made = batch(model, [*single, with_words(paragraph([4, 4, 4]), 7, stop_share=1.0)])
    assert torch.equal(model(made), sentence_model(model)(made.source.ids, made.target_input))


@KINDS
def test_T05_5_first_sentences_do_not_depend_on_what_precedes_the_document(cache: str) -> None:
    model = cache_network(cache=cache).double()
    alone = logits(model, [DOCUMENTS[2]])[0]
    for others in ([DOCUMENTS[0]], [DOCUMENTS[1], DOCUMENTS[0]]):
        for found, wanted in zip(logits(model, [*others, DOCUMENTS[2]])[-1], alone, strict=True):
            torch.testing.assert_close(found, wanted, atol=1e-12, rtol=0)
    first = logits(model, [cut(DOCUMENTS[2], [0])])[0][0]
    torch.testing.assert_close(alone[0], first, atol=1e-12, rtol=0)


@pytest.mark.parametrize("residual", ["none", "ffn", "both"])
def test_T05_6_a_single_entry(residual: str) -> None:
    """All weight is on it, so that all states find the same unless their own enters by the residual connection."""
    one = block(ctx_residual=residual)
    states, cached = torch.randn(1, 4, 16).double(), torch.randn(1, 1, 16).double()
    keys, values = one.attention.keys_values(cached, cached)
    read = one.attention.read(one.attention.query(states), keys, values, None)
    torch.testing.assert_close(read, one.attention.output(values).expand(1, 4, 16))
    found = one.context(states, keys, values, torch.ones(1, 1, 1, 1, dtype=torch.bool))
    assert torch.allclose(found, found[:, :1].expand_as(found)) == (residual != "both")


@pytest.mark.parametrize("residual", ["none", "ffn", "both"])
def test_a_block_that_begins_copying_finds_the_entry_itself(residual: str) -> None:
    switches: dict[str, Any] = {
        "width": 16,
        "heads": 2,
        "feed_forward_width": 32,
        "dropout": 0.0,
        "ctx_residual": residual,
    }
    one = ContextualAttention(ThemeRhemeCacheSettings(**switches, beginning="copy")).double()
    states, cached = torch.randn(1, 4, 16).double(), torch.randn(1, 1, 16).double()
    found = one.context(states, *one.attention.keys_values(cached, cached), torch.ones(1, 1, 1, 1, dtype=torch.bool))
    entry = cached + states if residual == "both" else cached.expand(1, 4, 16)
    torch.testing.assert_close(found, layer_norm(layer_norm(entry, [16]), [16]))


@pytest.mark.parametrize("off", [{"cache_size": 0}, {"cache": "none"}, {"context": "none"}], ids=str)
def test_T05_7_without_a_cache_it_is_the_plain_transformer(off: dict[str, Any]) -> None:
    model = cache_network(**off)
    assert model.settings.context == "none" and not model.settings.structure and not model.settings.companions
    stage_1 = sentence_model(model)
    assert set(model.state_dict()) == set(stage_1.state_dict())
    plain = [replace(one, structure=None) for one in DOCUMENTS]
    made = batch(model, plain)
    assert torch.equal(model(made), stage_1(made.source.ids, made.target_input))
    settings = replace(BEAM, batch_tokens=1)
    found = dict(translate_paragraphs(model, plain, settings))
    for number, one in enumerate(plain):
        for ids, hypotheses in zip(one.source, found[number], strict=True):
            assert hypotheses == beam_search(stage_1, torch.tensor([[BEGIN, *ids, END]]), settings)[0]


@KINDS
def test_translation_as_one_batch_is_translation_sentence_by_sentence(cache: str) -> None:
    """The n-th sentence is translated alike in the document up to it, whatever the batches."""
    model = cache_network(cache=cache, cache_size=4)
    found = dict(translate_paragraphs(model, DOCUMENTS, BEAM))
    for number, one in enumerate(DOCUMENTS):
        for place, hypotheses in enumerate(found[number]):
            part = dict(translate_paragraphs(model, [cut(one, range(place + 1))], replace(BEAM, batch_tokens=9)))[0]
            assert [each.ids for each in hypotheses] == [each.ids for each in part[place]]
            assert [h.score for h in hypotheses] == pytest.approx([h.score for h in part[place]], abs=1e-5)


@KINDS
def test_beam_search_and_scores_agree_with_forward(cache: str) -> None:
    model = cache_network(cache=cache)
    found = dict(translate_paragraphs(model, DOCUMENTS, replace(BEAM, batch_tokens=30)))
    best = [replace(one, target=[h[0].ids for h in found[number]]) for number, one in enumerate(DOCUMENTS)]
    items = [(number, place, ids) for number, one in enumerate(best) for place, ids in enumerate(one.target)]
    check_scores(items, dict(score_paragraphs(model, best, items, 30)), found, logits(model, best))


def test_the_labeller_is_frozen_and_evaluates() -> None:
    """No gradient reaches it, the optimiser leaves it out, and its dropout is off while the rest trains."""
    model = cache_network().train()
    assert model.labeller is not None and not model.labeller.training and model.training
    settings = TrainingSettings(rates={"labeller": 1.0})
    optimiser = Optimiser(model, settings, rates_of(settings, set(), [name for name, _ in model.named_parameters()]))
    assert not any(name.startswith("labeller") for name in optimiser.names)
    made = batch(model, DOCUMENTS)
    model(made, made.target_output != PAD).square().sum().backward()
    for name, value in model.named_parameters():
        assert (value.grad is None) == name.startswith("labeller"), name
        assert name.startswith("labeller") or value.grad.abs().sum() > 0, name  # type: ignore[union-attr]


def test_documents_without_anything_cached_train_with_stage_1_frozen() -> None:
    model = cache_network().train()
    stage_1 = {key for key, _ in sentence_model(model).named_parameters()}
    for key, value in model.named_parameters():
        value.requires_grad_(key not in stage_1)
    model(batch(model, [with_words(paragraph([3], seed), seed) for seed in (1, 2)])).square().sum().backward()


def test_a_model_comes_back_with_its_labeller(tmp_path: Path) -> None:
    model = cache_network()
    path = tmp_path / "model.safetensors"
    save_model(path, model, "theme_rheme_cache", model.settings, vocabulary(SIZE), vocabulary(SIZE))
    loaded = load_model(path, vocabulary(SIZE), vocabulary(SIZE), system="theme_rheme_cache")
    made = batch(model, DOCUMENTS)
    assert torch.equal(loaded(made), model(made))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_sentence_model_initialises_it(norm: str) -> None:
    with torch.device("meta"):
        model, base = (build(name, {"norm": norm}, SIZE, SIZE, True) for name in ("theme_rheme_cache", "transformer"))
    own = {key: each.shape for key, each in model.state_dict().items()}
    assert {key: each.shape for key, each in base.state_dict().items()}.items() <= own.items()


def test_parameters_of_the_base_size() -> None:
    """The attention, a feed-forward block, two normalisations and the gate without a bias: 14 d² + 13 d."""
    with torch.device("meta"):
        model, base = (build(name, {}, SIZE, SIZE, True) for name in ("theme_rheme_cache", "transformer"))
    assert isinstance(model, ThemeRhemeCache) and model.labeller is not None
    trained = sum(value.numel() for value in model.parameters() if value.requires_grad)
    assert trained - sum(value.numel() for value in base.parameters()) == 14 * 512**2 + 13 * 512
    frozen = sum(value.numel() for value in model.labeller.parameters())
    assert frozen == 2 * sum(4 * 256 * (512 + 256 + 2) for _ in range(2)) + 5 * 512 + 4


def test_words_of_a_batch() -> None:
    """Words are runs of subwords of one number within a sentence, with the highest of their scores."""
    model = cache_network()
    made = batch(model, DOCUMENTS)
    words, ids = made.source.structure, made.source.ids
    scores = torch.rand(ids.shape)
    wanted = iter(words.of_words(scores).tolist())
    row = 0
    for one in DOCUMENTS:
        for sentence in words_of(one.structure):
            for places, _, _ in sentence:
                assert next(wanted) == pytest.approx(max(scores[row, 1 + place].item() for place in places))
            row += 1
    assert next(wanted, None) is None
    assert SYSTEMS["theme_rheme_cache"].switches(LABELLER).structure == "cache_words"
