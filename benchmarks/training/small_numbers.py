"""Training on a CPU with numbers below 1e-38 as they are, and as 0, which training makes them.

Where attention is sharp, many of its weights and their gradients are so small. A new network has none, so this takes
the options of a real training after ``--``; ``snakemake -np FILE`` prints them. From update ``--after`` on every other
update leaves the numbers as they are. Prints the median CPU-seconds per thousand target tokens of both, and the ratio
of the medians (above 1: zeros are faster). Nothing is written outside a temporary folder.

    python -m benchmarks.training.small_numbers --after 1000 -- --system hybrid_context --settings '{...}' ...
"""

import contextlib
import statistics
import sys
import tempfile
import time
from typing import Any

import torch

from benchmarks.rounds import machine
from discourse_nmt.base.errors import InputError
from discourse_nmt.training.run.loop import Training
from discourse_nmt.workflow_scripts.command import arguments, run
from discourse_nmt.workflow_scripts.train import train


def measured_updates(after: int, updates: int) -> dict[bool, list[float]]:
    """CPU-seconds per thousand tokens, filled by the next training in this process: with zeros, and without."""
    seconds: dict[bool, list[float]] = {True: [], False: []}
    update = Training._update

    def timed(training: Training[Any, Any], batches: list[Any], tokens: int) -> None:
        past = training.state.update - after
        if past >= updates:
            raise SystemExit
        zeros = past < 0 or past % 2 == 0
        torch.set_flush_denormal(zeros)
        start = time.process_time()
        update(training, batches, tokens)
        if past >= 0:
            seconds[zeros].append(1000 * (time.process_time() - start) / tokens)

    Training._update = timed  # type: ignore[method-assign, assignment]
    return seconds


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--after", type=int, default=1000, help="updates of training before the measured ones")
    parser.add_argument("--updates", type=int, default=60, help="updates to measure")
    parser.add_argument("training", nargs="+", help="options of workflow_scripts.train.train")
    options = parser.parse_args()
    seconds = measured_updates(options.after, options.updates)
    with tempfile.TemporaryDirectory() as folder:
        places = [f"--work={folder}/work", f"--output={folder}/model.safetensors", f"--metrics={folder}/metrics.csv"]
        sys.argv = ["train", *options.training, *places]
        with contextlib.suppress(SystemExit):
            train.main()
    if not all(seconds.values()):
        raise InputError(f"the training ended before update {options.after + 2}", remedy="lower --after")
    zeros, others = (statistics.median(seconds[kind]) for kind in (True, False))
    print(f"CPU-seconds per 1,000 tokens: {zeros:.2f} with zeros, {others:.2f} without; ratio {others / zeros:.2f}")
    print(machine())


if __name__ == "__main__":
    run(main)
