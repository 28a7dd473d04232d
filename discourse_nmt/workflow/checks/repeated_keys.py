"""Keys that stand twice in a mapping of a YAML file, of which a reader would keep the last one without a word."""

import contextlib
from collections import deque
from pathlib import Path

import yaml

from discourse_nmt.base.errors import InputError

MERGE = "tag:yaml.org,2002:merge"


def check_repeated_keys(text: str, path: str | Path) -> None:
    """Raise :class:`InputError` with file and line for a key that its mapping has already; ``<<`` may be repeated.

    ``text`` is what is written in the file ``path``; one that is no YAML is left to its reader.
    """
    root = None
    with contextlib.suppress(yaml.YAMLError):
        root = yaml.compose(text, yaml.SafeLoader)
    places, seen = deque([("", root)]), set()
    while places:
        place, node = places.popleft()
        if id(node) in seen:  # an alias
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            places.extend((place, one) for one in node.value)
        elif isinstance(node, yaml.MappingNode):
            lines: dict[str, int] = {}
            for key, value in node.value:
                line, name = key.start_mark.line + 1, str(key.value)
                dotted = f"{place}.{name}" if place else name
                if name in lines and key.tag != MERGE:
                    message = f"{dotted} is there already, in line {lines[name]}"
                    raise InputError(message, file=path, line=line, remedy="rename or remove one of them")
                lines[name] = line
                places.append((dotted, value))
