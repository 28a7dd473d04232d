"""Why a job would run, in words: from what Snakemake knows of the last run and of now."""

import ast
import json
from collections.abc import Iterable, Mapping
from typing import Any

# Parameters of rules that stand for more than their own value, and what is said of them.
DIGESTS = {"code": "its code changed", "files": "its models or imported files changed"}

# What is said of another parameter says it too.
DERIVED = {"switches": "configuration"}


def changed_parameters(before: Iterable[str], now: Mapping[str, str]) -> list[str]:
    """What changed in a rule's parameters.

    ``before`` are those of the last run that are gone, written as Python literals; Snakemake keeps no names with them.
    ``now`` are those of now that are new, by name. An old value is that of the parameter which it is most like.
    """
    gone = [ast.literal_eval(value) for value in before]
    words = []
    for name, literal in sorted(now.items()):
        if DERIVED.get(name) in now:
            continue
        value = ast.literal_eval(literal)
        old = _most_like(value, gone, alone=len(now) == 1)
        if old is not None:
            gone.remove(old)
        settings = _settings(value)
        if settings is not None:
            words.append(_changed_settings(name, _settings(old), settings))
        elif name in DIGESTS:
            words.append(DIGESTS[name])
        elif old is None:
            words.append(f"{name} is {_short(value)} now")
        else:
            words.append(f"{name} changed: {_short(old)} -> {_short(value)}")
    return words or ["fewer parameters than before"]


def changed_inputs(before: Iterable[str], now: Iterable[str]) -> list[str]:
    """Which files a job reads that it did not read before, and the other way round."""
    before, now = set(before), set(now)
    words = [f"new input {path}" for path in sorted(now - before)]
    return words + [f"no longer reads {path}" for path in sorted(before - now)]


def listed(names: Iterable[str], most: int = 4) -> str:
    """Names with commas; of more than ``most`` the first ones and how many more there are."""
    every = list(names)
    more = [f"and {len(every) - most} more"] if len(every) > most else []
    return ", ".join(every[:most] + more)


def _changed_settings(name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> str:
    """The keys of a section of settings that changed, nested keys with dots."""
    label = "settings changed" if name == "settings" else f"settings of {name} changed"
    if old is None:
        return label
    before, now = dict(_flat(old)), dict(_flat(new))
    pairs = [(key, before.get(key), now.get(key)) for key in sorted(before.keys() | now.keys())]
    return f"{label}: " + ", ".join(f"{key} {_short(a)} -> {_short(b)}" for key, a, b in pairs if a != b)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _most_like(value: Any, candidates: list[Any], alone: bool) -> Any | None:
    """The old value of a parameter: settings with the most keys in common; else the only one there is, of one type."""
    settings = _settings(value)
    if settings is None:
        alike = [one for one in candidates if type(one) is type(value) and _settings(one) is None]
        return alike[0] if alone and len(alike) == 1 else None
    likeness = [(len(settings.keys() & (_settings(one) or {}).keys()), one) for one in candidates]
    best = max(likeness, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] else None


def _settings(value: Any) -> dict[str, Any] | None:
    """The settings that a parameter holds as JSON, or None for any other parameter."""
    if not isinstance(value, str) or not value.startswith("{"):
        return None
    found: dict[str, Any] = json.loads(value)
    return found


def _short(value: Any) -> str:
    text = "none" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
