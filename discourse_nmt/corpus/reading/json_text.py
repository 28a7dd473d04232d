"""Files with one JSON value."""

import json
from collections import Counter
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.sources import Source


def load(source: Source) -> Any:
    """The JSON value of a file; raises :class:`InputError` for other text and for objects with a key twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        unique_pairs = dict(pairs)
        if len(unique_pairs) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            twice = next(key for key, count in counts.items() if count > 1)
            raise InputError(
                f"{twice[:80]!r} is there twice in one object", file=source.name, remedy="keep one of them"
            )
        return unique_pairs

    try:
        return json.loads(source.text(), object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", file=source.name, line=error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({error})", file=source.name) from None
