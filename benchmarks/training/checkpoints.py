"""Time and memory of training with a network of a checkpoint's size: OPUS-MT's, 74 million parameters.

The weights are random, as time does not depend on them. An update is one batch of random sentences of about 25
subwords, or of instances of a document: forward, label-smoothed loss, backward, Adam. Each row of the table is measured
in a process of its own: CPU-seconds of an update, target subwords per CPU-second, and the process's peak memory.

    python -m benchmarks.training.checkpoints
"""

import multiprocessing
import statistics
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from benchmarks.options import begin, model_arguments
from benchmarks.training.attention_memory import memory
from benchmarks.training.packed import random_instance
from benchmarks.training.speed import SMOOTHING, optimiser, precisions, random_batches, train
from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.models.systems import build
from discourse_nmt.training.tasks.loss import smoothed
from discourse_nmt.workflow_scripts.command import run

OPUS_MT = {"activation": "swish", "positions": "sinusoidal_marian", "marks": "end", "output_bias": True}
INSTANCE, SENTENCES = 512, 20  # most tokens of an instance, its sentences
SYSTEMS: dict[str, dict[str, Any]] = {
    "transformer": {},
    "g_transformer": {"beginning": "unchanged", "position_reset": True},
}
States = Iterator[tuple[Callable[[], Tensor], Tensor]]
"""For each batch a function that computes the final states [n, d], and the symbols [n] that they predict."""


def sentences(model: Any, options: Namespace, size: int) -> States:
    """Batches of sentences."""
    for source, target in random_batches(options.updates + 1, options.batch_tokens, size, 25):
        wanted = target[:, 1:] != PAD
        inputs = source, target[:, :-1], wanted
        yield lambda inputs=inputs: model.final_states(*inputs), target[:, 1:][wanted]  # type: ignore[misc]


def instances(model: Any, options: Namespace, size: int) -> States:
    """Batches of instances."""
    rng = np.random.default_rng(1)
    for _ in range(options.updates + 1):
        count = options.batch_tokens // INSTANCE
        batch = model.pack([random_instance(SENTENCES, INSTANCE, size, rng) for _ in range(count)])
        yield lambda batch=batch: model.final_states(batch), batch.target_output[0]  # type: ignore[misc]


def measure(system: str, size: int, precision: str, options: Namespace) -> tuple[int, float, float, float]:
    """Parameters, CPU-seconds of an update (median), target subwords per CPU-second, and bytes at the peak."""
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    model: Any = build(system, {**OPUS_MT, **SYSTEMS[system]}, size, size, True)
    adam = optimiser(model)
    seconds, tokens = [], 0
    for states, wanted in (sentences if system == "transformer" else instances)(model, options, size):
        start = time.process_time()
        with precisions()[precision]:
            loss = smoothed(states(), model.output.weight, wanted, SMOOTHING, model.output_bias).objective
        train(adam, loss / len(wanted))
        seconds.append(time.process_time() - start)
        tokens += len(wanted) if len(seconds) > 1 else 0  # the first update makes Adam's moments
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return parameters, statistics.median(seconds[1:]), tokens / sum(seconds[1:]), memory(torch.device("cpu"))


def main() -> None:
    parser = model_arguments(__doc__)
    parser.add_argument("--systems", nargs="*", choices=SYSTEMS, default=list(SYSTEMS), help="systems to time")
    parser.add_argument("--sizes", nargs="*", type=int, default=[58101, 30000], help="symbols of the vocabularies")
    parser.add_argument("--batch-tokens", type=int, default=2048, help="tokens per side and batch, padding included")
    parser.add_argument("--updates", type=int, default=3, help="updates timed")
    options, _ = begin(parser)
    rows = []
    for system in options.systems:
        for size in options.sizes:
            for precision in precisions():
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    found = pool.apply(measure, (system, size, precision, options))
                row = (
                    system,
                    size,
                    precision.removeprefix(", ") or "fp32",
                    found[0],
                    *(round(value, 1) for value in found[1:3]),
                )
                rows.append((*row, round(found[3] / 1e9, 1)))
                print(*rows[-1], flush=True)
    columns = ["system", "symbols", "precision", "parameters", "CPU-s per update", "target subwords per CPU-s", "GB"]
    print(pd.DataFrame(rows, columns=columns).to_string(index=False))


if __name__ == "__main__":
    run(main)
