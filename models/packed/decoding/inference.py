"""Translating and scoring many instances with packed systems: in batches of similar length, results by index."""

from collections.abc import Iterator, Sequence

import numpy as np
import torch
import torch.nn.functional as F

from discourse_nmt.corpus.arrays import Reals
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.core.inference import batches
from discourse_nmt.models.packed.decoding.sequence import decode_as_sequences
from discourse_nmt.models.packed.decoding.waves import decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import AnyInstance, Instance
from discourse_nmt.models.switches.decoding import DecodingSettings


def translate_instances(
    model: PackedTransformer, instances: Sequence[AnyInstance], settings: DecodingSettings
) -> Iterator[tuple[int, list[list[Hypothesis]]]]:
    """Yield the index of each of ``instances`` and the n-best translations of each of its sentences.

    They come in the order of computation; ``model`` is in evaluation mode and runs on its own device. Targets are not
    read.
    """
    decode = decode_in_waves if settings.search == "waves" else decode_as_sequences
    lengths = [sum(len(ids) + 2 for ids in instance.source) for instance in instances]
    for batch in batches(lengths, settings.batch_tokens):
        yield from zip(batch, decode(model, [instances[index] for index in batch], settings))


def score_instances(
    model: PackedTransformer, instances: Sequence[Instance], batch_tokens: int
) -> Iterator[tuple[int, Reals]]:
    """Yield the index of each of ``instances`` and the log-probabilities (nats) of its target sentences, [sentences].

    Each is that of the sentence and its ``</s>`` given the source and the earlier target sentences of the instance.
    ``batch_tokens`` bounds the tokens of the longer side of a batch.
    """
    lengths = [
        max(sum(len(ids) + 2 for ids in side) for side in (instance.source, instance.target)) for instance in instances
    ]
    for batch in batches(lengths, batch_tokens):
        chosen = [instances[index] for index in batch]
        borders = np.cumsum([len(instance.target) for instance in chosen])[:-1]
        yield from zip(batch, np.split(_score(model, chosen), borders))


def _score(model: PackedTransformer, instances: Sequence[Instance]) -> Reals:
    """The log-probability of every target sentence of the batch."""
    with torch.inference_mode():
        batch = model.pack(instances).to(next(model.parameters()).device)
        losses = F.cross_entropy(model(batch).float(), batch.target_output[0], reduction="none")
    counts = np.array([len(ids) + 1 for instance in instances for ids in instance.target])
    scores: Reals = -np.add.reduceat(losses.double().cpu().numpy(), np.cumsum(counts) - counts)
    return scores
