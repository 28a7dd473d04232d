"""Analysis of several documents of which one may fail: it gives its error, the others their results."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from discourse_nmt.base.errors import InputError

Document = TypeVar("Document")
Result = TypeVar("Result")


def results_or_errors(
    analyse: Callable[[Sequence[Document]], Sequence[Result]], documents: Sequence[Document]
) -> list[Result | Exception]:
    """What ``analyse`` makes of each document, or the error that it raises for this one.

    After an error each half of the documents is analysed again, and so on down to those that fail alone. Errors that
    concern all documents are raised: a fault of settings or files, of the operating system, and a lack of memory.
    """
    try:
        return [*analyse(documents)]
    except (InputError, OSError, MemoryError):
        raise
    except Exception as error:
        if len(documents) == 1:
            return [error]
    half = len(documents) // 2
    return results_or_errors(analyse, documents[:half]) + results_or_errors(analyse, documents[half:])


def told(error: Exception) -> str:
    """One line about an error: its class and its message."""
    return " ".join(f"{type(error).__name__}: {error}".splitlines())
