"""Experiments that differ only in one numeric switch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeGuard

from discourse_nmt.scoring.tables.ablations import Switches, differing

LEAST = 3  # points of a line; for two, the table is enough
OFF = (None, "none")  # values of switches without use when a number is 0


@dataclass(frozen=True)
class SwitchLine:
    """A line through experiments."""

    experiments: Mapping[float, str]
    """Experiments by the number of their switch."""
    held: Switches
    """Values of the other switches."""
    off: Sequence[str]
    """Those of the other switches that are off in the experiment at 0."""


def lines_of(switches: Mapping[str, Switches], switch: str) -> list[SwitchLine]:
    """The lines against ``switch`` through at least three experiments of one system that differ in nothing else.

    The values of the switch must be different numbers. A line without an experiment at 0 is joined by the experiment
    at 0 whose other switches are each as on the line or off, if there is exactly one: a size of 0 makes them useless.
    """
    others = [name for name in differing(list(switches.values())) if name != switch]
    given = {name: values.get(switch) for name, values in switches.items()}
    numbers = {name: value for name, value in given.items() if is_number(value)}
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
            lines.append(SwitchLine(experiments, common, off))
    return lines


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a switch's value is a finite number; true and false are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def is_off(values: Switches, common: Switches) -> bool:
    """Whether each of ``values`` equals the ``common`` one of its switch or is off."""
    return all(values[name] == common[name] or values[name] in OFF for name in common)
