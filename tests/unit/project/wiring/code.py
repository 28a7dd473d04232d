"""The code of the package as syntax trees."""

import ast
from functools import cache

from tests.conftest import ROOT

PACKAGE = ROOT / "discourse_nmt"


@cache
def modules() -> dict[str, ast.Module]:
    """The tree of each module, by its path in the package."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def names_read(tree: ast.AST) -> set[str]:
    """Names whose value is read, or changed in place."""
    read = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    changed = {node.target for node in ast.walk(tree) if isinstance(node, ast.AugAssign)}
    return read | {target.id for target in changed if isinstance(target, ast.Name)}


def attributes_read(tree: ast.AST) -> set[str]:
    """Names of attributes whose value is read."""
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
