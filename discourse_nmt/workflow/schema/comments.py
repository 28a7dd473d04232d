"""The comments of ``config.yaml``: the meaning of each key where it first occurs."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

from discourse_nmt.discourse.settings import AnalysisSettings, GraphSettings, RstSettings
from discourse_nmt.discourse.themes.settings import ThemeSettings
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.workflow.schema.sections import Configuration, LabellerSection

# Sections that another module checks, by their dataclass and key.
INNER: dict[tuple[type[Any], str], type[Any]] = {
    (AnalysisSettings, "rst"): RstSettings,
    (AnalysisSettings, "themes"): ThemeSettings,
    (AnalysisSettings, "graph"): GraphSettings,
    (LabellerSection, "settings"): LabellerSettings,
    (LabellerSection, "training"): LabellerTrainingSettings,
}


def commented(text: str) -> str:
    """A configuration in YAML with the meaning of every key as its comment.

    Names, values, keys that occur a second time, and keys without a dataclass of their own keep their comments.
    """
    commented_keys: set[tuple[type[Any], str]] = set()
    lines = []
    for line, kind, key in _keys(text):
        meaning = _meaning(kind, key) if kind and (kind, key) not in commented_keys else ""
        if meaning:
            commented_keys.add((kind, key))
            line = f"{line.split(' # ')[0].rstrip()} # {meaning}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def _keys(text: str) -> Iterator[tuple[str, Any, str]]:
    """Each line with its key and the dataclass that declares it, or None."""
    # Indentation and dataclass of the open sections, outermost first; a tuple holds the dataclass of named sections.
    sections: list[tuple[int, Any]] = [(-1, Configuration)]
    for line in text.splitlines():
        key, colon, _ = line.strip().partition(":")
        if not colon or not key.isidentifier():
            yield line, None, ""
            continue
        indentation = len(line) - len(line.lstrip())
        while sections[-1][0] >= indentation:
            sections.pop()
        kind = sections[-1][1]
        inner = kind[0] if isinstance(kind, tuple) else _inner(kind, key)
        sections.append((indentation, inner))
        yield line, None if isinstance(kind, tuple) else kind, key


def _inner(kind: Any, key: str) -> Any:
    """What declares the keys below ``key``: a dataclass, a tuple of one for named sections, or None."""
    hint = get_type_hints(kind).get(key) if kind else None
    if hint is None or (kind, key) in INNER:
        return INNER.get((kind, key))
    if get_origin(hint) is dict and is_dataclass(get_args(hint)[1]):
        return (get_args(hint)[1],)
    return hint if is_dataclass(hint) else None


def _meaning(kind: Any, key: str) -> str:
    """The meaning of a key, with the choices that it does not name; empty for a key that ``kind`` does not declare."""
    entry = next((entry for entry in fields(kind) if entry.name == key), None)
    if entry is None:
        return ""
    hint, meaning = get_type_hints(kind)[key], str(entry.metadata["meaning"])
    choices = get_args(hint) if get_origin(hint) is Literal else entry.metadata["schema"].get("enum", ())
    return meaning if set(choices) <= set(re.findall(r"\w+", meaning)) else f"{meaning} ({', '.join(choices)})"
