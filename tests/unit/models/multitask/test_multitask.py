"""The multi-task system: against a literal one, what it depends on, what its losses move, and its size."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.context.inference import Paragraph, score_paragraphs, translate_paragraphs
from discourse_nmt.models.core.beam_search import beam_search
from discourse_nmt.models.multitask.analysis import discourse_of
from discourse_nmt.models.multitask.labels import shortened
from discourse_nmt.models.multitask.losses import AnalysisLosses
from discourse_nmt.models.multitask.network import Multitask
from discourse_nmt.models.multitask.paragraph_analysis import ParagraphAnalysis
from discourse_nmt.models.switches.multitask import MultitaskSettings
from discourse_nmt.models.systems import build
from discourse_nmt.training.checkpoints.model_files import load_model, save_model
from tests.unit.models.context.context_examples import BEAM, SIZE, batch, check_scores, logits, sentence_model
from tests.unit.models.context.context_examples import paragraph as random_paragraph
from tests.unit.models.multitask.multitask_examples import PARAGRAPHS, RELATIONS, analysed, multitask, without_parser
from tests.unit.models.multitask.multitask_reference import Reference
from tests.unit.training.run.training_toy import vocabulary

SWITCHES: list[dict[str, Any]] = [
    {},
    {"tok_norm": "edu", "dec_tok_keys": "raw"},
    {"tok_norm": "global_renorm", "enc_fuse": "hier"},
    {"fuse": "encoder", "dasa_layers": 2, "dasa_residual": True},
    {"fuse": "decoder", "dec_fuse": "plain"},
    {"edu_attn": "mhsa", "norm": "pre"},
    {"dep_forward_train": "gold", "test_structure": "multitask+parser"},
    {"unit_order": "relative", "unit_reach": 2, "dasa_layers": 2, "dasa_residual": True},
    {"unit_order": "relative", "edu_attn": "mhsa"},
]


@pytest.mark.parametrize("switches", SWITCHES)
@pytest.mark.parametrize("training", [True, False])
def test_network_and_losses_are_the_literal_ones(switches: dict[str, Any], training: bool) -> None:
    model = multitask(dropout=0.0, **switches).double().train(training)
    settings = model.settings
    made = batch(model, PARAGRAPHS)
    wanted = made.target_output != PAD
    states, extra = model.learn(made, wanted)
    found = model.logits(states)
    gold = made.target_output[wanted]
    assert extra is not None
    likelihood = -found.log_softmax(-1).gather(1, gold[:, None]).sum()
    literal, literal_extra, rows = torch.zeros((), dtype=torch.float64), torch.zeros((), dtype=torch.float64), []
    for one in PARAGRAPHS:
        given = list(one.structure.heads)
        learnt = given if settings.dep_forward_train == "gold" else None
        in_use = learnt if training else given if settings.test_structure == "multitask+parser" else None
        reading = Reference(model, one, training or settings.test_structure == "multitask+parser", in_use)
        for ids, each in zip(one.target, reading.translated(one)):
            rows.append(each)
            literal = literal - each.gather(1, torch.tensor([*ids, END])[:, None]).sum()
        segmentation, heads, relations = Reference(model, one, True, learnt).losses(one, settings.classes)
        literal_extra = literal_extra + 0.5 * segmentation + heads + relations
    torch.testing.assert_close(found.log_softmax(-1), torch.cat(rows), atol=1e-6, rtol=0)
    torch.testing.assert_close(extra, literal_extra, atol=1e-6, rtol=0)
    parameters = list(model.parameters())
    both = [
        torch.autograd.grad(loss, parameters, allow_unused=True)
        for loss in (likelihood + extra, literal + literal_extra)
    ]
    for (name, _), got, gradient in zip(model.named_parameters(), *both):
        assert got is not None and gradient is not None, name
        torch.testing.assert_close(got, gradient, atol=1e-6, rtol=1e-6, msg=name)


@pytest.mark.parametrize("switches", SWITCHES)
def test_every_parameter_learns(switches: dict[str, Any]) -> None:
    model = multitask(biaffine_bias=switches.get("edu_attn") != "mhsa", **switches).train()
    made = batch(model, PARAGRAPHS)
    found, extra = model.learn(made, made.target_output != PAD)
    assert extra is not None
    (model.logits(found).square().sum() + extra).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.isfinite().all(), name
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize("switches", [{}, {"enc_fuse": "hier", "dec_fuse": "plain", "biaffine_bias": True}])
def test_half_precision(switches: dict[str, Any]) -> None:
    model = multitask(**switches).train()
    made = batch(model, PARAGRAPHS)
    with torch.autocast("cpu", torch.bfloat16):
        found, extra = model.learn(made, made.target_output != PAD)
        assert extra is not None
        (model.logits(found).float().square().mean() + extra).backward()
        translated = dict(translate_paragraphs(model.eval(), PARAGRAPHS, BEAM))
    assert all(value.grad is not None and value.grad.isfinite().all() for value in model.parameters())
    assert len(translated) == len(PARAGRAPHS)


def gradient_of_translation(model: Multitask) -> float:
    made = batch(model, PARAGRAPHS[:2])
    biaffine = model.unit_layers[-1].biaffine
    assert isinstance(biaffine, torch.Tensor)
    likelihood = model(made, made.target_output != PAD).log_softmax(-1)[:, 7].sum()
    (gradient,) = torch.autograd.grad(likelihood, [biaffine], allow_unused=True)
    return 0.0 if gradient is None else gradient.abs().sum().item()


def test_t04_9_translation_moves_the_dependency_head_only_where_it_is_predicted() -> None:
    assert gradient_of_translation(multitask().train()) > 0
    assert gradient_of_translation(multitask(dep_forward_train="gold").train()) == 0


def test_t04_9_without_a_parser_nothing_of_it_counts() -> None:
    model = multitask()
    others = [replace(analysed(one, 40 + place), target=one.target) for place, one in enumerate(PARAGRAPHS)]
    others = [
        replace(other, structure=replace(other.structure, words=one.structure.words))
        for one, other in zip(PARAGRAPHS, others)
    ]
    outputs = [logits(model, each) for each in (PARAGRAPHS, others, without_parser(PARAGRAPHS))]
    for found in outputs[1:]:
        for one, sentences in zip(found, outputs[0], strict=True):
            for got, wanted in zip(one, sentences, strict=True):
                assert torch.equal(got, wanted)
    parsing = multitask(test_structure="multitask+parser")
    found = logits(parsing, PARAGRAPHS)
    assert not torch.allclose(found[0][0], logits(parsing, others)[0][0], atol=1e-4)
    assert torch.equal(logits(parsing, without_parser(PARAGRAPHS))[0][0], outputs[0][0][0])


def test_no_unit_is_predicted_to_end_inside_a_word() -> None:
    model = multitask()
    with torch.no_grad():
        model.boundary.bias.fill_(100)
    found = discourse_of(model.encode_source(batch(model, without_parser(PARAGRAPHS)).source)).analysis
    words = [sum(int(each[-1]) + 1 for each in one.structure.words) for one in PARAGRAPHS]
    assert found.units.present.sum(dim=1).tolist() == words


@pytest.mark.parametrize("threshold", [0.6, 0.8])
def test_a_unit_ends_where_the_probability_is_above_the_switch(threshold: float) -> None:
    """It is 0.7 after every word; at the end of a sentence a unit ends in any case."""
    model = multitask(segmentation_threshold=threshold)
    with torch.no_grad():
        model.boundary.weight.zero_()
        model.boundary.bias.fill_(math.log(0.7 / 0.3))
    found = discourse_of(model.encode_source(batch(model, without_parser(PARAGRAPHS)).source)).analysis
    words = [sum(int(each[-1]) + 1 for each in one.structure.words) for one in PARAGRAPHS]
    sentences = [len(one.source) for one in PARAGRAPHS]
    assert found.units.present.sum(dim=1).tolist() == (words if threshold < 0.7 else sentences)


def test_scaled_scores_of_heads_are_divided_by_the_root_of_the_width_of_a_head() -> None:
    scores: list[Any] = []
    for scaled in (False, True):
        model = multitask(biaffine_scale=scaled)
        scores.append(discourse_of(model.encode_source(batch(model, PARAGRAPHS[:1]).source)).analysis.heads)
    torch.testing.assert_close(scores[1], scores[0] / math.sqrt(16 / 2))


def test_without_context_it_is_the_sentence_model_bit_for_bit() -> None:
    model = multitask(context="none")
    plain = [replace(one, structure=None) for one in PARAGRAPHS]
    made = batch(model, plain)
    stage_1 = sentence_model(model)
    assert torch.equal(model(made), stage_1(made.source.ids, made.target_input))
    wanted = made.target_output != PAD
    found, extra = model.train().learn(made, wanted)
    assert extra is None and found.shape == (int(wanted.sum()), model.settings.width)
    alone = replace(BEAM, batch_tokens=1)
    for number, translations in translate_paragraphs(model.eval(), plain, alone):
        for ids, hypotheses in zip(plain[number].source, translations, strict=True):
            assert hypotheses == beam_search(stage_1, torch.tensor([[BEGIN, *ids, END]]), alone)[0]


@pytest.mark.parametrize("switches", [{}, {"dec_fuse": "plain", "enc_fuse": "hier", "norm": "pre"}])
def test_a_paragraph_does_not_depend_on_the_batch(switches: dict[str, Any]) -> None:
    model = multitask(**switches).double()
    others = [analysed(random_paragraph([30, 2], 7), 7), *PARAGRAPHS, analysed(random_paragraph([2], 8), 8)]
    together = logits(model, without_parser(others))
    for one, sentences in zip(without_parser(others), together, strict=True):
        for found, wanted in zip(sentences, logits(model, [one])[0], strict=True):
            torch.testing.assert_close(found, wanted, atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("parser", [False, True])
def test_beam_search_and_scores_agree_with_forward(parser: bool) -> None:
    model = multitask(test_structure="multitask+parser" if parser else "multitask")
    given = PARAGRAPHS if parser else without_parser(PARAGRAPHS)
    found = dict(translate_paragraphs(model, given, replace(BEAM, batch_tokens=30)))
    best = [replace(one, target=[h[0].ids for h in found[number]]) for number, one in enumerate(given)]
    items = [(number, place, ids) for number, one in enumerate(best) for place, ids in enumerate(one.target)]
    scores = dict(score_paragraphs(model, best, items, 30))
    outputs = logits(model, best)
    check_scores(items, scores, found, outputs)


def test_size_is_that_of_the_paper() -> None:
    """Specification 04, section 14; 18 classes and those of roots."""
    switches = {"relations": [str(number) for number in range(18)]}
    model, plain = (build(*each, 20, 20, True) for each in (("multitask", switches), ("transformer", {})))
    extra = sum(p.numel() for p in model.parameters()) - sum(p.numel() for p in plain.parameters())
    width, key, classes = 512, 64, 19
    wanted = 4 * width**2 + key**2 + 2 * (2 * width**2 + width) + 6 * width**2 + width + 1
    assert extra == wanted + 2 * width * classes + classes
    assert round(extra / 1e6, 1) == 3.7


def test_shorter_paragraphs_are_paragraphs_of_their_own() -> None:
    model = multitask(paragraph_len=2).double()
    one = PARAGRAPHS[0]
    borders = [(0, 2), (2, 4), (4, 5)]
    parts = [
        Paragraph(one.source[a:b], one.target[a:b], part)
        for (a, b), part in zip(borders, shortened(one.structure, 2, "ROOT"))
    ]
    sentences = [each for found in logits(model, parts) for each in found]
    for found, wanted in zip(logits(model, [one])[0], sentences, strict=True):
        torch.testing.assert_close(found, wanted, atol=1e-9, rtol=1e-9)
    made, wanted_batch = batch(model.train(), [one]), batch(model, parts)
    for name, tensor in vars(made.source.structure).items():
        assert torch.equal(tensor, getattr(wanted_batch.source.structure, name)), name


def test_a_head_in_another_run_of_sentences_is_lost() -> None:
    units = [np.array([0, 1]), np.array([2]), np.array([3])]
    one = ParagraphAnalysis([np.arange(2)] * 3, units, [2, 0, 2, -1], ["a", "a", "ROOT", ""])
    first, second = shortened(one, 2, "ROOT"), shortened(one, 1, "ROOT")
    assert [list(part.heads) for part in first] == [[2, 0, 2], [-1]]
    # A unit is its own head where it loses one, also if it is not the first of its run.
    outside = ParagraphAnalysis([np.arange(2)] * 2, [np.array([0, 0]), np.array([1, 2])], [0, 1, 0], ["ROOT", "a", "a"])
    assert [list(part.heads) for part in shortened(outside, 1, "ROOT")] == [[0], [0, 1]]
    assert [list(part.heads) for part in second] == [[0, 0], [0], [-1]]
    assert [list(part.relations) for part in second] == [["ROOT", "a"], ["ROOT"], [""]]


@pytest.mark.parametrize(("lambda1", "lambda2"), [(0.25, 1.0), (0.75, 0.5), (0.0, 2.0)])
def test_every_loss_has_its_weight(lambda1: float, lambda2: float) -> None:
    """Spec 04, equation 19: the second weight is that of heads and of relations; numbers of example T04-4."""
    losses = AnalysisLosses(*map(torch.tensor, (1.013683, 2.990647, 1.889602, 5, 3)))
    wanted = lambda1 * 1.013683 + lambda2 * (2.990647 + 1.889602)
    assert losses.joint(lambda1, lambda2).item() == pytest.approx(wanted)
    mean = lambda1 * 1.013683 / 5 + lambda2 * (2.990647 + 1.889602) / 3
    assert losses.joint(lambda1, lambda2, per=7).item() == pytest.approx(7 * mean)


@pytest.mark.parametrize("name", ["lambda1", "lambda2"])
def test_the_weights_are_the_switches(name: str) -> None:
    """The loss is linear in each switch, and each counts."""
    losses = []
    for value in (0.0, 1.0, 2.0):
        switches: dict[str, Any] = {name: value, "dropout": 0.0}
        model = multitask(**switches).double().train()
        made = batch(model, PARAGRAPHS)
        added = model.learn(made, made.target_output != PAD)[1]
        assert added is not None
        losses.append(added.item())
    assert losses[2] - losses[1] == pytest.approx(losses[1] - losses[0])
    assert losses[1] - losses[0] > 0.1


def test_a_strange_relation_and_wrong_switches_are_told() -> None:
    one = PARAGRAPHS[0]
    strange = replace(one.structure, relations=["b_n" for _ in one.structure.relations])
    with pytest.raises(InputError, match=r"b_n is none of the relations of the system; .* did you mean b_m\?"):
        batch(multitask(), [replace(one, structure=strange)])
    with pytest.raises(InputError, match="names a class twice, or ROOT"):
        MultitaskSettings(relations=["ROOT"])
    with pytest.raises(InputError, match="which has no dependency head"):
        MultitaskSettings(edu_attn="mhsa", dep_forward_train="gold")


def test_what_structure_is_read() -> None:
    settings = MultitaskSettings()
    assert settings.structure == "paragraph_dependencies"
    assert [settings.decoding_structure(each) for each in (True, False)] == ["words", "words"]
    parsing = MultitaskSettings(test_structure="multitask+parser")
    assert [parsing.decoding_structure(each) for each in (True, False)] == ["paragraph_dependencies", "words"]
    assert MultitaskSettings(context="none").decoding_structure(True) == ""
    shuffled = MultitaskSettings(shuffled_trees=True, test_structure="multitask+parser")
    assert shuffled.structure == shuffled.decoding_structure(True) == "shuffled_paragraph_dependencies"
    assert MultitaskSettings(shuffled_trees=True, context="none").structure == ""


def test_a_saved_model_is_the_same(tmp_path: Path) -> None:
    model, words = multitask(), vocabulary(SIZE)
    path = tmp_path / "model.safetensors"
    save_model(path, model, "multitask", model.settings, words, words)
    loaded = load_model(path, words, words)
    assert isinstance(loaded, Multitask) and loaded.settings.relations == RELATIONS
    made = batch(model, PARAGRAPHS)
    assert torch.equal(loaded(made), model(made))
