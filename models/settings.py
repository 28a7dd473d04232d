"""Settings as data: a dataclass declares each key, its default, meaning and range; a mapping fills it."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

from corpus.errors import InputError

Settings = TypeVar("Settings")


def setting(
    default: bool | int | float | str,
    meaning: str,
    *,
    minimum: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """A dataclass field with its ``default``, a one-line ``meaning`` and, where it has one, its range.

    ``minimum`` is inclusive; ``choices`` lists the allowed words.
    """
    return field(default=default, metadata={"meaning": meaning, "minimum": minimum, "choices": choices})


def probability(default: float, meaning: str) -> Any:
    """A dataclass field for a probability: at least 0 and below 1."""
    return field(default=default, metadata={"meaning": meaning, "minimum": 0.0, "below": 1.0, "choices": ()})


def nearest(name: str, names: Iterable[str]) -> str:
    """Advice for a mistyped ``name``: the most similar of ``names``, or all of them."""
    names = list(names)
    similar = difflib.get_close_matches(name, names, n=1)
    return f"did you mean {similar[0]}?" if similar else f"choose from {', '.join(names)}"


def parse_settings(kind: type[Settings], values: Mapping[str, Any], what: str) -> Settings:
    """``values`` as a ``kind``; keys that are absent take their default.

    An unknown key, a value of another type or outside its range is an :class:`InputError` that names the key;
    ``what`` says whose settings these are (``system transformer``).
    """
    declared = {entry.name: entry for entry in fields(kind)}  # type: ignore[arg-type]
    for key, value in values.items():
        if key not in declared:
            raise InputError(f"{what}: unknown setting {key}", remedy=nearest(key, declared))
        _check(declared[key], value, what)
    return kind(
        **{key: float(value) if type(declared[key].default) is float else value for key, value in values.items()}
    )


def _check(entry: Field[Any], value: Any, what: str) -> None:
    wanted = type(entry.default)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number if wanted is float else type(value) is wanted):
        names = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}
        raise InputError(f"{what}: {entry.name} is {value!r}", remedy=f"it must be {names[wanted]}")
    minimum, below = entry.metadata.get("minimum"), entry.metadata.get("below")
    # Written so that a NaN, which compares false with everything, is refused too.
    if minimum is not None and not value >= minimum:
        raise InputError(f"{what}: {entry.name} is {value!r}", remedy=f"it must be at least {minimum}")
    if below is not None and not value < below:
        raise InputError(f"{what}: {entry.name} is {value!r}", remedy=f"it must be below {below}")
    choices = entry.metadata.get("choices", ())
    if choices and value not in choices:
        raise InputError(f"{what}: {entry.name} is {value!r}", remedy=nearest(value, choices))


@dataclass(frozen=True)
class DecodingSettings:
    """How a trained model translates."""

    beam: int = setting(4, "hypotheses kept per sentence; 1 is greedy search", minimum=1)
    length_penalty: float = setting(
        0.6,
        "alpha of the GNMT length penalty ((5 + length) / 6) ** alpha; 0 compares plain log-probabilities",
        minimum=0,
    )
    n_best: int = setting(1, "hypotheses returned per sentence, at most beam", minimum=1)
    max_length_ratio: float = setting(
        1.2,
        "longest translation in target subwords per source subword, before max_length_offset is added",
        minimum=0,
    )
    max_length_offset: int = setting(10, "target subwords that every translation may have on top of that", minimum=1)
    batch_tokens: int = setting(4000, "source subwords translated at a time, padding included", minimum=1)

    def __post_init__(self) -> None:
        if self.n_best > self.beam:
            raise InputError(
                f"decoding: n_best is {self.n_best} but beam is {self.beam}",
                remedy="widen the beam or lower n_best",
            )
