"""Every parameter of a function is read: a value that a function gets and passes on to nothing is a lost setting."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.unit.project.wiring.code import modules, names_read

CALLED_BY_OTHERS = {
    "argparse, which calls actions": {"workflow_scripts/command.py:__call__:parser"},
    "html.parser": {
        f"translation/formats/html_pages.py:{name}"
        for name in (
            *("handle_data:data", "handle_entityref:name", "handle_charref:name"),
            *("handle_comment:data", "handle_decl:decl", "handle_pi:data", "unknown_decl:data"),
        )
    },
    "expat": {"translation/formats/xliff.py:end:full"},
    "signal": {
        *("training/operation/interruption.py:note:frame", "workflow/termination.py:end_as_by_ctrl_c:number"),
        *("workflow/termination.py:end_as_by_ctrl_c:frame", "workflow_scripts/command.py:stop:frame"),
    },
    "Snakemake, which gives wildcards to every function": {
        *("workflow/plan/analyses.py:earlier_tables:wildcards", "workflow/plan/runs.py:shortlist_option:wildcards"),
        *("workflow/plan/runs.py:tuned_option:wildcards", "workflow/plan/structures.py:structure_option:wildcards"),
        "workflow/plan/structures.py:training_options:wildcards",
    },
    "torch": {"models/attention/block_mask.py:allowed:batch", "models/attention/block_mask.py:allowed:head"},
    "yaml": {"workflow/schema/generate.py:ignore_aliases:data"},
}
"""By library that calls them, functions that read some of what it gives."""

ONE_OF_A_KIND = {
    "readers of corpora": {
        f"corpus/{name}.py:read:options"
        for name in (
            "readers/lines/blank_lines",
            "readers/lines/document_ids",
            "readers/lines/file_pairs",
            "suites/discevalmt",
            "readers/joined",
        )
    },
    "makers of analyses": {
        f"discourse/backends/{name}.py:make:stage"
        for name in ("builtin/coreference", "builtin/syntax", "stanza/coreference", "stanza/syntax")
    },
    "resolvers": {"discourse/backends/programs/neural_coreference.py:by_maverick:name"},
    "forms of words": {"discourse/formats/coreference.py:_conll_word:words"},
    "losses": {f"training/analysers/joint.py:unit_loss_of:{name}" for name in ("network", "settings")},
    "restrictions of a search": {
        f"models/packed/decoding/sequence.py:restrict:{name}" for name in ("lengths", "limits")
    },
    "makers of tasks": {f"training/tasks/sentences.py:task:{name}" for name in ("network", "structures")},
    "writers of blocks": {
        "translation/formats/blocks.py:as_it_is:source",
    },
    "readers of texts": {
        f"translation/formats/{name}:name" for name in ("html_pages.py:read_html", "markdown/reading.py:read_markdown")
    },
}
"""Functions that are called in turn with others, which read more."""

LEFT_OUT = set().union(*CALLED_BY_OTHERS.values(), *ONE_OF_A_KIND.values())


@dataclass(frozen=True)
class Function:
    """A function of a module, and the class that it is a method of."""

    module: str
    of_class: str
    code: ast.FunctionDef

    @property
    def parameters(self) -> set[str]:
        given = self.code.args
        names = {entry.arg for entry in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        return {name for name in names if name not in ("self", "cls") and not name.startswith("_")}

    @property
    def declares(self) -> bool:
        """Whether it says only what others must have: a docstring, or an error."""
        return all(
            isinstance(line, ast.Raise) or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
            for line in self.code.body
        )

    @property
    def unread(self) -> set[str]:
        return set() if self.declares else self.parameters - set().union(*map(names_read, self.code.body))


def functions() -> Iterator[Function]:
    def inside(module: str, node: ast.AST, of_class: str) -> Iterator[Function]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                yield Function(module, of_class, child)
                yield from inside(module, child, "")
            else:
                yield from inside(module, child, child.name if isinstance(child, ast.ClassDef) else of_class)

    for module, tree in modules().items():
        yield from inside(module, tree, "")


FUNCTIONS = list(functions())
METHODS = [function for function in FUNCTIONS if function.of_class]


def shared(method: Function) -> set[str]:
    """Parameters that a method of another class has by the same names: one of them reads less than another."""
    alike = [other for other in METHODS if other.code.name == method.code.name and other is not method]
    return set().union(*(other.parameters for other in alike)) if method.of_class else set()


def test_every_parameter_is_read() -> None:
    found = {
        f"{function.module}:{function.code.name}:{name}"
        for function in FUNCTIONS
        if function.unread
        for name in function.unread - shared(function)
    }
    assert found - LEFT_OUT == set()
    assert LEFT_OUT - found == set(), "these read all that they get: take them off the lists"


def test_a_parameter_that_is_passed_on_to_nothing_is_found() -> None:
    code = ast.parse("def train(examples, deadline):\n    return course(examples, deadline=None)").body[0]
    assert isinstance(code, ast.FunctionDef)
    assert Function("a.py", "", code).unread == {"deadline"}


@pytest.mark.parametrize("body", ['"""A list."""', "raise NotImplementedError", "result += [1]"])
def test_what_only_declares_and_what_changes_a_list_in_place_read_their_parameters(body: str) -> None:
    code = ast.parse(f"def f(result):\n    {body}").body[0]
    assert isinstance(code, ast.FunctionDef)
    assert Function("a.py", "", code).unread == set()
