"""The plan of memory against the peak of trainings on the CPU, and the plan for large checkpoints on a GPU.

``python -m benchmarks.training.memory_plan`` trains one update of random sentences for each row, in its own process;
``--large`` prints plans for the sizes of mBART-50 and NLLB-600M, which need no GPU and no checkpoint.
"""

import argparse
import itertools
import os
import resource
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import torch

from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.systems import build
from discourse_nmt.training.operation import memory as planning
from discourse_nmt.training.operation.memory import CONTEXT, GIGABYTE, Measured, MemoryPlan, measured
from discourse_nmt.training.precision import Precision
from discourse_nmt.training.run.run import TrainingRun, train
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import training_feed
from discourse_nmt.training.tasks.sentences import SentenceTask
from tests.unit.training.run.training_toy import dataset, vocabulary


class Row(NamedTuple):
    """A training: sizes of the network, its batches, and the length of its sentences."""

    layers: int
    width: int
    symbols: int
    batch_tokens: int
    length: int
    precision: Precision = "fp32"
    recompute: bool = False


ROWS = (
    Row(2, 128, 4000, 8000, 20),
    Row(2, 128, 4000, 8000, 20, recompute=True),
    Row(4, 64, 1000, 8000, 150),
    Row(2, 256, 16000, 2000, 20),
    Row(2, 128, 4000, 8000, 20, "bf16"),
)
LARGE = {"mBART-50": 250_054, "NLLB-600M": 256_206}
CARD = {
    "encoder_layers": 12,
    "decoder_layers": 12,
    "width": 1024,
    "feed_forward_width": 4096,
    "heads": 16,
    "norm": "pre",
}


def switches(row: Row) -> dict[str, Any]:
    """The switches of a row's network."""
    layers = {"encoder_layers": row.layers, "decoder_layers": row.layers}
    return {**layers, "width": row.width, "feed_forward_width": 4 * row.width, "heads": 8}


def show(row: Row) -> None:
    """Train one update and print the planned and the measured peak of this process."""
    folder, planned = Path(tempfile.mkdtemp()), []
    documents = [3 * row.batch_tokens // row.length // 4] * 4
    data = dataset(folder, documents, length=row.length, size=row.symbols)
    held_out = dataset(folder, [2], name="dev", seed=1, length=5, size=row.symbols)
    settings = TrainingSettings(
        batch_tokens=row.batch_tokens, accumulation=2, max_updates=1, warmup_updates=1, precision=row.precision
    )
    symbols = vocabulary(row.symbols)
    run = TrainingRun("transformer", switches(row), settings, 1, data.path, held_out.path, symbols, symbols)
    require = planning.require_memory

    def noted(found: Measured, plan: MemoryPlan, *words: Any, **hardware: Any) -> None:
        planned.append(plan.total)
        require(found, plan, *words, **hardware)

    planning.require_memory = noted
    train(run, folder / "work", device="cpu", devices=1, threads=1, recompute=row.recompute)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{row}: planned {planned[0] / GIGABYTE:.2f} GB, peak {peak / GIGABYTE:.2f} GB", flush=True)


def show_large() -> None:
    """Print the plans of large networks with random sentences of 40 subwords."""
    task = SentenceTask(dataset(Path(tempfile.mkdtemp()), [60, 60], length=40))
    precisions: tuple[Precision, ...] = ("fp32", "bf16")
    for name, symbols in LARGE.items():
        network = build("transformer", CARD, symbols, symbols, True)
        assert isinstance(network, Transformer)
        names = [name for name, _ in network.named_parameters()]
        for precision, tokens in itertools.product(precisions, (1024, 4096)):
            feed = training_feed(task, "sentence", TrainingSettings(batch_tokens=tokens), 1)
            found = measured(network, feed, task.objective(0.1), precision, symbols, names)
            for processes, recompute in itertools.product((1, 4), (False, True)):
                plan = found.plan(
                    device="cuda",
                    processes=processes,
                    precision=precision,
                    recompute=recompute,
                    shard=processes > 1,
                    base=CONTEXT,
                )
                print(f"{name} {precision} {tokens} tokens, {processes} processes, recompute {recompute}: {plan}")


def main() -> None:
    """Print the rows that the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="plans for large checkpoints")
    torch.set_num_threads(1)
    if parser.parse_args().large:
        show_large()
        return
    for row in ROWS:
        if os.fork() == 0:
            show(row)
            os._exit(0)
        os.wait()


if __name__ == "__main__":
    main()
