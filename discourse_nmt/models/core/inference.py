"""Translating and scoring many sentences, in batches of similar length; results come by the sentence's index."""

import math
from collections.abc import Callable, Generator, Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.core.beam_search import (
    Hypothesis,
    beam_search,
    length_penalty,
    longest,
    ranked,
    score_targets,
)
from discourse_nmt.models.core.transformer import EndedHypotheses, Engine, Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings

Ids = Sequence[int]
BYTES = 4  # of a number in single precision


def device_named(name: str) -> torch.device:
    """The device ``cpu`` or ``cuda``; ``auto`` is cuda where there is one."""
    if name == "cuda" and not torch.cuda.is_available():
        raise InputError("no CUDA device", remedy="use --device cpu")
    if name == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    # cuDNN's attention builds a plan for each new shape, for tenths of a second, and here each batch has another shape.
    torch.backends.cuda.enable_cudnn_sdp(False)
    return torch.device("cuda")


def translate(
    model: Transformer, sentences: Sequence[Ids], settings: DecodingSettings
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """Yield the index of each of ``sentences`` (source ids without marks) and its n-best translations.

    They come in the order of computation; ``model`` is in evaluation mode and runs on its own device.
    """
    return translate_batches(
        model, sentences, settings, lambda sources: beam_search(model, padded(sources, model), settings)
    )


def translate_batches(
    model: Transformer,
    sentences: Sequence[Ids],
    settings: DecodingSettings,
    search: Callable[[Sequence[Ids]], list[list[Hypothesis]]],
) -> Iterator[tuple[int, list[Hypothesis]]]:
    """:func:`translate`, by the engine of ``model`` if there is one; ``search`` translates what is left to it."""
    left: Sequence[int] = range(len(sentences))
    if model.engine is not None:
        left = yield from _by_engine(model, model.engine, sentences, settings)
    for batch in decoding_batches(model, [len(sentences[index]) + 2 for index in left], settings):
        indices = [left[row] for row in batch]
        yield from zip(indices, search([sentences[index] for index in indices]))


def _by_engine(
    model: Transformer, engine: Engine, sentences: Sequence[Ids], settings: DecodingSettings
) -> Generator[tuple[int, list[Hypothesis]], None, list[int]]:
    """Yield what the ``engine`` finds; returns the indices of the sentences that it leaves."""
    left: list[int] = []
    for batch in decoding_batches(model, [len(ids) + 2 for ids in sentences], settings):
        sources = [sentences[index] for index in batch]
        limits = longest(torch.tensor([len(ids) for ids in sources]), settings).tolist()
        for index, ended in zip(batch, engine.search(sources, limits, settings)):
            if ended is None:
                left.append(index)
            else:
                yield index, n_best(ended, settings)
    return left


def n_best(ended: EndedHypotheses, settings: DecodingSettings) -> list[Hypothesis]:
    """The n-best of the hypotheses that an engine ``ended``, best first."""
    scored = [
        Hypothesis(ids, log_probability, log_probability / length_penalty(len(ids) + 1, settings))
        for ids, log_probability in ended
    ]
    return ranked(scored, settings)


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
    """Indices of items of similar length, longest first; number of items times longest is at most ``tokens``."""
    return filled(lengths, lambda longest: tokens // longest)


def decoding_batches(model: Transformer, lengths: Sequence[int], settings: DecodingSettings) -> Iterator[list[int]]:
    """:func:`batches` of sources of ``lengths`` tokens to translate, bounded by ``batch_tokens`` and ``memory``."""

    def fitting(longest: int) -> int:
        fit_in_memory = settings.memory * 10**6 // decoding_bytes(model, longest, settings)
        return min(settings.batch_tokens // longest, fit_in_memory)

    return filled(lengths, fitting)


def decoding_bytes(model: Transformer, length: int, settings: DecodingSettings) -> int:
    """About the most bytes that the search of a source of ``length`` tokens holds.

    These are the keys and values of all attentions of the decoder, and a step's scores of the vocabulary, twice.
    """
    attentions = sum(isinstance(part, MultiHeadAttention) for part in model.decoder_layers.modules())
    positions = length + settings.beam * (length * settings.max_length_ratio + settings.max_length_offset)
    # Half of the attentions are to the source, half to the target.
    states = attentions * positions * model.settings.width
    return math.ceil(BYTES * (states + 2 * settings.beam * model.output.num_embeddings))


def filled(lengths: Sequence[int], fitting: Callable[[int], int]) -> Iterator[list[int]]:
    """Indices of items of similar length, longest first; ``fitting`` is the largest number of items of a length.

    An item that does not fit is a batch by itself. The longest come first so that a batch that does not fit into
    memory fails at once.
    """
    batch: list[int] = []
    most = 1
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if len(batch) == most:
            yield batch
            batch = []
        if not batch:
            most = max(1, fitting(lengths[index]))
        batch.append(index)
    if batch:
        yield batch


def padded(sentences: Sequence[Ids], model: nn.Module) -> Tensor:
    """``<s> ids </s>`` of each sentence, padded, on the model's device: int64 [B, longest + 2]."""
    rows = [torch.tensor([BEGIN, *ids, END]) for ids in sentences]
    return pad_sequence(rows, batch_first=True, padding_value=PAD).to(next(model.parameters()).device)
