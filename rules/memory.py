"""How much memory a job asks for: by what it reads, and more of it when it is tried again."""

from collections.abc import Callable
from typing import Any


def memory(
    least: int, *, fixed: int = 0, per_megabyte: float = 0, most: int | None = None, growth: int = 4
) -> Callable[[Any, Any, int], int]:
    """The resource ``mem_mb`` of a rule, in megabytes.

    A first attempt asks for ``fixed`` and ``per_megabyte`` of the input, at least ``least`` and at most ``most``. The
    second asks for twice as much, the third for three times, and so on up to ``growth`` times: a job that was killed
    for its memory mostly passes then, and one that fails for another reason does not ask for ever more.
    """

    def megabytes(wildcards: Any, input: Any, attempt: int) -> int:
        wanted = max(least, int(fixed + per_megabyte * input.size_mb)) if per_megabyte else max(least, fixed)
        return min(wanted, most or wanted) * min(attempt, growth)

    return megabytes
