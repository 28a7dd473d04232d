"""The interface of Snakemake as the plan uses it: wildcards of jobs, and faults told in one line."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Protocol

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

from discourse_nmt.base.errors import InputError


class Wildcards(Protocol):
    """The wildcards of one job, by name."""

    def __getattr__(self, name: str) -> str:
        """The value of the wildcard ``name``."""

    def __getitem__(self, name: str) -> str:
        """The same."""

    def get(self, name: str, default: str) -> str:
        """The same, or ``default`` for a job without that wildcard."""


NamedInput = Mapping[str, list[str]]
"""The inputs of a job by name, as Snakemake gives them to params functions."""

InputFunction = Callable[[Wildcards], list[str]]
ParamsFunction = Callable[[Wildcards], Any]


def names_regex(names: Iterable[str]) -> str:
    """A regular expression that matches each of ``names``, and nothing where there are none."""
    return "|".join(map(re.escape, names)) or r"(?!)"


@contextmanager
def told_in_one_line(owner: str) -> Generator[None, None, None]:
    """Turn an :class:`InputError` into an error that Snakemake prints in one line, which begins with ``owner``."""
    try:
        yield
    except InputError as error:
        raise WorkflowError(f"{owner}: {error}") from None


@cache
def warn_once(message: str) -> None:
    """Log a warning, however often it is given."""
    logger.warning(message)


def check_braces(path: object, owner: str) -> None:
    """Raise a :class:`WorkflowError` for a path that Snakemake would take for a pattern."""
    if set("{}") & set(str(path)):
        raise WorkflowError(f"{owner}: Snakemake cannot read {path}; rename it, braces name wildcards")
