"""Training speed of packed systems against a plain flat Transformer of the same size.

An instance is a random document of 20 sentences and fewer than 512 tokens, with a discourse tree over units of about
ten tokens. The flat Transformer is ``torch.nn.Transformer``, which reads an instance as one sequence; batches are
padded to the longest. All have the same layers, dropouts, loss and optimiser, and take one step each in turn on the
same batches. The time runs from instances to updated weights: packing, plans of attention, forward, backward, step. In
training, the feed packs while the network takes other steps.

Prints target tokens per CPU-second, the share of packing and plans, and the relative rate: the median over the batches
of the flat Transformer's time / the system's.

    python -m benchmarks.training.packed
"""

import copy
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.options import begin, model_arguments
from benchmarks.random_documents import document
from benchmarks.rounds import alternate
from benchmarks.training.speed import Plain, optimiser, our_loss, plain_loss, precisions, train
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.attention.multi_head import path_of
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.packing import PackedBatch
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import build
from discourse_nmt.workflow_scripts.command import run

FLAT = "flat Transformer"
SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "RST-Transformer Mix": ("rst_transformer", {"fusion": "mix"}),
    "RST-Transformer Parallel": ("rst_transformer", {"fusion": "parallel"}),
    "RST-Transformer Serial": ("rst_transformer", {"fusion": "serial"}),
    "G-Transformer": ("g_transformer", {}),
    "concat": ("concat", {}),
}

Step = Callable[[Sequence[Instance]], float]
"""Takes a step and returns the CPU-seconds of packing."""


def random_instance(sentences: int, tokens: int, size: int, rng: np.random.Generator) -> Instance:
    """A document of ``sentences`` whose longer side has a little fewer than ``tokens`` tokens, marks included."""
    mean = tokens / sentences - 4
    while True:
        lengths = np.maximum(rng.normal(mean, mean / 3, sentences).round().astype(np.int64), 4)
        made = document(lengths, 10, size, rng)
        if max(sum(len(ids) + 2 for ids in side) for side in (made.source, made.target)) < tokens:
            return made


def packed_step(model: PackedTransformer, precision: AbstractContextManager[object]) -> Step:
    """Steps of a packed system, forward in ``precision``."""
    adam = optimiser(model)

    def step(instances: Sequence[Instance]) -> float:
        start = time.process_time()
        batch = model.pack(instances)
        prepare(batch)
        packing = time.process_time() - start
        with precision:
            loss = our_loss(model, model.final_states(batch), batch.target_output[0])
        train(adam, loss)
        return packing

    return step


def prepare(batch: PackedBatch) -> None:
    """Make the masks and indices that attention makes of the plans at first use."""
    for plans in (batch.plans.source, batch.plans.target, batch.plans.across):
        for plan in plans.values():
            path = path_of(plan, 0.0)
            if path != "plain":
                getattr(plan, {"gather": "gathering", "dense": "mask", "blocks": "block_mask"}[path])


def flat_step(model: Plain) -> Step:
    """Steps of the flat Transformer on the same tokens."""
    adam = optimiser(model)

    def step(instances: Sequence[Instance]) -> float:
        start = time.process_time()
        source = padded([joined(instance.source, [BEGIN], [END]) for instance in instances])
        read = padded([joined(instance.target, [BEGIN], []) for instance in instances])
        written = padded([joined(instance.target, [], [END]) for instance in instances])
        packing = time.process_time() - start
        wanted = written != PAD
        train(adam, plain_loss(model(source, read, wanted), written[wanted]))
        return packing

    return step


def joined(sentences: Sequence[np.ndarray], begin: list[int], end: list[int]) -> Tensor:
    """The sentences one after the other, each between its marks."""
    parts = [np.array(part, np.int64) for ids in sentences for part in (begin, ids, end)]
    return torch.from_numpy(np.concatenate(parts))


def padded(sequences: list[Tensor]) -> Tensor:
    """A padded batch, [B, T]."""
    return nn.utils.rnn.pad_sequence(sequences, batch_first=True, padding_value=PAD)


def main() -> None:
    parser = model_arguments(__doc__)
    parser.add_argument("--systems", nargs="*", choices=SYSTEMS, default=list(SYSTEMS), help="systems to time")
    parser.add_argument("--sentences", type=int, default=20, help="sentences per document")
    parser.add_argument("--tokens", type=int, default=512, help="tokens that an instance has fewer of")
    parser.add_argument("--instances", type=int, default=4, help="instances of a batch")
    parser.add_argument("--batches", type=int, default=10, help="batches timed")
    options, rng = begin(parser)
    size = options.vocabulary_size
    steps = {FLAT: flat_step(Plain(parse_settings(TransformerSettings, options.settings, "system"), size))}
    for name in options.systems:
        system, switches = SYSTEMS[name]
        model = build(system, {**options.settings, **switches}, size, size, True)
        assert isinstance(model, PackedTransformer)
        for suffix, precision in precisions().items():
            steps[name + suffix] = packed_step(copy.deepcopy(model), precision)
    batches = [
        [random_instance(options.sentences, options.tokens, size, rng) for _ in range(options.instances)]
        for _ in range(options.batches)
    ]
    rounds = alternate(steps, batches, warm_up=batches[0])
    tokens = sum(len(ids) + 1 for batch in batches for instance in batch for ids in instance.target)
    for name in steps:
        rate, packing = tokens / rounds.total(name), sum(rounds.results[name]) / rounds.total(name)
        ratio = rounds.ratio(name, FLAT)
        print(f"{name}: {rate:.0f} target tokens per CPU-second, {packing:.1%} packing, relative rate {ratio:.2f}")
    print(rounds.conditions)


if __name__ == "__main__":
    run(main)
