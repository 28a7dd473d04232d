"""Units of words, attention among units, and attention to units and words: worked examples and literal loops."""

import math

import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.context.lines import lines_of_paragraphs
from discourse_nmt.models.context.paragraphs import Paragraphs, ParagraphSource
from discourse_nmt.models.multitask.discourse_attention import DiscourseAttention
from discourse_nmt.models.multitask.losses import AnalysisLosses, class_loss, segmentation_loss
from discourse_nmt.models.multitask.unit_attention import UnitAttention, word_weights
from discourse_nmt.models.multitask.unit_pooling import pooled, predicted_cuts, spread, units_of_lines
from discourse_nmt.models.sublayers.parts import Gate
from tests.unit.models.multitask.multitask_examples import (
    ATTENTION,
    BOUNDARIES,
    CUTS,
    EDUS,
    STATES,
    in_line,
    lines,
    units,
)

EVERYWHERE = torch.ones(1, 3, dtype=torch.bool)
HEADS = torch.tensor([[0, 0, 0]])


def close(found: Tensor, wanted: Tensor, tolerance: float = 1e-6) -> None:
    torch.testing.assert_close(found, wanted.to(found.dtype), atol=tolerance, rtol=0)


def identity() -> DiscourseAttention:
    """Two components, one head, all matrices the identity."""
    layer = DiscourseAttention(2, 1, 0.0, dependency=True).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.eye(2))
    return layer


def test_t04_1_pooling() -> None:
    close(pooled(units(), in_line(STATES)), EDUS)


def test_t04_2_dependency_head() -> None:
    layer = identity()
    vectors, scores = layer(EDUS, EVERYWHERE)
    assert scores is not None
    close(scores[0], torch.tensor([[5, 1, 4], [1, 2, -1], [4, -1, 5]]))
    close(scores.softmax(-1)[0], ATTENTION)
    close(vectors[0], torch.tensor([[1.238962, 1.721399], [-0.375650, 1.259496], [1.726119, 1.268455]]))
    assert layer.biaffine is not None
    with torch.no_grad():
        layer.biaffine.copy_(torch.tensor([[1, 1], [0, 1]]))
    close(layer(EDUS, EVERYWHERE)[1][0], torch.tensor([[7, 2, 5], [-1, 1, -2], [8, 1, 7]]))


def test_t04_3_parser_overwrite() -> None:
    vectors, scores = identity()(EDUS, EVERYWHERE, HEADS)
    close(vectors[0], torch.tensor([[1, 2]] * 3))
    close(scores.softmax(-1)[0], ATTENTION)
    vectors, _ = identity()(EDUS, EVERYWHERE, torch.tensor([[0, -1, 2]]))
    close(vectors[0], torch.tensor([[1, 2], [-0.375650, 1.259496], [2, 1]]))


def test_t04_4_losses() -> None:
    _, scores = identity()(EDUS, EVERYWHERE)
    terms = [class_loss(scores[0, unit], torch.tensor(0)) for unit in range(3)]
    close(torch.stack(terms), torch.tensor([0.326563, 1.349012, 1.315072]))
    heads = class_loss(scores, HEADS)
    close(heads, torch.tensor(2.990647))
    words = torch.ones(5, dtype=torch.bool)
    segmentation = segmentation_loss(BOUNDARIES, torch.tensor(CUTS), words)
    close(segmentation, torch.tensor(1.013683))
    logits = torch.tensor([[2.0, 0, 0], [0, 1, 0], [0, 0, 0]])
    relations = class_loss(logits, torch.tensor([0, 1, 2]))
    close(relations, torch.tensor(1.889602))
    losses = AnalysisLosses(segmentation, heads, relations, words.sum(), torch.tensor(3))
    close(10 + losses.joint(0.5, 1.0), torch.tensor(15.387090))
    close(losses.joint(0.5, 1.0, per=4) / 4, 0.5 * segmentation / 5 + (heads + relations) / 3)
    close(class_loss(scores, torch.tensor([[0, -1, 0]])), torch.tensor(0.326563 + 1.315072))


def test_t04_5_gate() -> None:
    gate = Gate(2).double()
    nn.init.zeros_(gate.weight)
    vectors, _ = identity()(EDUS, EVERYWHERE, HEADS)
    fused = gate(in_line(STATES), spread(units(), vectors))[lines().words]
    close(fused, torch.tensor([[1, 1], [0.5, 2], [0, 1.5], [1.5, 0.5], [0.5, 1.5]]))


@pytest.mark.parametrize(
    ("norm", "wanted", "output"),
    [
        ("global", [0.05, 0.10, 0.09, 0.05, 0.03], 0.55),
        ("global_renorm", [0.15625, 0.3125, 0.28125, 0.15625, 0.09375], 1.71875),
        ("edu", [0.166667, 0.333333, 0.3, 0.125, 0.075], 1.608333),
    ],
)
def test_t04_6_hierarchical_attention(norm: str, wanted: list[float], output: float) -> None:
    words = torch.tensor([0.1, 0.2, 0.3, 0.25, 0.15], dtype=torch.float64).log()
    of_units = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64).log()
    weights = word_weights(in_line(words)[:, None, None], of_units[None, None, None], units(), norm)  # type: ignore[arg-type]
    found = weights[0, 0, 0][lines().words[0]]
    close(found, torch.tensor(wanted))
    assert weights.sum().item() == pytest.approx(sum(wanted), abs=2e-6)
    close(found @ torch.arange(5.0, dtype=torch.float64), torch.tensor(output))


def test_t04_7_segmentation_decision() -> None:
    everywhere = lines().words
    cuts = predicted_cuts(lines(), in_line(BOUNDARIES), everywhere, 0.5)
    assert cuts[everywhere].tolist() == CUTS
    lower = BOUNDARIES.clone()
    lower[4] = math.log(0.3 / 0.7)
    assert torch.equal(predicted_cuts(lines(), in_line(lower), everywhere, 0.5), cuts)
    inside = in_line(torch.tensor([True, False, True, True, True]))  # the second subword goes on
    assert predicted_cuts(lines(), in_line(BOUNDARIES), inside, 0.5)[everywhere].tolist() == [
        False,
        False,
        True,
        False,
        True,
    ]
    assert units().segments[lines().words].tolist() == [0, 0, 1, 2, 2]
    assert units().segments[0].tolist() == [0, 0, 0, 1, 1, 2, 2, 2, 2]  # marks belong to the units beside them
    assert units().segment_count == 3


def test_t04_9_rows_sum_to_one_and_a_single_unit_is_its_own_head() -> None:
    torch.manual_seed(1)
    layer = DiscourseAttention(8, 2, 0.0, dependency=True).double()
    present = torch.tensor([[True, True, True], [True, False, False]])
    _, scores = layer(torch.randn(2, 3, 8).double(), present)
    attention = scores.softmax(-1)
    close(attention.sum(-1), torch.ones(2, 3))
    assert attention[1, 0].tolist() == [1, 0, 0]


@pytest.mark.parametrize("reach", [0, 1])
def test_only_relative_positions_tell_the_order_of_units(reach: int) -> None:
    """As printed, a permutation of the units permutes the scores of heads."""
    torch.manual_seed(4)
    layer = DiscourseAttention(8, 2, 0.0, dependency=True, reach=reach).double()
    edus, present, order = torch.randn(1, 5, 8).double(), torch.ones(1, 5, dtype=torch.bool), [3, 0, 4, 2, 1]
    scores, permuted = layer(edus, present)[1], layer(edus[:, order], present)[1]
    assert torch.allclose(scores[:, order][:, :, order], permuted) == (reach == 0)


def test_the_unit_before_is_a_head_that_can_be_learnt() -> None:
    """Units are random, so nothing but their order tells the head; 95 of 100 heads after 60 updates."""
    torch.manual_seed(5)
    layer = DiscourseAttention(16, 2, 0.0, dependency=True, reach=4)
    adam = torch.optim.Adam(layer.parameters(), 0.02)
    present, heads = torch.ones(16, 9, dtype=torch.bool), torch.arange(9).sub(1).clamp(min=0).expand(16, -1)
    for _ in range(60):
        _, scores = layer(torch.randn(16, 9, 16), present)
        loss = class_loss(scores, heads)
        adam.zero_grad()
        loss.backward()
        adam.step()
    assert (layer(torch.randn(16, 9, 16), present)[1].argmax(-1) == heads).float().mean() > 0.95


@pytest.mark.parametrize("dependency", [True, False])
@pytest.mark.parametrize(("scaled", "prior"), [(False, False), (True, True)])
def test_attention_among_units_is_what_loops_compute(dependency: bool, scaled: bool, prior: bool) -> None:
    torch.manual_seed(2)
    size, heads, count = 4, 2, [3, 2]
    flags = (dependency, dependency and scaled, dependency and prior)
    layer = DiscourseAttention(heads * size, heads, 0.0, *flags).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn_like(parameter))
    edus = torch.randn(2, 3, heads * size).double().requires_grad_()
    present = torch.arange(3) < torch.tensor(count)[:, None]
    vectors, _ = layer(edus, present)
    total = sum((vectors[number, :many].square().sum() for number, many in enumerate(count)), torch.zeros(()))
    wanted = torch.zeros((), dtype=torch.float64)
    for number, many in enumerate(count):
        for unit in range(many):
            parts = []
            for head in range(heads):
                rows = slice(head * size, (head + 1) * size)
                query, key, value = (part.weight[rows] for part in (layer.query, layer.key, layer.value))
                scores = []
                for other in range(many):
                    asked, compared = query @ edus[number, unit], key @ edus[number, other]
                    if head == 0 and layer.biaffine is not None:
                        score = asked @ layer.biaffine @ compared * (0.5 if scaled else 1)
                        scores.append(score + (compared @ layer.prior if layer.prior is not None else 0))
                    else:
                        scores.append(asked @ compared / 2)
                weights = torch.stack(scores).softmax(0)
                parts.append(sum(weights[other] * (value @ edus[number, other]) for other in range(many)))
            found = layer.output.weight @ torch.cat(parts)  # type: ignore[arg-type]
            close(vectors[number, unit], found)
            wanted = wanted + found.square().sum()
    parameters = [edus, *layer.parameters()]
    for got, gradient in zip(torch.autograd.grad(total, parameters), torch.autograd.grad(wanted, parameters)):
        torch.testing.assert_close(got, gradient, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("norm", ["global", "global_renorm", "edu", "plain"])
def test_attention_to_units_and_words_is_what_loops_compute(norm: str) -> None:
    torch.manual_seed(3)
    size, heads = 4, 2
    by_units = norm != "plain"
    layer = UnitAttention(heads * size, heads, 0.0, "global" if norm == "plain" else norm, by_units).double()  # type: ignore[arg-type]
    words, edus, queries = (torch.randn(count, heads * size).double().requires_grad_() for count in (5, 3, 2))
    found = layer(queries[None], layer.keys(edus[None], in_line(words)), units())[0]
    of_words = [0, 0, 1, 2, 2]
    rows = []
    for query in queries:
        parts = []
        for head in range(heads):
            own = slice(head * size, (head + 1) * size)

            def attention(
                asked: nn.Linear, key: nn.Linear, keys: Tensor, query: Tensor = query, own: slice = own
            ) -> Tensor:
                scores = [asked.weight[own] @ query @ (key.weight[own] @ each) / math.sqrt(size) for each in keys]
                return torch.stack(scores).exp()

            powers = attention(layer.word_query, layer.word_key, words)
            weights = [power / powers.sum() for power in powers]
            if layer.unit_query is not None and layer.unit_key is not None:
                shares = attention(layer.unit_query, layer.unit_key, edus)
                shares = shares / shares.sum()
                if norm == "edu":
                    sums = [sum(powers[k] for k in range(5) if of_words[k] == unit) for unit in range(3)]
                    weights = [powers[k] / sums[of_words[k]] for k in range(5)]
                weights = [weights[k] * shares[of_words[k]] for k in range(5)]
            if norm == "global_renorm":
                weights = [weight / sum(weights) for weight in weights]
            parts.append(sum(weight * (layer.value.weight[own] @ word) for weight, word in zip(weights, words)))
        rows.append(layer.output.weight @ torch.cat(parts))
    wanted = torch.stack(rows)
    close(found, wanted)
    parameters = [queries, words, *layer.parameters(), *([edus] if by_units else [])]
    both = [torch.autograd.grad(states.square().sum(), parameters) for states in (found, wanted)]
    for got, gradient in zip(*both):
        torch.testing.assert_close(got, gradient, atol=1e-6, rtol=1e-6)


def test_units_of_a_sentence_without_words_and_of_a_paragraph_without_any() -> None:
    ids = torch.tensor([[BEGIN, 9, END], [BEGIN, END, 0], [BEGIN, 9, END], [BEGIN, END, 0]])
    found = lines_of_paragraphs(ParagraphSource(ids, Paragraphs(torch.tensor([0, 0, 0, 1]))))
    made = units_of_lines(found, torch.zeros_like(found.words))
    assert made.segments.tolist() == [[0, 0, 0, -1, -1, 1, 1, 1], [-1] * 8]
    vectors = pooled(made, torch.randn(2, 8, 4))
    assert vectors.isfinite().all() and not vectors[1].any()
    empty = lines_of_paragraphs(ParagraphSource(ids[3:], Paragraphs(torch.tensor([0]))))
    assert pooled(units_of_lines(empty, empty.words), torch.randn(1, 2, 4)).tolist() == [[[0.0] * 4]]
