"""Circles among the rooms of the package, found from the import lines of its modules.

A folder without folders is one room; in a folder that has some, each module of its own is one, too. Every import
counts, also in a function or for types only: two rooms that name each other cannot be read one after the other.
"""

import ast
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

Links = Mapping[str, Mapping[str, str]]
"""Rooms by the rooms that import them, each with the first import line as ``file:line: text``."""


def modules_of(package: Path) -> dict[str, Path]:
    """The modules of a package by their full names."""
    paths = sorted(package.rglob("*.py"))
    return {".".join(_parts(package, path)).removesuffix(".__init__"): path for path in paths}


def links(package: Path, room_of: Callable[[Path, Path], str]) -> Links:
    """The imports between the rooms of a package; ``room_of`` names the one of a module."""
    modules = modules_of(package)
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path in modules.values():
        room, lines = room_of(package, path), path.read_text(encoding="utf-8").splitlines()
        for name, number in _imported(path):
            target = next((target for target in _itself_and_above(name) if target in modules), None)
            if target is not None and (other := room_of(package, modules[target])) != room:
                place = path.relative_to(package.parent)
                found[room].setdefault(other, f"{place}:{number}: {lines[number - 1].strip()}")
    return found


def folder_of(package: Path, path: Path) -> str:
    """The room of a module: its folder, or the module itself beside folders of modules."""
    return module_itself(package, path if any(path.parent.glob("*/*.py")) else path.parent)


def module_itself(package: Path, path: Path) -> str:
    """Each module as a room of its own."""
    return "/".join(_parts(package, path))


def circles(links: Links) -> list[list[str]]:
    """The import lines of a shortest circle through each import, every circle once."""
    found: dict[frozenset[str], list[str]] = {}
    for start, others in links.items():
        for first in others:
            if path := _shortest(links, first, start):
                circle = [start, *path]
                found.setdefault(frozenset(circle), [links[room][next] for room, next in pairwise(circle)])
    return sorted(found.values(), key=len)


def _shortest(links: Links, start: str, end: str) -> list[str]:
    """The rooms of a shortest chain of imports from ``start`` to ``end``; empty without one."""
    before, waiting = {start: ""}, deque([start])
    while waiting and end not in before:
        room = waiting.popleft()
        for other in links.get(room, {}):
            if other not in before:
                before[other] = room
                waiting.append(other)
    path = [end] if end in before else []
    while path and before[path[0]]:
        path.insert(0, before[path[0]])
    return path


def _imported(path: Path) -> Iterator[tuple[str, int]]:
    """The names that a module imports, with the numbers of the lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def _itself_and_above(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition(".")[0]


def _parts(package: Path, path: Path) -> tuple[str, ...]:
    return path.relative_to(package.parent).with_suffix("").parts
