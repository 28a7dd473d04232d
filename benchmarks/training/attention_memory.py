"""Time and memory of neighbourhood attention per token, against one dense call with a mask of all positions.

A document of 512 to 16,384 tokens is one sequence. Relation ``tree`` relates discourse units of about ten tokens to
themselves, their head and their dependents; ``document`` relates all tokens. Each cell of the table is measured in a
process of its own, which makes the mask or the plan and runs forward and backward a few times; the time is the median.

Memory is the rise of the process's peak (VmHWM of Linux) over queries, keys and values: results, gradients, and the
mask or the plan. Time is CPU time, which other work on the machine changes little, without making the mask or the
plan. On a GPU they are torch's counter and the wall clock. The dense call is the strongest control: torch's fused
kernel, which stores no scores.

    python -m benchmarks.training.attention_memory
"""

import multiprocessing
import statistics
import time
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.models.attention.multi_head import attend, path_of
from discourse_nmt.models.attention.neighbourhood import Neighbourhood, neighbourhood
from discourse_nmt.workflow_scripts.command import arguments, run

UNIT = (4, 17)  # tokens of a discourse unit: at least, below
SHARE_OF_PREVIOUS = 0.4  # a unit depends on the one before it with this probability, on the one before that, ...


@dataclass(frozen=True)
class Figures:
    """One cell: the path taken, seconds and bytes per token, seconds per token for the mask or the plan."""

    path: str
    seconds: float
    bytes: float
    preparation: float


def document(relation: str, length: int) -> Neighbourhood:
    """A document of ``length`` tokens."""
    if relation == "document":
        units = np.zeros((1, length), np.int64)
        return neighbourhood(units, units, [np.zeros((1, 2), np.int64)])
    rng = np.random.default_rng(1)
    units = np.repeat(np.arange(length), rng.integers(*UNIT, length))[None, :length]
    dependents = np.arange(1, units.max() + 1)
    heads = np.maximum(dependents - rng.geometric(SHARE_OF_PREVIOUS, len(dependents)), 0)
    arcs = np.stack([dependents, heads], axis=1)
    itself = np.stack([np.arange(units.max() + 1)] * 2, axis=1)
    return neighbourhood(units, units, [np.concatenate([arcs, arcs[:, ::-1], itself])])


def full_mask(plan: Neighbourhood) -> Tensor:
    """The mask of all pairs of positions, [1, 1, T, T], also where all of it is true."""
    mask = plan.mask
    return torch.ones(1, 1, *plan.shape[1:], dtype=torch.bool, device=plan.device) if mask is None else mask


def prepared(path: str, plan: Neighbourhood) -> tuple[str, Callable[[Tensor, Tensor, Tensor], Tensor]]:
    """The path's name, and the attention with its mask or plan already made."""
    if path == "dense":
        mask = full_mask(plan)
        return "dense", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    name = path_of(plan, 0.0)
    {"gather": lambda: plan.gathering, "blocks": lambda: plan.block_mask}.get(name, lambda: None)()
    return name, lambda q, k, v: attend(q, k, v, plan, causal=False, dropout=0.0)


def memory(device: torch.device) -> int:
    """Bytes at the peak since :func:`forget_peak`."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated()
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def forget_peak(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    else:
        Path("/proc/self/clear_refs").write_text("5")


def clock(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
        return time.perf_counter()
    return time.process_time()


def measure(relation: str, path: str, length: int, options: Namespace) -> Figures:
    """One cell of the table."""
    torch.set_num_threads(options.threads)
    device = torch.device(options.device)
    attention = prepared(path, document(relation, 300).to(device))[1]
    forward_backward(attention, *random_states(300, options))

    states = random_states(length, options)
    forget_peak(device)
    before, start = memory(device), clock(device)
    name, attention = prepared(path, document(relation, length).to(device))
    times = [clock(device) - start]
    while len(times) < 2 or (len(times) <= options.repeats and sum(times) < options.seconds):
        start = clock(device)
        forward_backward(attention, *states)
        times.append(clock(device) - start)
    preparation, *times = times
    return Figures(name, statistics.median(times) / length, (memory(device) - before) / length, preparation / length)


def random_states(length: int, options: Namespace) -> list[Tensor]:
    """Queries, keys and values [1, h, T, d_k], in memory token after token as projections write them."""
    shape = 1, length, options.heads, options.width // options.heads
    return [torch.randn(shape, device=options.device).transpose(1, 2).requires_grad_() for _ in range(3)]


def forward_backward(attention: Callable[..., Tensor], *states: Tensor) -> None:
    result = attention(*states)
    torch.autograd.grad(result, states, torch.ones_like(result))


def cell(relation: str, path: str, length: int, options: Namespace) -> Figures:
    """:func:`measure` in a new process, so that its memory is that of the cell alone."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (relation, path, length, options))


def row(length: int, dense: Figures, ours: Figures) -> list[str | int | float]:
    """A line of the table: microseconds, KiB, microseconds for the plan; all per token."""
    return [
        length,
        ours.path,
        *(1e6 * dense.seconds, 1e6 * ours.seconds, dense.seconds / ours.seconds),
        *(dense.bytes / 1024, ours.bytes / 1024, dense.bytes / ours.bytes),
        1e6 * ours.preparation,
    ]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192, 16384], help="tokens")
    parser.add_argument("--reference", type=int, default=1024, help="length that the longest one is compared with")
    parser.add_argument("--width", type=int, default=512, help="width of the states")
    parser.add_argument("--heads", type=int, default=8, help="attention heads")
    parser.add_argument("--repeats", type=int, default=5, help="timed runs of each cell, at most")
    parser.add_argument("--seconds", type=float, default=5, help="time after which a cell is not run again")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu", help="where the attention runs")
    options = parser.parse_args()
    lengths = sorted({*options.lengths, options.reference})
    for relation in ("tree", "document"):
        cells = [[cell(relation, path, length, options) for path in ("dense", "default")] for length in lengths]
        print(f"\nrelation {relation}; per token: microseconds, KiB, microseconds for the plan")
        header = ["tokens", "path", "dense", "default", "ratio", "dense", "default", "ratio", "plan"]
        rows = [row(length, *figures) for length, figures in zip(lengths, cells)]
        print(pd.DataFrame(rows, columns=header).to_string(index=False, float_format="{:.1f}".format))
        ours = [figures.seconds for _, figures in cells]
        growth = ours[-1] / ours[lengths.index(options.reference)]
        print(f"time per token at {lengths[-1]} tokens / at {options.reference}: {growth:.2f}", flush=True)


if __name__ == "__main__":
    run(main)
