"""All places of the package at which a fault of one of the kinds can be made, from its syntax trees.

Not those of texts: docstrings, messages, errors, logs, help, and the package of the demo.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from tests.mutants.faults import Fault

KINDS = {
    "argument": "an argument is not passed on",
    "setting": "a setting has its default",
    "boundary": "a boundary is shifted",
    "condition": "a condition is negated, or a part of it dropped",
    "statement": "a statement has no effect",
    "swap": "two arguments are exchanged",
    "constant": "a constant is another",
}
UNSEEN = "discourse_nmt/demo/"
STRICTER = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
TOLD = re.compile(
    r"(?i)(log|logger|logging|print|say|warn\w*|_?report|progress|told|show|\w*(Error|Warning))\b|.*\.(info|warning|show)$"
)
DRAWS = ("rand", "random")  # no draw between 0 and 1 is ever the boundary
SETTINGS = re.compile(r"(?:.*\.|\w+_)?_?(settings|decoding|options|arguments|sizes|switches|configuration)$")
# Names of arguments without an effect on results.
IDLE = {
    *("encoding", "newline", "help", "metavar", "description", "prog", "required"),
    *("frozen", "slots", "kw_only", "eq", "repr", "strict"),
}


@dataclass(frozen=True)
class Place:
    """One possible fault: the bytes ``start`` to ``end`` of ``file`` become ``new``.

    ``lines`` are those of the statement around it, or of its head. ``at_import`` tells whether an import runs them.
    """

    kind: str
    file: str
    start: int
    end: int
    new: str
    lines: range
    at_import: bool

    def fault(self, text: str) -> Fault:
        """The fault in the ``text`` of the file, with as many lines around as make it unique."""
        raw = text.encode()
        begin, end = self.start, self.end
        while raw.count(raw[begin:end]) > 1:
            if begin and raw[begin - 1 : begin] != b"\n":
                begin = raw.rfind(b"\n", 0, begin) + 1
            elif end < len(raw) and raw[end : end + 1] != b"\n":
                end = raw.find(b"\n", end) % (len(raw) + 1)
            else:
                begin = raw.rfind(b"\n", 0, begin - 1) + 1
        old = raw[begin:end].decode()
        new = (raw[begin : self.start] + self.new.encode() + raw[self.end : end]).decode()
        line = raw.count(b"\n", 0, self.start) + 1
        return Fault(f"line {line}: {KINDS[self.kind]}", self.file, old, new, ())


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function, or a field of a class: its annotation, and its default if that is a constant."""

    name: str
    annotation: str
    default: str | None


class Definitions:
    """Parameters of functions and classes whose names occur once, and defaults of settings and options of commands."""

    def __init__(self, trees: Sequence[ast.Module]) -> None:
        parameters: dict[str, list[list[Parameter]]] = {}
        defaults: dict[str, set[str | None]] = {}
        for node in (node for tree in trees for node in ast.walk(tree)):
            if isinstance(node, ast.FunctionDef):
                parameters.setdefault(node.name, []).append(parameters_of(node))
            elif isinstance(node, ast.ClassDef):
                fields = [_field(entry) for entry in node.body if isinstance(entry, ast.AnnAssign)]
                if fields:
                    parameters.setdefault(node.name, []).append(fields)
                if node.name.endswith(("Settings", "Sizes")):
                    for field in fields:
                        defaults.setdefault(field.name, set()).add(field.default)
            elif isinstance(node, ast.Call) and _name(node.func) == "add_argument":
                name, default = _option(node)
                defaults.setdefault(name, set()).add(default)
        self.parameters = {name: found[0] for name, found in parameters.items() if len(found) == 1}
        self.defaults = {name: min(found, key=str) for name, found in defaults.items() if len(found) == 1}


def parameters_of(function: ast.FunctionDef) -> list[Parameter]:
    """Positional and keyword parameters, without the object of a method."""
    positional = [*function.args.posonlyargs, *function.args.args]
    defaults = [None] * (len(positional) - len(function.args.defaults)) + [*function.args.defaults]
    pairs = [*zip(positional, defaults), *zip(function.args.kwonlyargs, function.args.kw_defaults)]
    return [
        Parameter(entry.arg, ast.unparse(entry.annotation) if entry.annotation else "", _constant(default))
        for entry, default in pairs
        if entry.arg not in ("self", "cls")
    ]


def _field(entry: ast.AnnAssign) -> Parameter:
    value = entry.value
    if isinstance(value, ast.Call) and _name(value.func) in ("setting", "probability") and value.args:
        value = value.args[0]
    return Parameter(ast.unparse(entry.target), ast.unparse(entry.annotation), _constant(value))


def _option(call: ast.Call) -> tuple[str, str | None]:
    """Name and default of an option of a command."""
    given = {entry.arg: entry.value for entry in call.keywords}
    words = [str(word.value) for word in call.args if isinstance(word, ast.Constant)]
    if not words or not words[-1].startswith("--"):
        return "", None
    flag = isinstance(action := given.get("action"), ast.Constant) and action.value == "store_true"
    return words[-1].lstrip("-").replace("-", "_"), "False" if flag else _constant(given.get("default")) or "None"


def _constant(node: ast.expr | None) -> str | None:
    """The source of a constant, else None."""
    try:
        return repr(ast.literal_eval(node)) if node else None
    except ValueError:
        return None


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


class _Finder(ast.NodeVisitor):
    """Collects the places of one file."""

    def __init__(self, file: str, text: str, definitions: Definitions) -> None:
        self.file, self.raw, self.definitions = file, text.encode(), definitions
        self.begins = [0]
        for line in self.raw.splitlines(keepends=True):
            self.begins.append(self.begins[-1] + len(line))
        self.functions: list[ast.FunctionDef] = []
        self.lines = range(0)
        self.found: list[Place] = []

    def add(self, kind: str, node: ast.expr | ast.stmt, new: str) -> None:
        start = self.begins[node.lineno - 1] + node.col_offset
        end = self.begins[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        if self.raw[start:end].decode() != new:
            place = Place(kind, self.file, start, end, new, self.lines, not self.functions)
            self.found.append(place)

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):  # texts of errors and of other messages
            return
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            self.lines = range(node.lineno, body[0].lineno if body else (node.end_lineno or 0) + 1)
        super().visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        if node.name not in ("__repr__", "__str__"):
            self.functions.append(node)
            for statement in node.body:
                self.visit(statement)
            self.functions.pop()

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def visit_If(self, node: ast.If) -> None:
        if "__name__" in (condition := ast.unparse(node.test)) or "TYPE_CHECKING" in condition:
            return
        self.add("condition", node.test, _negated(node.test))
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.add("condition", node.test, _negated(node.test))
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for condition in node.ifs:
            self.add("condition", condition, _negated(condition))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        for dropped in node.values:
            rest = [value for value in node.values if value is not dropped]
            self.add("condition", node, f"({ast.unparse(ast.BoolOp(node.op, rest) if len(rest) > 1 else rest[0])})")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        drawn = any(isinstance(part, ast.Call) and _name(part.func) in DRAWS for part in ast.walk(node.left))
        if not drawn and len(node.ops) == 1 and (operator := STRICTER.get(type(node.ops[0]))):
            left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
            self.add("boundary", node, f"{left} {operator} {right}")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        one = isinstance(node.right, ast.Constant) and node.right.value == 1
        if one and isinstance(node.op, ast.Add | ast.Sub):
            self.add("boundary", node, f"({ast.unparse(node.left)})")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and not TOLD.match(ast.unparse(node.value.func)):
            self.add("statement", node, "pass")
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        begun = bool(self.functions) and self.functions[-1].name == "__init__"
        if (
            self.functions
            and not begun
            and all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
        ):
            self.add("statement", node, "pass")
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.add("statement", node, "pass")
        self.visit(node.value)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        default = self.definitions.defaults.get(node.attr)
        if default is not None and isinstance(node.ctx, ast.Load) and SETTINGS.match(ast.unparse(node.value)):
            self.add("setting", node, default)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if self.functions and isinstance(node.ctx, ast.Load):
            for parameter in parameters_of(self.functions[-1]):
                if parameter.name == node.id and parameter.default is not None:
                    self.add("setting", node, parameter.default)

    def visit_Call(self, node: ast.Call) -> None:
        if TOLD.match(ast.unparse(node.func)):
            return
        parameters = self.definitions.parameters.get(_name(node.func))
        if parameters is not None and not any(isinstance(entry, ast.Starred) for entry in node.args):
            self._exchanges(node, parameters)
            for value, parameter in zip(node.args, parameters):
                if parameter.default is not None and _constant(value) != parameter.default:
                    self.add("argument", value, parameter.default)
        default_of = {parameter.name: parameter.default for parameter in parameters or ()}
        for entry in node.keywords:
            if entry.arg is None or entry.arg in IDLE:
                continue
            default = default_of.get(entry.arg) if parameters is not None else _constant(entry.value)
            if default is not None and (parameters is None or default != _constant(entry.value)):
                rest = [other for other in node.keywords if other is not entry]
                self.add("argument", node, ast.unparse(ast.Call(node.func, node.args, rest)))
        self.visit(node.func)
        for value in (*node.args, *(entry.value for entry in node.keywords if entry.arg not in IDLE)):
            self.visit(value)

    def _exchanges(self, node: ast.Call, parameters: Sequence[Parameter]) -> None:
        pairs = list(zip(node.args, parameters))
        for (first, one), (second, other) in pairwise(pairs):
            if one.annotation and one.annotation == other.annotation and ast.unparse(first) != ast.unparse(second):
                index = node.args.index(first)
                values = [*node.args[:index], second, first, *node.args[index + 2 :]]
                self.add("swap", node, ast.unparse(ast.Call(node.func, values, node.keywords)))

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self.add("constant", node, str(not node.value))
        elif isinstance(node.value, int):
            self.add("constant", node, str(node.value + 1))
        elif isinstance(node.value, float):
            self.add("constant", node, str(node.value / 2 if node.value else 1.0))


def _negated(condition: ast.expr) -> str:
    if isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
        return f"({ast.unparse(condition.operand)})"
    return f"(not ({ast.unparse(condition)}))"


@cache
def places(root: Path) -> dict[str, list[Place]]:
    """The places of the package in the checkout ``root`` by kind, in the order of files and lines."""
    text_of_file = dict(_sources(root))
    tree_of_file = {file: ast.parse(text) for file, text in text_of_file.items()}
    definitions = Definitions(list(tree_of_file.values()))
    by_kind: dict[str, list[Place]] = {kind: [] for kind in KINDS}
    for file, tree in tree_of_file.items():
        finder = _Finder(file, text_of_file[file], definitions)
        finder.visit(tree)
        for place in finder.found:
            by_kind[place.kind].append(place)
    return by_kind


def _sources(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted((root / "discourse_nmt").rglob("*.py")):
        file = path.relative_to(root).as_posix()
        if not file.startswith(UNSEEN):
            yield file, path.read_text(encoding="utf-8")
