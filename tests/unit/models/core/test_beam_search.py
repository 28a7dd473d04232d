"""Beam search against a literal one, cached against uncached, and forced scoring."""

import math
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor

from benchmarks.decoding.speed import UncachedSteps
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, SPECIALS
from discourse_nmt.models.attention.kv_cache import KeyValueCache
from discourse_nmt.models.core.beam_search import (
    CachedSteps,
    beam_search,
    best,
    largest,
    longest,
    remaining,
    score_targets,
    search,
)
from discourse_nmt.models.core.inference import batches, padded, score, translate
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings

SIZE = 23


def make(seed: int = 1, end: float = 0.0, **changes: Any) -> Transformer:
    """A random model; ``end`` makes sentences end earlier."""
    torch.manual_seed(seed)
    small: dict[str, Any] = {
        "width": 16,
        "heads": 2,
        "feed_forward_width": 32,
        "encoder_layers": 2,
        "decoder_layers": 2,
    }
    model = Transformer(TransformerSettings(**{**small, "tie_output": False, **changes}), SIZE, SIZE, True).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.3)
        if end:  # a constant direction of the states that </s> likes
            for name, parameter in model.decoder_layers[-1].named_parameters():
                if name == "feed_forward_residual.norm.bias":
                    parameter.add_(1.0)
            model.output.weight[END] += end / 16
    return model


def sources(lengths: list[int], seed: int = 1) -> list[list[int]]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randint(len(SPECIALS), SIZE, (n,), generator=generator).tolist() for n in lengths]


@torch.no_grad()
def literal_search(
    model: Transformer, ids: list[int], settings: DecodingSettings
) -> list[tuple[float, tuple[int, ...], float]]:
    """The search as its module tells it, by full passes, without stopping by what can still be reached."""
    memory = model.encode(torch.tensor([[BEGIN, *ids, END]]))
    limit = math.floor(settings.max_length_ratio * len(ids) + 1e-9) + settings.max_length_offset
    live: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    finished: list[tuple[float, tuple[int, ...], float]] = []
    for length in range(1, limit + 2):
        candidates = []
        for prefix, total in live:
            logits = model.logits(model.decode(torch.tensor([[BEGIN, *prefix]]), memory))[0, -1]
            for token, value in enumerate(logits.log_softmax(0).tolist()):
                allowed = token == END if length > limit else token >= len(SPECIALS) or (token == END and length > 1)
                if allowed:
                    candidates.append((total + value, prefix, token))
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, prefix, token in candidates[: settings.beam]:
            if token == END:
                finished.append((total / ((5 + length) / 6) ** settings.length_penalty, prefix, total))
        live = [((*prefix, token), total) for total, prefix, token in candidates[: 2 * settings.beam] if token != END]
        live = live[: settings.beam]
        finished.sort(key=lambda found: -found[0])
        penalty = ((5 + length) / 6) ** settings.length_penalty
        if len(finished) >= settings.beam and live and finished[settings.n_best - 1][0] >= live[0][1] / penalty:
            break
    return finished[: settings.n_best]


CASES = [
    {"beam": 1},
    {"beam": 4, "n_best": 4},
    {"beam": 3, "n_best": 2, "length_penalty": 0.0},
    {"beam": 4, "n_best": 1, "length_penalty": 1.5},
    {"beam": 5, "n_best": 3, "max_length_ratio": 0.5, "max_length_offset": 1},
    {"beam": 40, "n_best": 7, "max_length_offset": 1, "max_length_ratio": 0.3},
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("model", [{}, {"end": 3.0}, {"end": 6.0, "norm": "pre"}], ids=str)
def test_search_equals_the_literal_one(model: dict[str, Any], case: dict[str, Any]) -> None:
    network, settings = make(**model), DecodingSettings(**case)
    ids = sources([5, 1, 7, 3, 6, 0])
    found = beam_search(network, padded(ids, network), settings)
    for own, sentence in zip(found, ids):
        expected = literal_search(network, sentence, settings)
        assert [h.ids for h in own] == [prefix for _, prefix, _ in expected]
        assert [h.score for h in own] == pytest.approx([value for value, _, _ in expected], rel=1e-5, abs=1e-5)
        assert [h.log_probability for h in own] == pytest.approx([v for _, _, v in expected], rel=1e-5, abs=1e-5)


def test_cases_end_early_and_late() -> None:
    """The models above meet the limit in some sentences and end before it in others."""
    settings = DecodingSettings(n_best=4)
    ids = sources([5, 1, 7, 3, 6, 0])
    lengths = [
        [
            len(h.ids) - n * 6 // 5 - 10
            for s, n in zip(beam_search(m, padded(ids, m), settings), (5, 1, 7, 3, 6, 0))
            for h in s
        ]
        for m in (make(), make(end=3.0), make(end=6.0, norm="pre"))
    ]
    flat = [length for found in lengths for length in found]
    assert 0 in flat and min(flat) < -3 and max(flat) == 0


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("beam", [1, 4])
def test_cached_steps_equal_full_passes(norm: str, beam: int) -> None:
    network = make(norm=norm, end=3.0)
    source_ids = padded(sources([9, 2, 30, 5, 14]), network)
    settings = DecodingSettings(beam=beam, n_best=beam)
    limits = longest(torch.tensor([9, 2, 30, 5, 14]), settings)
    with torch.inference_mode():
        cached = search(CachedSteps(network, network.encode(source_ids)), limits, settings)
        full = search(UncachedSteps(network, network.encode(source_ids)), limits, settings)
    assert [[h.ids for h in s] for s in cached] == [[h.ids for h in s] for s in full]
    for own, other in zip(cached, full):
        assert [h.score for h in own] == pytest.approx([h.score for h in other], rel=1e-5)


def test_cached_logits_equal_full_logits_at_every_step() -> None:
    network = make()
    memory = network.encode(padded(sources([4, 7]), network))
    cached, full = CachedSteps(network, memory), UncachedSteps(network, memory)
    for step in range(12):
        tokens = torch.randint(len(SPECIALS), SIZE, (6 if step < 8 else 3,))
        assert torch.allclose(cached.logits(tokens), full.logits(tokens), atol=1e-5)
        parents = torch.randint(3, (2 if step < 7 else 1, 3))
        for steps in (cached, full):
            steps.select(torch.tensor([1]) if step == 7 else None, parents)


def test_beam_one_is_greedy() -> None:
    network = make(end=3.0)
    for ids in sources([4, 8]):
        source, prefix = padded([ids], network), [BEGIN]
        while prefix[-1] != END:
            logits = network(source, torch.tensor([prefix]))[0, -1]
            logits[[n for n in range(len(SPECIALS)) if n != END or len(prefix) == 1]] = -math.inf
            prefix.append(int(logits.argmax()) if len(prefix) <= math.floor(1.2 * len(ids)) + 10 else END)
        assert list(beam_search(network, source, DecodingSettings(beam=1))[0][0].ids) == prefix[1:-1]


class Scripted:
    """Steps whose next token depends on nothing but the position: </s> has the probability ``ends[position]``."""

    def __init__(self, ends: list[float]) -> None:
        self.ends = iter(ends)

    def logits(self, tokens: Tensor) -> Tensor:
        probabilities = torch.full((SIZE,), 1e-9)
        end = next(self.ends)
        probabilities[END], probabilities[len(SPECIALS)] = end, 1 - end
        return probabilities.log().expand(len(tokens), -1)

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        pass


def test_a_longer_translation_may_overtake_one_that_is_finished() -> None:
    """log 0.55 / (7 / 6) = -0.512 after two positions, but log 0.45 / (13 / 6) = -0.369 after eight."""
    settings = DecodingSettings(beam=2, length_penalty=1.0)
    found = search(Scripted([0.0, 0.55, *[0.0] * 5, 1.0]), torch.tensor([9]), settings)[0][0]
    assert len(found.ids) == 7 and found.score == pytest.approx(math.log(0.45) / (13 / 6), abs=1e-4)


def test_poor_hypotheses_that_end_early_do_not_end_the_search() -> None:
    """Two are finished after three positions, both of them poor; the sure one ends after the fourth."""
    found = search(Scripted([0.0, 0.001, 0.001, 0.999]), torch.tensor([9]), DecodingSettings(beam=2))[0][0]
    assert len(found.ids) == 3 and found.log_probability == pytest.approx(3 * math.log(0.999), abs=1e-3)


def test_the_search_waits_for_the_last_of_the_n_best() -> None:
    """The second translation to end is poor, and the third one takes its place."""
    settings = DecodingSettings(beam=2, n_best=2, length_penalty=0.0)
    found = search(Scripted([0.0, 0.9, 0.001, 1.0]), torch.tensor([9]), settings)[0]
    assert [len(hypothesis.ids) for hypothesis in found] == [1, 3]


def test_search_stops_when_nothing_can_overtake() -> None:
    """The script ends after three positions: asking for a fourth would raise."""
    found = search(Scripted([0.0, 0.9, 0.9]), torch.tensor([9]), DecodingSettings(beam=4, length_penalty=0.5))
    assert len(found[0][0].ids) == 1


def test_search_gives_what_forced_scoring_gives() -> None:
    network = make(end=3.0)
    ids = sources([6, 3, 9])
    for sentence, found in zip(ids, beam_search(network, padded(ids, network), DecodingSettings(n_best=4))):
        targets = [list(h.ids) for h in found]
        forced = score_targets(network, padded([sentence] * len(found), network), padded(targets, network))
        assert forced.tolist() == pytest.approx([h.log_probability for h in found], rel=1e-5)


def test_forced_scores_sum_log_probabilities_whatever_the_batch() -> None:
    network = make()
    source, target = sources([6, 3, 9]), sources([2, 11, 0], seed=2)
    expected = []
    for s, t in zip(source, target):
        log_probabilities = network(padded([s], network), torch.tensor([[BEGIN, *t]]))[0].log_softmax(-1)
        expected.append(sum(log_probabilities[i, token].item() for i, token in enumerate([*t, END])))
    together = score_targets(network, padded(source, network), padded(target, network))
    assert together.tolist() == pytest.approx(expected, rel=1e-5)
    assert dict(score(network, source, target, 10)) == pytest.approx(dict(enumerate(expected)), rel=1e-5)


def test_variants_of_a_translation_share_the_encoding_of_their_source(monkeypatch: pytest.MonkeyPatch) -> None:
    network = make()
    encoded = Mock(wraps=network.encode)
    monkeypatch.setattr(network, "encode", encoded)
    source, target = sources([6, 6, 3]), sources([2, 5, 4, 7], seed=2)
    rows = [1, 0, 1, 1]
    together = dict(score(network, [source[row] for row in rows], target, 1000))
    assert [len(call.args[0]) for call in encoded.call_args_list] == [2]
    for index, (row, ids) in enumerate(zip(rows, target)):
        assert together[index] == pytest.approx(dict(score(network, [source[row]], [ids], 1000))[0], rel=1e-5)


def test_sentences_alone_or_together_give_the_same() -> None:
    network, settings = make(end=3.0), DecodingSettings(n_best=3, batch_tokens=40)
    ids = sources([9, 2, 30, 5, 14, 5, 1, 60])
    alone = [beam_search(network, padded([sentence], network), settings)[0] for sentence in ids]
    together = dict(translate(network, ids, settings))
    assert sorted(together) == list(range(len(ids)))
    for number, expected in enumerate(alone):
        assert [h.ids for h in together[number]] == [h.ids for h in expected]
        assert [h.score for h in together[number]] == pytest.approx([h.score for h in expected], rel=1e-5)


@pytest.mark.parametrize("end", [0.0, 3.0, 30.0])
def test_translations_are_never_empty_too_long_or_special(end: float) -> None:
    network, settings = (
        make(end=end),
        DecodingSettings(beam=3, n_best=3, max_length_ratio=0.5, max_length_offset=2),
    )
    ids = sources([0, 1, 2, 9, 20])
    for number, found in translate(network, ids, settings):
        assert found and len({h.ids for h in found}) == len(found)
        for hypothesis in found:
            assert 1 <= len(hypothesis.ids) <= len(ids[number]) // 2 + 2
            assert min(hypothesis.ids) >= len(SPECIALS)
            length = len(hypothesis.ids) + 1
            assert hypothesis.score == pytest.approx(hypothesis.log_probability / ((5 + length) / 6) ** 0.6)
        assert [h.score for h in found] == sorted((h.score for h in found), reverse=True)


def test_equal_scores_go_to_the_lower_ids() -> None:
    network = make()
    with torch.no_grad():
        network.output.weight.zero_()  # every token is as likely as every other
    settings = DecodingSettings(beam=3, n_best=3, max_length_ratio=0.0, max_length_offset=2)
    first = len(SPECIALS)
    found = beam_search(network, padded(sources([3, 5]), network), settings)
    assert found[0] == found[1] == beam_search(network, padded(sources([5]), network), settings)[0]
    # </s> is the lowest id that is allowed at the second place, so each one-token hypothesis ends first.
    assert [h.ids for h in found[0]] == [(first,), (first, first), (first, first + 1)]


def test_a_diverged_model_is_told() -> None:
    network = make()
    with torch.no_grad():
        network.output.weight.fill_(math.nan)
    with pytest.raises(InputError, match="diverged"):
        beam_search(network, padded(sources([3]), network), DecodingSettings())


def test_only_the_last_rows_move_when_others_leave() -> None:
    for number in range(2**6):
        over = {row for row in range(6) if number >> row & 1}
        rows = remaining(6, over)
        assert sorted(rows) == sorted(set(range(6)) - over)
        assert all(row == place or place in over for place, row in enumerate(rows))


def test_ranks_lead_to_the_prefix_of_a_hypothesis() -> None:
    """The cached keys of its positions, found by the ranks, are those that reading it alone gives."""
    network, ids = make(end=3.0), sources([6])
    settings = DecodingSettings(beam=3)
    with torch.inference_mode():
        memory = network.encode(padded(ids, network))
        steps = CachedSteps(network, memory)
        steps.cache = KeyValueCache()  # that drops nothing
        best = search(steps, longest(torch.tensor([6]), settings), settings)[0][0]
        places = torch.arange(len(best.ranks)) * settings.beam + torch.tensor(best.ranks)
        found = steps.cache.read(torch.zeros_like(places), places)
        alone = CachedSteps(network, memory)
        for token in (BEGIN, *best.ids):
            alone.logits(torch.tensor([token]))
    assert len(best.ranks) == len(best.ids) + 1
    for module, parts in found.items():
        expected = alone.cache.read(torch.zeros_like(places), torch.arange(len(places)))[module]
        for part, wanted in zip(parts, expected):
            assert torch.allclose(part, wanted, atol=1e-5)


def test_longest_rounds_down_what_is_whole_in_decimals() -> None:
    lengths = torch.arange(200)
    for ratio in (0.0, 0.5, 1.1, 1.15, 1.2, 2.0):
        settings = DecodingSettings(max_length_ratio=ratio, max_length_offset=3)
        expected = [n * round(ratio * 100) // 100 + 3 for n in range(200)]
        assert longest(lengths, settings).tolist() == expected


@pytest.mark.parametrize("columns", [1, 5, 40, 1000, 5003])
@pytest.mark.parametrize("values", ["distinct", "tied"])
def test_best_takes_the_first_of_equals(columns: int, values: str) -> None:
    torch.manual_seed(columns)
    scores = torch.randn(7, columns) if values == "distinct" else torch.randint(0, 30, (7, columns)).float()
    scores[:, torch.rand(columns) < 0.3] = -math.inf
    for count in (1, 2, 8):
        top, places = best(scores, count)
        for row in range(7):
            order = sorted((-value, place) for place, value in enumerate(scores[row].tolist()))[:count]
            assert top[row].tolist() == [-value for value, _ in order]
            finite = [place for value, place in order if value < math.inf]
            assert places[row].tolist()[: len(finite)] == finite
        number = min(count, columns)
        found, places = largest(scores, number)
        assert found.tolist() == scores.topk(number).values.tolist()
        assert scores.gather(1, torch.from_numpy(places)).tolist() == found.tolist()


def test_batches_are_bounded_and_complete() -> None:
    lengths = [5, 90, 3, 7, 7, 12, 30, 1]
    found = list(batches(lengths, 30))
    assert sorted(number for batch in found for number in batch) == list(range(8))
    for batch in found:
        assert len(batch) == 1 or max(lengths[i] for i in batch) * len(batch) <= 30
    assert [lengths[i] for batch in found for i in batch] == sorted(lengths, reverse=True)
    assert list(batches([], 30)) == []
