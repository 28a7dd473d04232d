"""Translating and scoring many sentences, in batches of similar length; results come by the sentence's index."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.core.beam_search import Hypothesis, beam_search, score_targets
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings

Ids = Sequence[int]


def device_named(name: str) -> torch.device:
    """The device ``cpu`` or ``cuda``; ``auto`` is cuda where there is one."""
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("no CUDA device", remedy="use --device cpu")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def translate(
    model: Transformer, sentences: Sequence[Ids], settings: DecodingSettings
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Yield the index of each of ``sentences`` (source ids without marks) and its n-best translations.

    They come in the order of computation; ``model`` is in evaluation mode and runs on its own device.
    """
    for batch in batches([len(ids) + 2 for ids in sentences], settings.batch_tokens):
        yield from zip(batch, beam_search(model, padded([sentences[i] for i in batch], model), settings))


def score(
    model: Transformer, sources: Sequence[Ids], targets: Sequence[Ids], batch_tokens: int
) -> Iterator[tuple[int, float]]:
    """Yield the index of each pair of ``sources`` and ``targets`` and the target's log-probability in nats.

    Ids come without sentence marks; ``batch_tokens`` bounds the padded tokens of the longer side of a batch.
    """
    lengths = [max(len(source), len(target)) + 2 for source, target in zip(sources, targets)]
    for batch in batches(lengths, batch_tokens):
        source_ids = padded([sources[i] for i in batch], model)
        target_ids = padded([targets[i] for i in batch], model)
        yield from zip(batch, score_targets(model, source_ids, target_ids).tolist())


def batches(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Indices of items of similar length, longest first; number of items times longest is at most ``tokens``.

    An item longer than ``tokens`` is a batch by itself. The longest come first so that a batch that does not
    fit into memory fails at once.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def padded(sentences: Sequence[Ids], model: nn.Module) -> Tensor:
    """``<s> ids </s>`` of each sentence, padded, on the model's device: int64 [B, longest + 2]."""
    rows = [torch.tensor([BEGIN, *ids, END]) for ids in sentences]
    return pad_sequence(rows, batch_first=True, padding_value=PAD).to(next(model.parameters()).device)
