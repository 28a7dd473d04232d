"""Translating and scoring many instances with packed systems: in batches of similar length, results by index."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
import torch
import torch.nn.functional as F

from discourse_nmt.base.arrays import Booleans, Reals
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.core.inference import batches, decoding_batches
from discourse_nmt.models.packed.decoding.by_engine import translate_alone, translate_in_turn
from discourse_nmt.models.packed.decoding.candidates import Candidate, pack_candidates
from discourse_nmt.models.packed.decoding.sequence import decode_as_sequences
from discourse_nmt.models.packed.decoding.waves import decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import AnyInstance, Instance
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings


def translate_instances(
    model: PackedTransformer,
    instances: Sequence[AnyInstance],
    settings: DecodingSettings,
    asked: Sequence[Booleans] | None = None,
) -> Iterator[tuple[int, list[list[Hypothesis]]]]:
    """Yield the index of each of ``instances`` and the n-best translations of each of its sentences.

    They come in the order of computation; ``model`` is in evaluation mode and runs on its own device. Targets are read
    with ``target_context: references`` alone. ``asked`` [instances][sentences] tells which sentences are wanted; others
    may have no translations.
    """
    left: Sequence[int] = range(len(instances))
    if model.engine is not None and model.relations == ("sentence",):
        yield from translate_alone(model, instances, settings)
        return
    if model.engine is not None:
        left = yield from translate_in_turn(model, model.engine, instances, settings)
    lengths = [sum(len(ids) + 2 for ids in instances[index].source) for index in left]
    for batch in decoding_batches(model, lengths, settings):
        indices = [left[row] for row in batch]
        chosen = [instances[index] for index in indices]
        if settings.search == "waves":
            wanted = None if asked is None else np.concatenate([asked[index] for index in indices])
            yield from zip(indices, decode_in_waves(model, chosen, settings, asked=wanted))
        else:
            yield from zip(indices, decode_as_sequences(model, chosen, settings))


def score_candidates(
    model: PackedTransformer,
    instances: Sequence[Instance],
    items: Sequence[tuple[int, int, Sequence[int]]],
    batch_tokens: int,
    context: ContextRead = "both",
) -> Iterator[tuple[int, float]]:
    """Yield the index of each of ``items`` and its log-probability in nats, given the ``context``.

    An item is the index of an instance, the index of a sentence in it, and a translation of this sentence. The
    earlier target sentences are those of the instance. ``batch_tokens`` bounds the tokens of the longer side of a
    batch, except where an instance with one item has more.
    """
    pieces = list(_pieces(instances, items, batch_tokens))
    for batch in batches([size for _, _, size in pieces], batch_tokens):
        chosen = [pieces[index] for index in batch]
        candidates = [[items[item][1:] for item in own] for _, own, _ in chosen]
        scores = _score(model, [instances[index] for index, _, _ in chosen], candidates, context)
        yield from zip((item for _, own, _ in chosen for item in own), scores.tolist())


def _pieces(
    instances: Sequence[Instance], items: Sequence[tuple[int, int, Sequence[int]]], batch_tokens: int
) -> Iterator[tuple[int, list[int], int]]:
    """Items of one instance that fit together: its index, theirs, and the tokens of the longer side."""
    order = sorted(range(len(items)), key=lambda item: items[item][:2])
    for index, of_instance in groupby(order, key=lambda item: items[item][0]):
        source_tokens = sum(len(ids) + 2 for ids in instances[index].source)
        earlier = np.cumsum([0, *(len(ids) + 1 for ids in instances[index].target)])
        piece: list[int] = []
        own_tokens = size = 0
        for item in of_instance:
            _, sentence, ids = items[item]
            grown = max(source_tokens, int(earlier[sentence]) + own_tokens + len(ids) + 1)
            if piece and grown > max(batch_tokens, source_tokens):
                yield index, piece, size
                piece, own_tokens = [], 0
                grown = max(source_tokens, int(earlier[sentence]) + len(ids) + 1)
            piece, own_tokens, size = [*piece, item], own_tokens + len(ids) + 1, grown
        yield index, piece, size


def _score(
    model: PackedTransformer,
    instances: Sequence[Instance],
    candidates: Sequence[Sequence[Candidate]],
    context: ContextRead,
) -> Reals:
    """The log-probability of every candidate of the batch."""
    device = next(model.parameters()).device
    with torch.inference_mode():
        batch = pack_candidates(model, instances, candidates, context)
        plans = batch.plans.to(device)
        memory = model.encode_packed(batch.source.to(device), plans)
        states = model.decode_packed(batch.target.to(device), memory, plans)[0]
        logits = model.logits(states[batch.wanted.to(device)]).float()
        losses = F.cross_entropy(logits, batch.output.to(device), reduction="none")
    scores: Reals = -np.add.reduceat(losses.double().cpu().numpy(), np.cumsum(batch.counts) - batch.counts)
    return scores
