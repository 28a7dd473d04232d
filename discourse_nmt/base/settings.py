"""Settings as data: a dataclass declares each key with its default, meaning and range; a mapping fills it.

The type of a field is part of its declaration: text, numbers, ``Literal`` for a choice of words, lists, dictionaries,
alternatives (``int | None``), further dataclasses of settings, :class:`Given` keys of one, or ``Any`` for what another
module checks.
"""

import copy
import difflib
import math
import re
import types
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, Generic, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from discourse_nmt.base.errors import InputError

Settings = TypeVar("Settings")
Settings_co = TypeVar("Settings_co", covariant=True)

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")  # of an experiment, a corpus, a split
NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false", types.NoneType: "null"}

# Further keywords of JSON Schema, see setting().
NO_KEYWORDS: Mapping[str, object] = types.MappingProxyType({})
FILES: Mapping[str, object] = types.MappingProxyType({"minItems": 1})  # a list of files, if the key is given
DISTINCT: Mapping[str, object] = types.MappingProxyType({"uniqueItems": True})
SOME_DISTINCT: Mapping[str, object] = types.MappingProxyType({"minItems": 1, "uniqueItems": True})
TUNED = "tuned"  # key of a group of settings that seldom change, which is one row on their page
NO_LIMITS = types.MappingProxyType({"minimum": None, "maximum": None, "below": None, "schema": NO_KEYWORDS})


class Given(Mapping[str, object], Generic[Settings_co]):
    """The keys of the dataclass ``kind`` that a section gives: the others stand elsewhere, or have their defaults.

    They are as they were written. :meth:`parsed` checks them.
    """

    def __init__(self, kind: type[Settings_co], keys: Mapping[str, object] = NO_KEYWORDS) -> None:
        self.kind = kind
        self._keys = dict(keys)

    def __getitem__(self, key: str) -> object:
        return self._keys[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"Given({self.kind.__name__}, {self._keys})"

    def over(self, *others: Mapping[str, object]) -> "Given[Settings_co]":
        """With the keys of ``others`` that are absent here; an earlier one goes before a later one."""
        keys: dict[str, object] = {}
        for section in (*reversed(others), self):
            keys.update(section)
        return Given(self.kind, keys)

    def parsed(self, place: str) -> Settings_co:
        """These settings with every default; faults are those of :func:`parse_settings`."""
        return parse_settings(self.kind, self, place)


@dataclass(frozen=True)
class ChosenBy:
    """The class of a section, which the ``key`` beside it, or ``inside`` it, chooses."""

    key: str
    kinds: Mapping[str, type[object]]
    inside: bool = False


def setting(
    default: Settings,
    meaning: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    below: float | None = None,
    schema: Mapping[str, object] = NO_KEYWORDS,
) -> Settings:
    """A dataclass field with its ``default``, a one-line ``meaning`` and, where it has one, its range.

    The range, ``minimum`` and ``maximum`` included and ``below`` not, holds for every number in the field. ``schema``
    holds further keywords of JSON Schema, such as ``uniqueItems``: only the check of the configuration sees them.
    Lists and dictionaries are copied for each instance.
    """
    metadata = {"meaning": meaning, "minimum": minimum, "maximum": maximum, "below": below, "schema": schema}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: copy.deepcopy(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def required(meaning: str, *, schema: Mapping[str, object] = NO_KEYWORDS) -> Any:
    """A dataclass field without a default, with its one-line ``meaning`` and further keywords of JSON Schema."""
    return setting(MISSING, meaning, schema=schema)


def probability(default: float, meaning: str) -> float:
    """A dataclass field for a probability: at least 0 and below 1."""
    return setting(default, meaning, minimum=0, below=1)


def given(kind: type[Settings], meaning: str, choice: ChosenBy | None = None) -> Given[Settings]:
    """A dataclass field for some keys of ``kind``, or of the class that the ``choice`` makes."""
    metadata = {**NO_LIMITS, "meaning": meaning, "choice": choice}
    return field(default_factory=lambda: Given(kind), metadata=metadata)


def resolved(meaning: str) -> Any:
    """A dataclass field that no mapping fills: None until code does."""
    return field(default=None, metadata={**NO_LIMITS, "meaning": meaning, "resolved": True})


def declared_fields(kind: object) -> dict[str, Field[Any]]:
    """The fields of a dataclass of settings, or of an instance, that a mapping fills, by name."""
    return {entry.name: entry for entry in fields(cast(Any, kind)) if not entry.metadata.get("resolved")}


def nearest(wrong: str, names: Iterable[str]) -> str:
    """Advice for a mistyped name: the most similar of ``names``, or all of them."""
    names = list(names)
    similar = difflib.get_close_matches(wrong, names, n=1)
    if similar:
        return f"did you mean {similar[0]}?"
    return f"choose from {', '.join(names)}" if names else "there are none"


def legal_name(text: str) -> str:
    """The name that is most like ``text``, empty where no letter or digit would be left: ``Grosses_Netz``."""
    plain = unicodedata.normalize("NFKD", text.replace("ß", "ss")).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.+-]+", "_", plain).strip("_.+-")


def another_name(illegal: str) -> str:
    """Advice for a text that is no :data:`NAME`."""
    example = f", for example {legal}" if (legal := legal_name(illegal)) else ""
    return f"use letters from A to Z, digits, _, ., + and -, a letter or digit first{example}"


def parse_settings(kind: type[Settings], values: object, place: str, *, as_written: bool = False) -> Settings:
    """The mapping ``values`` as an instance of the dataclass ``kind``; absent keys take their default.

    Whole numbers become floats where the field is one, unless numbers stay ``as_written``. ``place`` says whose
    settings these are (``system transformer``; empty for a whole configuration). Raises :class:`InputError` naming
    ``place`` and the key: unknown, missing, of a wrong type or outside its range; or at odds with another one.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"{place} must be a mapping, not {values!r}")
    declared = declared_fields(kind)
    for key in values:
        if key not in declared:
            raise InputError(f"{place}: unknown setting {key}", remedy=_remedy(str(key), kind))
    for name, entry in declared.items():
        if name not in values and entry.default is MISSING and entry.default_factory is MISSING:
            raise InputError(f"{place}: {name} is missing")
    hints = hints_of(kind)
    chosen: dict[str, object] = {name: {} for name, entry in declared.items() if entry.metadata.get("choice")}
    arguments = {}
    for name, value in {**chosen, **values}.items():
        metadata = declared[name].metadata
        hint = _chosen(hints[name], metadata.get("choice"), values, value)
        arguments[name] = _parsed(value, hint, _Reading(metadata, place, name, as_written))
    try:
        return kind(**arguments)
    except InputError as error:  # of settings that do not go together
        raise InputError(f"{place}: {error}") from None


def _remedy(unknown: str, kind: type[object]) -> str:
    """Advice for an unknown setting: the group of those that seldom change, if it has it, or the most similar name."""
    declared = declared_fields(kind)
    if TUNED in declared and unknown in declared_fields(hints_of(kind)[TUNED]):
        return f"it stands in {TUNED}"
    return nearest(unknown, declared)


def hints_of(kind: type[object]) -> dict[str, Any]:
    """The types of the fields of a dataclass."""
    return _hints(kind)  # type: ignore[arg-type]


@cache  # hints are evaluated anew in each call, of which a workflow makes thousands
def _hints(kind: type[object]) -> dict[str, Any]:
    return get_type_hints(kind)


@dataclass(frozen=True)
class _Reading:
    """Where a value stands, its limits, and whether its numbers stay as they are written."""

    limits: Mapping[str, Any]
    place: str
    name: str
    as_written: bool

    def inside(self, key: object) -> "_Reading":
        return replace(self, name=f"{self.name}.{key}")

    @property
    def path(self) -> str:
        return f"{self.place}.{self.name}" if self.place else self.name

    def fault(self, value: object, remedy: str) -> InputError:
        return InputError(f"{self.place}: {self.name} is {value!r}", remedy=remedy)


def _chosen(hint: object, choice: ChosenBy | None, beside: Mapping[str, object], inside: object) -> object:
    """The type of a field whose class another key chooses; an unknown name is left to a later check."""
    section = inside if choice and choice.inside else beside
    kind = choice and isinstance(section, Mapping) and choice.kinds.get(str(section.get(choice.key)))
    return Given[kind] if kind else hint  # type: ignore[valid-type]


def _parsed(value: Any, hint: object, reading: _Reading) -> object:
    alternatives = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    chosen = _alternative(value, alternatives)
    if chosen is None:
        raise reading.fault(value, _advice(value, alternatives))
    if is_dataclass(chosen):
        return parse_settings(cast(type[object], chosen), value, reading.path, as_written=reading.as_written)
    if get_origin(chosen) is Given:
        return Given(get_args(chosen)[0], value)
    if get_origin(chosen) is list:
        (item,) = get_args(chosen)
        return [_parsed(one, item, reading.inside(number)) for number, one in enumerate(value)]
    if get_origin(chosen) is dict:
        _, item = get_args(chosen)
        return {str(key): _parsed(one, item, reading.inside(key)) for key, one in value.items()}
    if chosen in (int, float) and (wanted := _missed_bound(value, reading.limits)):
        raise reading.fault(value, f"it must be {wanted}{' or null' if types.NoneType in alternatives else ''}")
    return float(value) if chosen is float and not reading.as_written else value


def _alternative(value: object, alternatives: tuple[object, ...]) -> object:
    """The first type that ``value`` fits; else a dataclass, whose own parsing tells what is wrong; else None."""
    fitting = next((hint for hint in alternatives if _fits(value, hint)), None)
    return fitting or next(filter(is_dataclass, alternatives), None)


def _fits(value: object, hint: Any) -> bool:
    """Whether ``value`` is of the type ``hint``, the items of containers left aside."""
    if hint is Any:
        return True
    if is_dataclass(hint) or get_origin(hint) in (dict, Given):
        return isinstance(value, Mapping)
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if hint in (int, float) and isinstance(value, bool):
        return False
    if hint is float:
        return isinstance(value, int | float)
    return isinstance(value, get_origin(hint) or hint)


def _missed_bound(value: float, limits: Mapping[str, float | None]) -> str:
    minimum, maximum, below = (limits.get(bound) for bound in ("minimum", "maximum", "below"))
    # Written so that a NaN, which compares false with everything, is refused too.
    if minimum is not None and not value >= minimum:
        return f"at least {minimum}"
    if maximum is not None and not value <= maximum:
        return f"at most {maximum}"
    if below is not None and not value < below:
        return f"below {below}"
    return "" if math.isfinite(value) else "finite"


def _advice(value: object, alternatives: tuple[object, ...]) -> str:
    words = [word for hint in alternatives if get_origin(hint) is Literal for word in get_args(hint)]
    return nearest(str(value), words) if words else f"it must be {' or '.join(map(_told, alternatives))}"


def _told(hint: Any) -> str:
    if get_origin(hint) is list:
        return f"a list of {_told(get_args(hint)[0])}"
    return "a mapping" if get_origin(hint) in (dict, Given) else NAMES.get(hint, str(hint))


def as_json(value: object) -> Any:
    """The mapping, list or value that stands for ``value`` in a configuration, from which it is read again.

    Dataclasses become mappings with every key. A list that must not be empty is absent where it is, and so is what
    code resolves.
    """
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if not is_dataclass(value):
        return value
    keys = ((entry, getattr(value, entry.name)) for entry in fields(value))
    return {entry.name: as_json(item) for entry, item in keys if not _is_absent(entry, item)}


def _is_absent(entry: Field[Any], value: object) -> bool:
    if entry.metadata.get("resolved"):
        return value is None
    return value == [] and "minItems" in entry.metadata.get("schema", ())
