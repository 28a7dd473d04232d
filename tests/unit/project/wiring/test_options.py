"""Every option of a command is read: by the command, or by the module that shares the option among commands."""

import ast
from collections.abc import Iterator

import pytest

from tests.unit.project.wiring.code import modules


def calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    """Calls of functions and methods of these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in names:
            yield node


def called(call: ast.Call) -> str:
    """The name of the function or method."""
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def options_of(tree: ast.AST) -> set[str]:
    """Names of the options that a piece of code adds to a parser; ``add`` is short for ``add_argument``."""
    found = set()
    for call in calls(tree, "add_argument", "add"):
        words = [word.value for word in call.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        action = keywords.get("action")
        if words and not (isinstance(action, ast.Constant) and action.value == "version"):
            stored = keywords.get("dest", ast.Constant(words[-1].lstrip("-").replace("-", "_")))
            assert isinstance(stored, ast.Constant)
            found.add(str(stored.value))
    return found


def attributes_of_options(tree: ast.AST) -> set[str]:
    """Names read from a namespace of options."""
    holders = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(calls(node.value, "parse_args")):
            holders |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.arg) and node.annotation and ast.unparse(node.annotation).endswith("Namespace"):
            holders.add(node.arg)
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        if any(calls(node.value, "parse_args")) or (isinstance(node.value, ast.Name) and node.value.id in holders)
    }


def options_read(tree: ast.AST) -> set[str]:
    """Names read from a namespace of options, and words that may be names for ``getattr`` and ``vars``."""
    told = {word for call in calls(tree, "add_argument", "add") for word in call.args}
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in told}
    return attributes_of_options(tree) | {word for word in words if isinstance(word, str)}


def shared_options() -> dict[str, tuple[str, set[str]]]:
    """By function that adds options for several commands, its module and the options."""
    return {
        node.name: (module, options_of(node))
        for module, tree in modules().items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and options_of(node)
    }


SHARED = shared_options()
HELPERS = {module for module, _ in SHARED.values() if not any(calls(modules()[module], "parse_args"))}
COMMANDS = [
    module
    for module, tree in modules().items()
    if any(calls(tree, "parse_args", "add_parser", *SHARED)) or options_of(tree)
]
READ_WITH_ALL = {
    "workflow_scripts/parsers/resuming.py": {"code"},  # a checksum of all options
    "workflow_scripts/structures/build_structure.py": {"conversion", "debinarise"},  # fields of BuilderOptions
}
"""Options that code reads without their names."""
SET = {"run", "command"}
"""What the command line itself puts beside the options."""


@pytest.mark.parametrize("module", COMMANDS)
def test_every_option_is_read(module: str) -> None:
    """Options that a function adds for several commands are those of each command that calls it."""
    tree = modules()[module]
    shared = [SHARED[name] for name in {called(call) for call in calls(tree, *SHARED)} if SHARED[name][0] != module]
    given_away = [options for place, options in SHARED.values() if place == module]
    own = options_of(tree).difference(*(given_away if module in HELPERS else []))
    read = options_read(tree).union(*(options_read(modules()[place]) for place, _ in shared))
    options = own.union(*(of_others for _, of_others in shared))
    without_names = set().union(*(READ_WITH_ALL.get(place, ()) for place in (module, *(place for place, _ in shared))))
    assert options - read == options & without_names


@pytest.mark.parametrize("module", [module for module in COMMANDS if module not in HELPERS])
def test_every_option_that_is_read_is_there(module: str) -> None:
    tree = modules()[module]
    shared = set().union(*(options for _, options in SHARED.values()))
    assert attributes_of_options(tree) <= options_of(tree) | shared | SET


def test_an_option_that_a_command_does_not_read_is_found() -> None:
    code = """
def main():
    parser.add_argument("--split")
    parser.add_argument("--side", "-s", dest="of_side")
    options = parser.parse_args()
    tables(options.of_side, "dev", other.split)
"""
    assert options_of(ast.parse(code)) == {"split", "of_side"}
    assert options_of(ast.parse(code)) - options_read(ast.parse(code)) == {"split"}
