"""The search over whole instances against a literal one that reads everything anew for every token."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from discourse_nmt.base.vocabulary import END, SPECIALS
from discourse_nmt.models.packed.decoding.sequence import SequenceSteps, decode_as_sequences
from discourse_nmt.models.packed.decoding.waves import decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance, SourceInstance
from discourse_nmt.models.switches.decoding import DecodingSettings
from tests.unit.models.packed.packed_examples import GREEDY, SIZE, instance, network

Texts = tuple[tuple[int, ...], ...]


def log_probabilities(model: PackedTransformer, source: SourceInstance, texts: Texts) -> list[float]:
    """Of what follows the last of ``texts``, read with empty sentences after it."""
    targets = [np.array(ids, np.int64) for ids in [*texts, *[()] * (len(source.source) - len(texts))]]
    grown = Instance(source.source, targets, source.edus, source.heads, source.tree)
    place = sum(len(ids) + 1 for ids in texts) - 1
    values: list[float] = model(model.pack([grown]))[place].log_softmax(0).tolist()
    return values


@torch.no_grad()
def literal(
    model: PackedTransformer, source: SourceInstance, settings: DecodingSettings
) -> list[tuple[float, float, Texts]]:
    """Score, log-probability and sentences of the n-best hypotheses over the instance."""
    limits = [
        math.floor(settings.max_length_ratio * len(ids) + 1e-9) + settings.max_length_offset for ids in source.source
    ]
    live: list[tuple[float, Texts]] = [(0.0, ((),))]
    finished: list[tuple[float, float, Texts]] = []
    for length in range(1, sum(limits) + len(limits) + 1):
        candidates: list[tuple[float, bool, Texts]] = []
        for total, texts in live:
            for token, value in enumerate(log_probabilities(model, source, texts)):
                slot, last = len(texts[-1]), len(texts) == len(limits)
                if token == END and slot:
                    candidates.append((total + value, last, texts if last else (*texts, ())))
                elif token >= len(SPECIALS) and slot < limits[len(texts) - 1]:
                    candidates.append((total + value, False, (*texts[:-1], (*texts[-1], token))))
        candidates.sort(key=lambda candidate: -candidate[0])
        for total, ends, texts in candidates[: settings.beam]:
            if ends:
                finished.append((total / ((5 + length) / 6) ** settings.length_penalty, total, texts))
        live = [(total, texts) for total, ends, texts in candidates[: 2 * settings.beam] if not ends][: settings.beam]
        finished.sort(key=lambda found: -found[0])
        penalty = ((5 + length) / 6) ** settings.length_penalty
        if len(finished) >= settings.beam and live and finished[settings.n_best - 1][0] >= live[0][0] / penalty:
            break
    return finished[: settings.n_best]


SWITCHES: list[dict[str, Any]] = [
    {"fusion": "serial"},
    {"fusion": "parallel", "shared_projections": True},
    {"fusion": "mix"},
    {"source_attention": "tree"},
    {"source_attention": "instance", "target_tree": "none"},
    {"target_positions": "running"},
    {"target_positions": "running", "position_reset": True},
    {"position_reset": True},
    {"system": "concat"},
    {"system": "flat_transformer"},
    {"system": "hybrid_context"},
]


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_search_equals_the_literal_one(switches: dict[str, Any]) -> None:
    model = network(**switches)
    settings = DecodingSettings(beam=3, n_best=2, max_length_ratio=0.5, max_length_offset=2)
    instances = [instance([3, 0, 2]), instance([2, 3], 2, tree=False), instance([3], 3)]
    for own, source in zip(decode_as_sequences(model, instances, settings), instances):
        wanted = literal(model, source, settings)
        assert len(own) == len(source.source)
        for rank, (score, total, texts) in enumerate(wanted):
            assert tuple(sentence[rank].ids for sentence in own) == texts
            assert [sentence[rank].score for sentence in own] == pytest.approx([score] * len(own), rel=1e-4)
            assert own[0][rank].log_probability == pytest.approx(total, rel=1e-4)


@pytest.mark.parametrize("switches", [{}, {"target_positions": "running"}, {"rst_layers": 0}], ids=str)
def test_greedy_search_is_the_same_as_in_waves(switches: dict[str, Any]) -> None:
    model = network(**switches)
    instances = [instance([4, 0, 6, 2, 5], 4), instance([3, 3], 5), instance([7], 6)]
    ids = [
        [[hypotheses[0].ids for hypotheses in found] for found in decode(model, instances, GREEDY)]
        for decode in (decode_as_sequences, decode_in_waves)
    ]
    assert ids[0] == ids[1]


@pytest.mark.parametrize("end", [0.0, 30.0])
def test_as_many_sentences_as_the_source_has(end: float) -> None:
    model = network(end=end)
    settings = DecodingSettings(beam=4, n_best=3, max_length_ratio=1.0, max_length_offset=1)
    instances = [instance([0]), instance([1] * 12), instance([9, 0, 0, 4])]
    for found, source in zip(decode_as_sequences(model, instances, settings), instances):
        assert len(found) == len(source.source)
        for hypotheses, text in zip(found, source.source):
            for hypothesis in hypotheses:
                assert 1 <= len(hypothesis.ids) <= len(text) + 1
                assert all(len(SPECIALS) <= number < SIZE for number in hypothesis.ids)


def test_positions_and_sources_that_no_sentence_reads_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attention to the own sentence keeps no earlier ones, and reads its source alone."""
    read: dict[str, list[int]] = {"sentence": [], "instance": []}
    logits = SequenceSteps.logits

    def noted(steps: SequenceSteps, tokens: torch.Tensor) -> torch.Tensor:
        result = logits(steps, tokens)
        for relation, cache in steps.caches.items():
            read[str(relation)].append(cache.mask.shape[3] + steps.plans.across[relation].visible.shape[3])
        return result

    monkeypatch.setattr(SequenceSteps, "logits", noted)
    for relation, most in read.items():
        model = network(system="concat", attention=relation, end=-9.0)
        decode_as_sequences(model, [instance([9] * 8)], GREEDY)
        assert len(most) > 90
    assert max(read["sentence"]) < 40 and max(read["instance"]) > 150
