"""Every key of the configuration is read somewhere: as an attribute of its settings."""

import ast

from tests.unit.project.wiring.code import attributes_read, modules

DECLARING = {"setting", "probability", "required", "given", "resolved", "stage_keys"}
BY_NAME = {"source_context", "more_teaches", "model_folders"}
"""Keys that code reads by a name that it puts together."""


def keys() -> set[str]:
    """The fields of all settings."""
    return {
        field.target.id
        for tree in modules().values()
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        for field in kind.body
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(field.value, ast.Call) and getattr(field.value.func, "id", "") in DECLARING
    }


def test_every_key_is_read() -> None:
    assert keys() - set().union(*map(attributes_read, modules().values())) == BY_NAME
