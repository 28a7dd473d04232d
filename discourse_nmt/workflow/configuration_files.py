"""The reader of configuration files: YAML, or JSON, in UTF-8. A fault is told with file, line and remedy.

Snakemake reads the files that its option ``--configfile`` names before it reads the workflow, and names no line.
"""

import json
from collections import deque
from pathlib import Path
from typing import Any

import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.base.storage.files import read_text

MERGE = "tag:yaml.org,2002:merge"
REMEDIES = {
    "'\\t'": "indent by blanks, not by tabs",
    "mapping values": "put a blank after a key's colon, a text with a colon in quotes, a section's keys in one column",
    "<block end>": "put the keys of a section in one column, and a text with quotes inside in quotes as a whole",
    "expected ','": "put commas between items, and close the bracket of line {begin}",
    "<stream end>": "close the brackets",
    "end of stream": "close the quotes",
    "expected ':'": "write KEY: VALUE",
    "escape": "use single quotes, or write / for \\",
    "sequence entries": "write the items of a list below its key",
    "another document": "remove the line --- and what is not to be read",
}
"""What to do about a fault of YAML, by words of PyYAML's message."""


def read_configuration(path: Path) -> dict[str, Any]:
    """The mapping in the configuration file ``path``.

    Raises :class:`InputError`, with the line where there is one, for a file that is missing or not UTF-8, for a fault
    of YAML, for a key that its mapping has already, and for a file without keys.
    """
    if not path.is_file():
        raise InputError("no such file", file=path, remedy=nearest(str(path), map(str, path.parent.glob("*.yaml"))))
    return parsed_configuration(read_text(path), path)


def parsed_configuration(text: str, file: str | Path) -> dict[str, Any]:
    """The mapping that ``text`` of a configuration ``file`` holds; faults are those of :func:`read_configuration`."""
    values = None
    try:
        values = json.loads(text)  # as Snakemake does: its numbers and tabs are not those of YAML
        text = text.replace("\t", " ")  # of which its strings have none
    except (ValueError, RecursionError):
        pass
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        check_repeated_keys(node, file)
        values = values or (node and loader.construct_document(node))
    except yaml.MarkedYAMLError as error:
        raise _fault(error, file) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        message = f"no YAML: control character U+{error.character:04X}"
        raise InputError(message, file=file, line=line, remedy="remove it") from None
    except ValueError as error:  # the 31st of June, a number of thousands of digits
        raise InputError(f"no YAML: {error}", file=file, remedy="put dates and long numbers in quotes") from None
    except RecursionError:
        raise InputError("no YAML: thousands of brackets in each other", file=file, remedy="remove them") from None
    if not isinstance(values, dict):
        raise InputError("no keys at the top level", file=file, remedy="write for example run: NAME")
    return values


def _fault(error: yaml.MarkedYAMLError, file: str | Path) -> InputError:
    """The fault that PyYAML tells: where it is seen, or where that begins which has no end."""
    begin, *_, seen = [mark.line + 1 for mark in (error.context_mark, error.problem_mark) if mark] * 2
    problem = str(error.problem).removeprefix("but ")
    unended = str(error.context).startswith("while scanning") or "<stream end>" in problem
    remedy = next((remedy for words, remedy in REMEDIES.items() if words in problem), "put the text in quotes")
    line = begin if unended else seen
    return InputError(f"no YAML: {problem}", file=file, line=line, remedy=remedy.format(begin=begin))


def check_repeated_keys(root: yaml.Node | None, file: str | Path) -> None:
    """Raise :class:`InputError` with file and line for a key that its mapping has already; ``<<`` may be repeated.

    A reader would keep the last one without a word. ``root`` is the document of the ``file``.
    """
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
                    raise InputError(message, file=file, line=line, remedy="rename or remove one of them")
                lines[name] = line
                places.append((dotted, value))
