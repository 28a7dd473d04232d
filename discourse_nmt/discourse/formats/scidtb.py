"""The JSON format of SciDTB (Yang and Li 2018): discourse dependencies of an abstract.

``{"root": [{"id": 0, "parent": -1, "text": "ROOT", "relation": "null"}, {"id": 1, "parent": 0, ...}]}``, with a
byte order mark. ``<S>`` at the end of an EDU ends a sentence.
"""

import json
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import blaming, text_of
from discourse_nmt.discourse.structures.dependencies import Dependencies, check_heads
from discourse_nmt.discourse.structures.trees import ROOT_RELATION

SENTENCE_END = "<S>"


@dataclass(frozen=True, slots=True)
class ScidtbUnit:
    """An EDU of the file: parent (from 1; 0 for a root, -1 if unattached), text and relation."""

    parent: int
    text: str
    relation: str


@dataclass(frozen=True)
class ScidtbDocument:
    """The EDUs of an abstract in text order."""

    units: tuple[ScidtbUnit, ...]

    @property
    def dependencies(self) -> Dependencies:
        """The dependencies; unattached EDUs are roots, and the relation of every root is ``ROOT``."""
        heads = tuple(max(unit.parent - 1, -1) for unit in self.units)
        return Dependencies(heads, tuple(ROOT_RELATION if unit.parent < 1 else unit.relation for unit in self.units))

    @property
    def texts(self) -> tuple[str, ...]:
        """Text of each EDU, without sentence marks and outer blanks."""
        return tuple(unit.text.strip().removesuffix(SENTENCE_END).rstrip() for unit in self.units)

    @property
    def sentences(self) -> tuple[int, ...]:
        """Sentence of each EDU, from 0."""
        numbers = [0]
        for unit in self.units[:-1]:
            numbers.append(numbers[-1] + unit.text.rstrip().endswith(SENTENCE_END))
        return tuple(numbers)


def read_scidtb(content: str | bytes, name: str) -> ScidtbDocument:
    """Read one abstract."""
    try:
        value = json.loads(text_of(content, name))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", file=name, line=error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise InputError(f"not JSON of this format ({type(error).__name__})", file=name) from None
    entries = value.get("root") if isinstance(value, dict) else None
    if not isinstance(entries, list) or len(entries) < 2:
        raise InputError('not a SciDTB file: no list "root" of at least two units', file=name)
    for number, entry in enumerate(entries):
        _check_entry(entry, number, name)
    if entries[0]["parent"] != -1:
        raise InputError("unit 0 is not the artificial root", file=name)
    units = tuple(ScidtbUnit(entry["parent"], entry["text"], entry["relation"]) for entry in entries[1:])
    with blaming(name):
        check_heads([max(unit.parent - 1, -1) for unit in units], first=1)
    return ScidtbDocument(units)


def _check_entry(entry: object, number: int, name: str) -> None:
    if not isinstance(entry, dict):
        raise InputError(f"unit {number} is not an object", file=name)
    for key, kind in (("id", int), ("parent", int), ("text", str), ("relation", str)):
        if type(entry.get(key)) is not kind:
            raise InputError(f"unit {number} has no {key} of the right type", file=name)
    if entry["id"] != number:
        raise InputError(f"unit {number} has the id {entry['id']}", file=name)
    if entry["parent"] < -1 or (entry["parent"] > 0 and entry["relation"] in ("", ROOT_RELATION)):
        raise InputError(f"unit {number} has parent {entry['parent']} and relation {entry['relation']!r}", file=name)
