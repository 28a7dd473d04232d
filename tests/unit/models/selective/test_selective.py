"""Properties of selective attention; T02-10 is the list of specification 02, section 11."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.discourse.structures.positions import PositionTables
from discourse_nmt.models.context.inference import Paragraph, score_paragraphs, translate_paragraphs
from discourse_nmt.models.context.lines import lines_of_paragraphs
from discourse_nmt.models.context.paragraphs import ParagraphSource
from discourse_nmt.models.selective.network import Selective, SelectiveBlock
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.selective import SelectiveSettings
from discourse_nmt.models.systems import build
from tests.unit.models.selective.selective_examples import (
    SIZE,
    SMALL,
    Example,
    batch_of,
    example,
    network,
    source_of,
    states_of,
)

PARAGRAPHS = [example([3, 1, 4], seed=1), example([2], seed=2), example([1, 5], seed=3)]
BEAM = DecodingSettings(beam=3, n_best=2, max_length_ratio=1.0, max_length_offset=2)
VARIANTS: list[dict[str, Any]] = [
    {"attention": attention, "dsp": kinds, "dsp_fusion": fusion, "rel_injection": injection}
    for attention in ("flat", "hier")
    for kinds, fusion, injection in (
        ([], "add", "ctx"),
        (["path"], "add", "ctx"),
        (["path", "rel_edu"], "nonlinear", "ctx"),
        (["abs_depth"], "nonlinear", "ctx"),
        (["rel_depth"], "add", "embed"),
    )
]
every_variant = pytest.mark.parametrize("switches", VARIANTS, ids=lambda one: "-".join(map(str, one.values())))


def matrices(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters() if parameter.dim() == 2)


def total(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def test_parameters_are_those_of_the_papers() -> None:
    """16 d^2 = 4.19 M for the source, 32 d^2 = 8.39 M for both sides; norms and biases add a tenth of a per cent."""
    assert matrices(SelectiveBlock(SelectiveSettings())) == 16 * 512**2 == 4_194_304
    assert total(SelectiveBlock(SelectiveSettings())) == 16 * 512**2 + 10 * 512
    assert matrices(SelectiveBlock(SelectiveSettings(attention="flat"))) == 14 * 512**2
    narrow = {**SMALL, "width": 32, "feed_forward_width": 128}
    variants: list[dict[str, Any]] = [
        {"dsp": []},
        {"dsp": [], "sides": "both"},
        {"dsp": ["path"]},
        {"dsp": ["path", "abs_edu"]},
    ]
    sizes = [total(build("selective", {**narrow, **switches}, SIZE, SIZE, True)) for switches in variants]
    sentence = total(build("transformer", narrow, SIZE, SIZE, True))
    block = 16 * 32**2 + 10 * 32
    fusion = 2 * 32**2 + 32
    assert [size - sentence for size in sizes] == [block, 2 * block, block + fusion, block + 2 * fusion]


@pytest.mark.parametrize("sides", ["source", "both"])
def test_without_context_it_is_the_sentence_model_bit_for_bit(sides: str) -> None:
    model = network(context="none", sides=sides, dsp=["path"]).float()
    plain = build("transformer", SMALL, SIZE, SIZE, True).eval()
    missing = plain.load_state_dict(model.state_dict(), strict=False).missing_keys
    assert not missing
    batch = batch_of(network(dsp=[]), PARAGRAPHS)
    assert torch.equal(model(batch), plain(batch.source.ids, batch.target_input))


@every_variant
def test_a_paragraph_of_one_sentence_keeps_its_states(switches: dict[str, Any]) -> None:
    model = network(sides="both", **switches)
    found = states_of(model, PARAGRAPHS)[3]
    ids = torch.tensor([[BEGIN, *PARAGRAPHS[1].sentences[0], END]])
    if not model.settings.embedded:
        torch.testing.assert_close(found, model.encode(ids).states[0], rtol=0, atol=1e-12)
    alone = batch_of(model, PARAGRAPHS[1:2])
    top = model.top_states(alone.target_input, model.encode_source(alone.source))
    wanted = alone.target_output != PAD
    torch.testing.assert_close(model(alone, wanted), model.logits(top[wanted]), rtol=0, atol=1e-12)
    if not model.settings.embedded:
        assert torch.equal(model.encode_source(alone.source).states, model.encode(ids).states)


def test_t02_10_without_positions_it_is_the_plain_host() -> None:
    """Parameters of the block have the same names, and the same weights give the same states."""
    plain = network(dsp=[])
    model = network(dsp=["path"])
    model.load_state_dict(plain.state_dict(), strict=False)
    assert model.context_fusion is not None and model.context_fusion.mix is not None
    torch.nn.init.zeros_(model.context_fusion.mix.weight)
    torch.nn.init.zeros_(model.context_fusion.mix.bias)  # tanh(0) is added
    for one, other in zip(states_of(plain, PARAGRAPHS), states_of(model, PARAGRAPHS)):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)
    assert source_of(plain, PARAGRAPHS).structure is None


def test_positions_that_are_no_paths_say_nothing_where_a_network_begins_copying() -> None:
    plain = network(dsp=[])
    model = build("selective", {**SMALL, "dsp": ["rel_edu"], "beginning": "copy"}, SIZE, SIZE, True).double()
    assert isinstance(model, Selective)
    assert torch.equal(model.source_block.attention.word_query.weight, model.source_block.attention.word_key.weight)
    model.load_state_dict(plain.state_dict(), strict=False)
    for one, other in zip(states_of(plain, PARAGRAPHS), states_of(model, PARAGRAPHS)):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-12)


def test_a_block_that_begins_copying_gives_back_what_the_context_says() -> None:
    model = build("selective", {**SMALL, "dsp": [], "beginning": "copy"}, SIZE, SIZE, True).double()
    assert isinstance(model, Selective)
    attention, lines = model.source_block.attention, lines_of_paragraphs(source_of(model, PARAGRAPHS))
    states = torch.randn(model.settings.width, dtype=torch.float64).expand(*lines.segments.shape, -1)
    seen = lines.present[:, None].expand(-1, states.shape[1], -1)
    found = attention(states, attention.keys(states, lines), lines, seen)
    torch.testing.assert_close(found, states)
    torch.testing.assert_close(model.source_block.feed_forward(found), found)
    assert torch.equal(attention.word_query.weight, attention.word_key.weight)


def test_copying_needs_a_wide_feed_forward_block() -> None:
    with pytest.raises(InputError, match=r"beginning is copy, feed_forward_width 15; it must be at least 16"):
        SelectiveSettings(width=8, heads=2, feed_forward_width=15, beginning="copy")


def permuted(paragraph: Example, order: list[int]) -> Example:
    """The sentences in another order, and their units with them; nothing is numbered anew."""
    return paragraph._replace(
        sentences=[paragraph.sentences[n] for n in order], units=[paragraph.units[n] for n in order]
    )


@every_variant
def test_t02_10_order_of_context_sentences_does_not_matter(switches: dict[str, Any]) -> None:
    paragraph, order = example([3, 1, 4, 2], seed=4), [2, 0, 3, 1]
    model = network(**switches)
    found, other = states_of(model, [paragraph]), states_of(model, [permuted(paragraph, order)])
    for place, sentence in enumerate(order):
        torch.testing.assert_close(other[place], found[sentence], rtol=0, atol=1e-9)


@pytest.mark.parametrize("fusion", ["add", "nonlinear"])
def test_t02_10_units_of_the_current_sentence_change_only_its_queries(fusion: str) -> None:
    """Other units of the first sentence: its own states change, with ``ctx`` and where they do not count as context."""
    paragraph = example([3, 1, 4], seed=6)
    other = paragraph._replace(units=[paragraph.units[0][::-1].copy(), *paragraph.units[1:]])
    model = network(dsp=["path", "rel_edu"], dsp_fusion=fusion, context="online")
    assert len(set(paragraph.units[0])) > 1
    one, two = states_of(model, [paragraph]), states_of(model, [other])
    torch.testing.assert_close(one[0], two[0], rtol=0, atol=1e-12)  # it sees nothing
    last = permuted(paragraph, [1, 2, 0]), permuted(other, [1, 2, 0])
    one, two = states_of(model, last[:1]), states_of(model, last[1:])
    for place in range(2):
        torch.testing.assert_close(one[place], two[place], rtol=0, atol=1e-12)
    assert not torch.allclose(one[2], two[2], atol=1e-6)


def test_online_context_is_the_earlier_sentences() -> None:
    paragraph = example([3, 2, 4], seed=5)
    changed = paragraph._replace(sentences=[*paragraph.sentences[:2], [9, 9, 9, 9]])
    model = network(dsp=["path"], context="online")
    one, two = states_of(model, [paragraph]), states_of(model, [changed])
    for place in range(2):
        torch.testing.assert_close(one[place], two[place], rtol=0, atol=1e-12)
    assert not torch.allclose(
        network(dsp=["path"]).encode_source(source_of(model, [paragraph])).states[0, 0], one[0][0]
    )


@every_variant
def test_paragraphs_of_a_batch_do_not_touch(switches: dict[str, Any]) -> None:
    model = network(**switches)
    alone = [states for paragraph in PARAGRAPHS for states in states_of(model, [paragraph])]
    for one, other in zip(states_of(model, PARAGRAPHS), alone, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9)


def test_context_without_words_is_not_seen() -> None:
    """A sentence of marks alone is no context, though it has one itself."""
    empty = Example([[8, 9], []], [np.array([0, 0]), np.array([], int)], PARAGRAPHS[1].tables)
    model = network(dsp=[])
    found = states_of(model, [empty])
    torch.testing.assert_close(found[0], model.encode(torch.tensor([[BEGIN, 8, 9, END]])).states[0])
    assert not torch.allclose(found[1], model.encode(torch.tensor([[BEGIN, END]])).states[0])


def test_words_far_apart_in_score_lose_nothing() -> None:
    """The softmax of a sentence is exact where another sentence's scores are far higher."""
    source = source_of(network(dsp=[]), [Example([[7, 8], [9, 10]], [], None)])
    lines = lines_of_paragraphs(source)
    scores = torch.tensor([0.0, 1.0, 2.0, 0.0, 0.0, 900.0, 901.0, 0.0])[None, None, None]
    shares = torch.tensor([0.25, 0.75])[None, None, None]
    weights = lines.softmax(scores, shares)[0, 0, 0]
    one = torch.tensor([1.0, 2.0]).softmax(0)
    torch.testing.assert_close(weights[[1, 2, 5, 6]], torch.cat((one * 0.25, one * 0.75)))
    assert weights[[0, 3, 4, 7]].tolist() == [0, 0, 0, 0]


def paragraphs_of(examples: list[Example], tree: bool = True) -> list[Paragraph]:
    targets = [[[8, 9], [10], [11, 7, 9]][: len(one.sentences)] for one in examples]
    return [
        Paragraph(one.sentences, target, (one.units, one.tables) if tree else None)
        for one, target in zip(examples, targets)
    ]


def test_without_trees_all_positions_are_0() -> None:
    """``use_tree: false``, and what a parser that fails stands for: every paragraph is one unit."""
    model = network(dsp=["path", "rel_edu"])
    given = source_of(model, PARAGRAPHS)
    flat = [
        one._replace(units=[np.zeros(len(ids), int) for ids in one.sentences], tables=without_tree())
        for one in PARAGRAPHS
    ]
    found = model.encode_source(ParagraphSource(given.ids, given.paragraphs)).states
    torch.testing.assert_close(found, model.encode_source(source_of(model, flat)).states, rtol=0, atol=1e-12)


def without_tree() -> PositionTables:
    empty = np.zeros((1, 1), int)
    return PositionTables(np.zeros(1, int), np.zeros(1), empty, empty)


@pytest.mark.parametrize("sides", ["source", "both"])
@pytest.mark.parametrize("attention", ["flat", "hier"])
def test_scores_of_targets_are_those_of_training(attention: str, sides: str) -> None:
    model = network(attention=attention, sides=sides, dsp=["path"])
    paragraphs = paragraphs_of(PARAGRAPHS)
    asked = [(0, 2, [11, 7, 9]), (0, 0, [8, 9]), (2, 1, [12, 13])]
    scores = dict(score_paragraphs(model, paragraphs, asked, batch_tokens=12))
    for number, (paragraph, sentence, ids) in enumerate(asked):
        assert scores[number] == pytest.approx(trained_score(model, paragraph, sentence, ids), abs=1e-6)


def trained_score(model: Selective, paragraph: int, sentence: int, ids: list[int]) -> float:
    """The log-probability of ``ids``, with the paragraph's other targets around them, by the pass of training."""
    batch = batch_of(model, PARAGRAPHS[paragraph : paragraph + 1])
    targets: list[list[int]] = [list(one) for one in paragraphs_of(PARAGRAPHS)[paragraph].target]
    targets[sentence] = ids
    longest = max(map(len, targets))
    entered = torch.tensor([[BEGIN, *one, *[0] * (longest - len(one))] for one in targets])
    logits: Tensor = model(type(batch)(batch.source, entered, entered))
    wanted = [*ids, END]
    return sum(logits[sentence, place].log_softmax(-1)[symbol].item() for place, symbol in enumerate(wanted))


@pytest.mark.parametrize("sides", ["source", "both"])
def test_translations_are_those_of_paragraphs_alone(sides: str) -> None:
    model = network(sides=sides, dsp=["path"])
    together = dict(translate_paragraphs(model, paragraphs_of(PARAGRAPHS), BEAM))
    for number, paragraph in enumerate(PARAGRAPHS):
        [(_, alone)] = translate_paragraphs(model, paragraphs_of([paragraph]), BEAM)
        assert len(alone) == len(paragraph.sentences)
        for one, other in zip(together[number], alone, strict=True):
            assert [hypothesis.ids for hypothesis in one] == [hypothesis.ids for hypothesis in other]
    assert dict(translate_paragraphs(model, paragraphs_of(PARAGRAPHS, tree=False), BEAM)).keys() == {0, 1, 2}


@pytest.mark.parametrize("sides", ["source", "both"])
def test_scores_of_the_search_are_those_of_its_translations(sides: str) -> None:
    model = network(sides=sides, dsp=["path"])
    [(_, found)] = translate_paragraphs(model, paragraphs_of(PARAGRAPHS[:1]), BEAM)
    best = [sentence[0] for sentence in found]
    paragraph = paragraphs_of(PARAGRAPHS[:1])[0]
    chosen = Paragraph(paragraph.source, [hypothesis.ids for hypothesis in best], paragraph.structure)
    items = [(0, place, hypothesis.ids) for place, hypothesis in enumerate(best)]
    scores = dict(score_paragraphs(model, [chosen], items, batch_tokens=100))
    for place, hypothesis in enumerate(best):
        assert scores[place] == pytest.approx(hypothesis.log_probability, abs=1e-5)


@pytest.mark.parametrize("switches", [VARIANTS[2], VARIANTS[6], VARIANTS[9]], ids=str)
def test_half_precision(switches: dict[str, Any]) -> None:
    """Mixed precision gives what single precision gives, as near as 8 bits allow, and finite gradients."""
    model = network(sides="both", **switches).float()
    batch = batch_of(model, PARAGRAPHS)
    wanted = batch.target_output != PAD
    with torch.autocast("cpu", torch.bfloat16):
        found = model(batch, wanted)
    torch.testing.assert_close(found.float(), model(batch, wanted), rtol=0, atol=0.25)
    found.float().sum().backward()
    assert all(one.grad is None or one.grad.isfinite().all() for one in model.parameters())
