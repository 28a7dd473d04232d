"""Changes of a job's inputs and parameters in words, from Snakemake's records of the last run."""

import ast
import json
from collections.abc import Iterable, Mapping

# Parameters that are digests, and the change that each stands for.
DIGESTS = {"code": "its code changed", "files": "its models or imported files changed"}

# Parameters that follow from another one: a change is told of that one alone.
DERIVED = {"switches": "configuration"}


def changed_parameters(before: Iterable[str], now: Mapping[str, str]) -> list[str]:
    """The changes of a job's parameters, in words.

    ``before`` are the values of the last run that are gone, as Python literals; Snakemake keeps no names with them.
    ``now`` are the new values, by name. Each is matched to the old value that is most like it.
    """
    old_values = [ast.literal_eval(value) for value in before]
    changes = []
    for name, literal in sorted(now.items()):
        if DERIVED.get(name) in now:
            continue
        value = ast.literal_eval(literal)
        old = _most_like(value, old_values, alone=len(now) == 1)
        if old is not None:
            old_values.remove(old)
        settings = _settings(value)
        if settings is not None:
            changes.append(_changed_settings(name, _settings(old), settings))
        elif name in DIGESTS:
            changes.append(DIGESTS[name])
        elif old is None:
            changes.append(f"{name} is {_short(value)} now")
        else:
            changes.append(f"{name} changed: {_short(old)} -> {_short(value)}")
    return changes or ["fewer parameters than before"]


def changed_inputs(before: Iterable[str], now: Iterable[str]) -> list[str]:
    """The files that a job newly reads, and those that it no longer reads, in words."""
    before, now = set(before), set(now)
    changes = [f"new input {path}" for path in sorted(now - before)]
    return changes + [f"no longer reads {path}" for path in sorted(before - now)]


def listed(names: Iterable[str], most: int = 4) -> str:
    """Names with commas: the first ``most``, and the number of the others."""
    listing = list(names)
    others = [f"and {len(listing) - most} more"] if len(listing) > most else []
    return ", ".join(listing[:most] + others)


def _changed_settings(name: str, old: Mapping[str, object] | None, new: Mapping[str, object]) -> str:
    """The keys of a section of settings that changed, nested keys with dots."""
    label = "settings changed" if name == "settings" else f"settings of {name} changed"
    if old is None:
        return label
    before, now = dict(_flat(old)), dict(_flat(new))
    pairs = [(key, before.get(key), now.get(key)) for key in sorted(before.keys() | now.keys())]
    return f"{label}: " + ", ".join(f"{key} {_short(a)} -> {_short(b)}" for key, a, b in pairs if a != b)


def _flat(values: Mapping[str, object], prefix: str = "") -> Iterable[tuple[str, object]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _most_like(value: object, candidates: list[object], alone: bool) -> object | None:
    """The old value of a parameter: settings with the most keys in common; else the only one there is, of one type."""
    settings = _settings(value)
    if settings is None:
        alike = [old for old in candidates if type(old) is type(value) and _settings(old) is None]
        return alike[0] if alone and len(alike) == 1 else None
    likeness = [(len(settings.keys() & (_settings(old) or {}).keys()), old) for old in candidates]
    best = max(likeness, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] else None


def _settings(value: object) -> dict[str, object] | None:
    """The settings that a parameter holds as JSON, or None for any other parameter."""
    if not isinstance(value, str) or not value.startswith("{"):
        return None
    settings: dict[str, object] = json.loads(value)
    return settings


def _short(value: object) -> str:
    text = "none" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
