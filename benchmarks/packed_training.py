"""Training speed of the RST-Transformer and the G-Transformer against a plain flat Transformer of the same size.

An instance is a random document of 20 sentences and fewer than 512 tokens, with a discourse tree over units of about
ten tokens. The flat Transformer is ``torch.nn.Transformer``, which reads an instance as one sequence, a batch padded to
the longest. All have the same layers, dropouts, loss and optimiser, and take a step each on the same batches in
alternation. The time is CPU time, which the load of a machine leaves as it is, from instances to the updated weights:
packing, plans of attention, forward, backward, step. In training it is the feed that packs, beside the steps.

Prints target tokens per second, the share of packing and plans, and the median over the batches of the flat
Transformer's time / the system's: its relative rate.

    python -m benchmarks.packed_training
"""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.random_documents import SIZE, begin, document, model_arguments
from benchmarks.training_speed import Plain, optimiser, train
from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.corpus.vocabulary import BEGIN, END, PAD
from discourse_nmt.models.attention.multi_head import path_of
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.packing import PackedBatch
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import build
from discourse_nmt.workflow_scripts.command import run

SYSTEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "RST-Transformer Mix": ("rst_transformer", {"fusion": "mix"}),
    "RST-Transformer Parallel": ("rst_transformer", {"fusion": "parallel"}),
    "RST-Transformer Serial": ("rst_transformer", {"fusion": "serial"}),
    "G-Transformer": ("g_transformer", {}),
}

Step = Callable[[Sequence[Instance]], float]
"""Takes a step and returns the CPU seconds that packing took."""


def random_instance(sentences: int, tokens: int, size: int, rng: np.random.Generator) -> Instance:
    """A document of ``sentences`` whose longer side has a little fewer than ``tokens`` tokens, marks included."""
    mean = tokens / sentences - 4
    while True:
        lengths = np.maximum(rng.normal(mean, mean / 3, sentences).round().astype(np.int64), 4)
        made = document(lengths, 10, size, rng)
        if max(sum(len(ids) + 2 for ids in side) for side in (made.source, made.target)) < tokens:
            return made


def packed_step(model: PackedTransformer) -> Step:
    """Steps of a packed system."""
    adam = optimiser(model)

    def step(instances: Sequence[Instance]) -> float:
        start = time.process_time()
        batch = model.pack(instances)
        prepare(batch)
        packing = time.process_time() - start
        train(adam, model(batch), batch.target_output[0])
        return packing

    return step


def prepare(batch: PackedBatch) -> None:
    """Make what the attentions would make of the plans at first use."""
    for part in (batch.plans.source, batch.plans.target, batch.plans.across):
        for plan in part.values():
            path = path_of(plan, 0.0)
            if path != "plain":
                getattr(plan, {"gather": "gathering", "dense": "mask", "blocks": "block_mask"}[path])


def flat_step(model: Plain) -> Step:
    """Steps of the flat Transformer, which is given the same tokens."""
    adam = optimiser(model)

    def step(instances: Sequence[Instance]) -> float:
        start = time.process_time()
        source = rows([joined(one.source, [BEGIN], [END]) for one in instances])
        read = rows([joined(one.target, [BEGIN], []) for one in instances])
        written = rows([joined(one.target, [], [END]) for one in instances])
        packing = time.process_time() - start
        wanted = written != PAD
        train(adam, model(source, read, wanted), written[wanted])
        return packing

    return step


def joined(sentences: Sequence[np.ndarray], begin: list[int], end: list[int]) -> Tensor:
    """The sentences one after the other, each between its marks."""
    parts = [np.array(part, np.int64) for ids in sentences for part in (begin, ids, end)]
    return torch.from_numpy(np.concatenate(parts))


def rows(parts: list[Tensor]) -> Tensor:
    """A padded batch."""
    return nn.utils.rnn.pad_sequence(parts, batch_first=True, padding_value=PAD)


def timed(step: Step, batch: Sequence[Instance]) -> tuple[float, float]:
    """CPU seconds of a step, and of its packing."""
    start = time.process_time()
    packing = step(batch)
    return time.process_time() - start, packing


def main() -> None:
    parser = model_arguments(__doc__, "transformer", SIZE)
    parser.add_argument("--tokens", type=int, default=512, help="tokens that an instance has fewer of")
    parser.add_argument("--instances", type=int, default=4, help="instances of a batch")
    parser.add_argument("--batches", type=int, default=10, help="batches timed")
    options, rng = begin(parser)
    size = options.vocabulary_size
    steps = {
        "flat Transformer": flat_step(Plain(parse_settings(TransformerSettings, options.settings, "system"), size))
    }
    for name, (system, switches) in SYSTEMS.items():
        model = build(system, {**options.settings, **switches}, size, size, True)
        assert isinstance(model, PackedTransformer)
        steps[name] = packed_step(model)
    batches = [
        [random_instance(options.sentences, options.tokens, size, rng) for _ in range(options.instances)]
        for _ in range(options.batches)
    ]
    for step in steps.values():
        step(batches[0])
    times = [[timed(step, batch) for step in steps.values()] for batch in batches]
    tokens = sum(len(ids) + 1 for batch in batches for one in batch for ids in one.target)
    for number, name in enumerate(steps):
        total, packing = (sum(column) for column in zip(*(row[number] for row in times)))
        ratio = statistics.median(row[0][0] / row[number][0] for row in times)
        print(f"{name}: {tokens / total:.0f} target tokens/s, {packing / total:.1%} packing, relative rate {ratio:.2f}")


if __name__ == "__main__":
    run(main)
