"""The rooms of the package and their imports, read from the code; floors are computed from the imports alone."""

import ast
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from discourse_nmt import PACKAGE

COMMANDS = "commands"  # to which the modules at the top of the package belong
EXAMPLE = re.compile(r": ``[^`]*``\.$")
Imports = Mapping[str, frozenset[str]]


@cache
def modules() -> dict[str, list[Path]]:
    """The files of each room, ``__init__.py`` aside."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "__init__.py":
            found.setdefault(room_of(path), []).append(path)
    return found


def room_of(path: Path) -> str:
    """The room of a file of the package."""
    first, *rest = path.relative_to(PACKAGE).parts
    return first if rest else COMMANDS


def summary(room: str) -> str:
    """The first line of a room's docstring, without the code that ends it."""
    tree = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))
    return EXAMPLE.sub(".", (ast.get_docstring(tree) or "").split("\n")[0])


def imported_rooms(path: Path) -> set[str]:
    """The rooms that a file imports from."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names += [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith(f"{PACKAGE.name}.")}


@cache
def imports() -> dict[str, frozenset[str]]:
    """The other rooms that each room imports."""
    rooms = modules().keys()
    return {
        room: frozenset(set().union(*map(imported_rooms, paths)) & rooms - {room}) for room, paths in modules().items()
    }


def floors(imported: Imports) -> list[list[str]]:
    """Rooms by floor, the lowest first: each stands just above the highest one that it imports.

    Raises :class:`ValueError` for rooms that import each other in a circle, for which there is no such floor.
    """
    found: list[list[str]] = []
    placed: set[str] = set()
    while placed != imported.keys():
        floor = sorted(room for room in imported.keys() - placed if imported[room] <= placed)
        if not floor:
            raise ValueError(f"rooms in a circle: {sorted(imported.keys() - placed)}")
        found.append(floor)
        placed.update(floor)
    return found


def shortest(imported: Imports) -> dict[str, set[str]]:
    """The imports without those that a longer way shows, too."""
    reached = {room: set[str]() for room in imported}
    for floor in floors(imported):
        for room in floor:
            reached[room] = set(imported[room]).union(*(reached[other] for other in imported[room]))
    return {
        room: {other for other in others if not _shown(other, others, reached)} for room, others in imported.items()
    }


def _shown(room: str, others: frozenset[str], reached: Mapping[str, set[str]]) -> bool:
    return any(room in reached[other] for other in others)
