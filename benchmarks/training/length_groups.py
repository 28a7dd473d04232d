"""Training in bf16 on a CPU with groups of sentences that are cut by several costs of a group.

The systems read random paragraphs, as in :mod:`.context`, without structure files. In turn a system takes a step on the
same batch with each cost. Prints the median over the batches of the time with the first cost / the time with each
(above 1: faster than with the first).

    python -m benchmarks.training.length_groups --costs 96 200 400
"""

from collections.abc import Callable

import torch

from benchmarks.options import SIZE, begin, model_arguments
from benchmarks.rounds import alternate
from benchmarks.training.context import Unit, batches, random_paragraph, step_of
from benchmarks.training.speed import optimiser
from discourse_nmt.models.core import length_groups
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.systems import build
from discourse_nmt.workflow_scripts.command import run

Batch = list[Unit]


def with_cost(step: Callable[[Batch], None], cost: int) -> Callable[[Batch], None]:
    """The ``step`` in bf16, with groups cut by the ``cost`` of a group."""

    def costed(batch: Batch) -> None:
        length_groups.MIXED_PRECISION_COST = cost
        with torch.autocast("cpu", torch.bfloat16):
            step(batch)

    return costed


def main() -> None:
    parser = model_arguments(__doc__, settings=SIZE)
    parser.add_argument("--systems", nargs="*", default=["multitask", "selective"], help="systems to time")
    parser.add_argument("--costs", nargs="*", type=int, default=[96, 200], help="costs of a group, in positions")
    parser.add_argument("--mean-length", type=float, default=12, help="median subwords of a sentence")
    parser.add_argument("--batch-tokens", type=int, default=2000, help="tokens of a batch on its larger side")
    parser.add_argument("--rounds", type=int, default=12, help="rounds timed")
    options, rng = begin(parser)
    size = options.vocabulary_size
    paragraphs = [random_paragraph(16, options.mean_length, size, rng) for _ in range(16 * options.rounds)]
    chosen = batches(paragraphs, options.batch_tokens, rng)[: options.rounds]
    for name in options.systems:
        model = build(name, options.settings, size, size, True)
        assert isinstance(model, Transformer)
        step = step_of(model, optimiser(model), {})
        rounds = alternate({str(cost): with_cost(step, cost) for cost in options.costs}, chosen, warm_up=chosen[0])
        for cost in options.costs:
            print(f"{name}, cost {cost}: ratio {rounds.ratio(str(cost), str(options.costs[0])):.2f}")
        print(rounds.conditions)


if __name__ == "__main__":
    run(main)
