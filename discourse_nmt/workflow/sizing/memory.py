"""Memory that a job requests: by the size of its input, and more at each attempt."""

import os
from collections.abc import Callable, Sequence
from typing import Any

MEGABYTE = 2**20


def memory(
    least: int,
    *,
    fixed: int = 0,
    per_megabyte: float = 0,
    most: int | None = None,
    growth: int = 4,
    shards: Callable[[Any], int] = lambda wildcards: 1,
    estimated: Callable[[Any, Any], float] = lambda wildcards, input: 0,
) -> Callable[[Any, Sequence[str], int], int]:
    """The resource ``mem_mb`` of a rule, in megabytes.

    A first attempt asks for ``fixed`` and ``per_megabyte`` of the input, at least ``least`` and at most ``most``. Where
    a job reads one shard at a time, ``shards`` says into how many its input is divided, by the job's wildcards.
    ``estimated`` tells the megabytes of a job that do not follow from the size of all its input alone. The
    second attempt asks for twice as much, the third for three times, and so on up to ``growth`` times: a job that was
    killed for its memory mostly passes then, and one that fails for another reason does not ask for ever more.
    """

    def megabytes(wildcards: Any, input: Sequence[str], attempt: int) -> int:
        # Snakemake's own input.size_mb starts an event loop for each job.
        size = sum(map(os.path.getsize, input)) / MEGABYTE / shards(wildcards) if per_megabyte else 0
        wanted = max(least, int(fixed + per_megabyte * size + estimated(wildcards, input)))
        return min(wanted, most or wanted) * min(attempt, growth)

    return megabytes
