"""Files with one JSON value or with one on each line, and the parts of such values."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def load(source: Source) -> Json:
    """The JSON value of a file; raises :class:`InputError` for other text and for objects with a key twice."""

    def unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
        unique_pairs = dict(pairs)
        if len(unique_pairs) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice = next(key for key, count in counts.items() if count > 1)
            raise InputError(
                f"{twice[:80]!r} is there twice in one object", file=source.name, remedy="keep one of them"
            )
        return unique_pairs

    try:
        value: Json = json.loads(source.text(), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", file=source.name, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error})", file=source.name) from None
    return value


def objects(source: Source, remedy: str) -> Iterator[tuple[int, dict[str, Json]]]:
    """The object of each line that is not blank, with the line; raises :class:`InputError` for anything else."""
    for line, text in enumerate(source.lines(), start=1):
        if not has_text(text):
            continue
        try:
            value: Json = json.loads(text)
        except (ValueError, RecursionError) as error:
            reason = str(error).partition(":")[0]
            raise InputError(f"not JSON ({reason})", file=source.name, line=line, remedy=remedy) from None
        if not isinstance(value, dict):
            raise InputError("not a JSON object", file=source.name, line=line, remedy=remedy)
        yield line, value


def fields_of(value: Json) -> dict[str, Json]:
    """The fields of an object; none of any other value."""
    return value if isinstance(value, dict) else {}


def objects_in(value: Json) -> list[dict[str, Json]]:
    """The objects of a list of objects; none of any other value."""
    objects = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return objects if objects == value else []


def strings_in(value: Json) -> list[str] | None:
    """The texts of a list of texts; None for any other value."""
    strings = [item for item in value if isinstance(item, str)] if isinstance(value, list) else None
    return strings if strings == value else None
