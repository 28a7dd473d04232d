"""The options of every command: those that rules give are there, and defaults are values that options take."""

import argparse
import ast
import importlib
import re
import sys
from functools import cache

import pytest

from tests.conftest import ROOT
from tests.unit.project.wiring.code import modules

PACKAGE = "discourse_nmt.workflow_scripts"
COMMANDS = [
    path.removesuffix(".py").replace("/", ".").removeprefix("workflow_scripts.")
    for path, tree in modules().items()
    if path.startswith("workflow_scripts/")
    if any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)
]
CALLED = re.compile(rf"python -m {re.escape(PACKAGE)}\.([\w.]+)(.*?)(?:2>&1|\| tee|$)", re.DOTALL)
TAKEN = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)")
UNSET = {
    *("against", "alignment", "analyser", "analysers", "annotated", "benchmarks", "contrastive"),
    *("conversion", "coreference", "debinarise", "dev_structure", "draft", "expected", "figures"),
    *("initialised_from", "labeller", "language", "model", "near_duplicates", "output", "pretrained"),
    *("provenance", "rendezvous", "repeats", "results", "scores", "source", "store"),
    *("structure", "subword_translations", "syntax", "time_limit", "train_structure", "tuned", "vectors"),
    "work",
}
"""Options that have no value until one is given."""
OF_MANY_KINDS = {"dev", "documents", "part", "sentences", "tables", "test", "words"}
"""Options of one name that take other values in other commands."""


class Parsed(Exception):  # noqa: N818
    """The command would now read its options."""


@cache
def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command, with all options."""

    def stop(parser: argparse.ArgumentParser, *_: object) -> None:
        raise Parsed(parser)

    main = importlib.import_module(f"{PACKAGE}.{command}").main
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Parsed) as stopped:
        patch.setattr(argparse.ArgumentParser, "parse_args", stop)
        patch.setattr(sys, "argv", [command])
        main()
    return stopped.value.args[0]


def calls_of_rules() -> list[tuple[str, str]]:
    """Each command that a rule calls, and the words after it."""
    shells = [
        "".join(re.findall(r'^ +"(.*)"$', block, flags=re.MULTILINE))
        for path in sorted((ROOT / "rules").rglob("*.smk"))
        for block in path.read_text(encoding="utf-8").split("    shell:\n")[1:]
    ]
    return [match for shell in shells for match in CALLED.findall(shell)]


def test_rules_call_commands() -> None:
    assert len({command for command, _ in calls_of_rules()}) > 40


@pytest.mark.parametrize(("command", "words"), calls_of_rules())
def test_options_of_a_rule_are_there(command: str, words: str) -> None:
    parser = parser_of(command)
    taken = {f"--{name}" for name in TAKEN.findall(words)}
    assert taken <= parser._option_string_actions.keys()
    required = {action.option_strings[0] for action in parser._actions if action.option_strings and action.required}
    if "{params" not in words:
        assert required <= taken


@pytest.mark.parametrize("command", COMMANDS)
def test_defaults_are_values_of_their_options(command: str) -> None:
    for action in parser_of(command)._actions:
        name, default = action.dest, action.default
        assert action.help, name
        if action.required or name == "help" or (default is None and name in UNSET):
            continue
        assert default is not None, name
        if isinstance(default, int | float) and not isinstance(default, bool):
            assert action.type is not None, name
        if action.choices is not None and action.nargs is None:
            assert default in action.choices, name
        if action.type in (int, float) and action.nargs is None:
            assert isinstance(default, (int, action.type)), name
        if action.nargs in ("*", "+"):
            assert isinstance(default, list | tuple), name
        elif isinstance(default, list | tuple):
            assert isinstance(action, argparse._AppendAction), name


def test_an_option_takes_the_same_values_in_every_command() -> None:
    """Numbers, or one of some words."""
    kinds: dict[str, set[tuple[bool, frozenset[str]]]] = {}
    for command in COMMANDS:
        for action in parser_of(command)._actions:
            if action.option_strings and action.dest not in OF_MANY_KINDS:
                kind = action.type in (int, float), frozenset(action.choices or ())
                kinds.setdefault(action.dest, set()).add(kind)
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}
