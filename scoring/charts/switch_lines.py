"""Experiments that differ in the number of one switch alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from discourse_nmt.scoring.reports.ablations import differing

LEAST = 3  # points of a line: of two, a table says as much
OFF = (None, "none")  # values of what a number of 0 leaves without use


@dataclass(frozen=True)
class Line:
    """Experiments by the number that their switch has, the values that the other switches are ``held`` at, and which of
    these are ``off`` at 0 all the same."""

    experiments: Mapping[float, str]
    held: Mapping[str, Any]
    off: Sequence[str]


def lines_of(switches: Mapping[str, Mapping[str, Any]], switch: str) -> list[Line]:
    """The lines against ``switch`` through experiments of one system: at least three, which differ in it alone.

    Its values must be numbers, no two the same. Where none of them is 0, the one experiment of number 0 belongs to the
    line, too, whose other switches are each as on the line or off: what a size of 0 leaves without use follows from it.
    """
    others = [name for name in differing(list(switches.values())) if name != switch]
    numbers = {name: one[switch] for name, one in switches.items() if is_number(one.get(switch))}
    held = {name: {other: switches[name].get(other) for other in others} for name in numbers}
    alike: list[list[str]] = []
    for name in numbers:
        same = [names for names in alike if held[names[0]] == held[name]]
        if same:
            same[0].append(name)
        else:
            alike.append([name])
    lines = []
    for names in alike:
        common = held[names[0]]
        joined = []
        if all(numbers[name] for name in names):
            joined = [name for name in numbers if not numbers[name] and is_off(held[name], common)]
        if len(joined) == 1:
            names = [*joined, *names]
        experiments = {float(numbers[name]): name for name in names}
        if len(experiments) == len(names) >= LEAST:
            off = [other for other in others if held[names[0]][other] != common[other]]
            lines.append(Line(experiments, common, off))
    return lines


def is_number(value: Any) -> bool:
    """Whether a switch's value is a finite number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def is_off(values: Mapping[str, Any], common: Mapping[str, Any]) -> bool:
    """Whether ``values`` differ from the ``common`` ones of the same switches only in what is off."""
    return all(values[name] == common[name] or values[name] in OFF for name in common)
