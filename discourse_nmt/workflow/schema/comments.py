"""The comments of ``config.yaml``: the meaning of each key where it first occurs."""

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from typing import Any, Literal, get_args, get_origin

from discourse_nmt.base.settings import Given, declared_fields, hints_of
from discourse_nmt.discourse.settings import RstSettings
from discourse_nmt.discourse.themes.settings import ThemeSettings
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.schema.json_schema import alternatives_of

# Sections whose keys are those of further dataclasses, by their dataclass and key.
FURTHER: dict[tuple[object, str], type[object]] = {
    (AnalysisSection, "rst"): RstSettings,
    (AnalysisSection, "themes"): ThemeSettings,
}


def commented(text: str) -> str:
    """A configuration in YAML with the meaning of every key as its comment.

    Names, values, keys that occur a second time, and keys without a dataclass of their own keep their comments.
    """
    commented_keys: set[tuple[object, str]] = set()
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
    if (kind, key) in FURTHER:
        return FURTHER[kind, key]
    for hint in alternatives_of(hints_of(kind).get(key)) if kind else ():
        section = get_args(hint)[1] if get_origin(hint) is dict else hint
        section = get_args(section)[0] if get_origin(section) is Given else section
        if is_dataclass(section):
            return section if get_origin(hint) is not dict else (section,)
    return None


def _meaning(kind: type[object], key: str) -> str:
    """The meaning of a key, with the choices that it does not name; empty for a key that ``kind`` does not declare."""
    entry = declared_fields(kind).get(key)
    if entry is None:
        return ""
    meaning = str(entry.metadata["meaning"])
    literals = (hint for hint in alternatives_of(hints_of(kind)[key]) if get_origin(hint) is Literal)
    choices = [word for hint in literals for word in get_args(hint)] or entry.metadata["schema"].get("enum", ())
    return meaning if set(choices) <= set(re.findall(r"\w+", meaning)) else f"{meaning} ({', '.join(choices)})"
