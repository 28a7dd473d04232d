"""Fingerprints of the code a rule runs, so that a changed stage runs again and a changed comment does not.

A fingerprint covers the entry script and every project module it imports, directly or not, each as its syntax tree
without comments, docstrings, texts of help and positions; and the versions of the packages whose results end up in
artifacts.
"""

import ast
import hashlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path

from discourse_nmt import PACKAGE as FOLDER
from discourse_nmt.workflow.reruns.source_digests import SourceDigests

PACKAGE = "discourse_nmt"

# Functions of base.settings, and the place of the meaning among their arguments.
MEANINGS = {"setting": 1, "probability": 1, "given": 1, "required": 0, "resolved": 0}

# Rooms and modules that cannot change a result, each with the reason; :data:`PACKAGE` itself says only where it lies.
# Leaving them out lets a table, a system or a line of progress be added without running anything again.
NEUTRAL: Mapping[str, str] = {
    "discourse_nmt.base.arrays": "types of arrays",
    "discourse_nmt.base.errors": "a job with an error has no result",
    "discourse_nmt.base.progress": "lines that a job shows",
    "discourse_nmt.base.storage": "a stage reads what another one wrote",
    "discourse_nmt.discourse.backends.registry": "a list; the module of a job's backend counts by its name",
    "discourse_nmt.discourse.settings": "defaults and ranges; the settings of a job are parameters of its rule",
    "discourse_nmt.models.systems": "a list; the module of a job's system counts by its name",
    "discourse_nmt.training.kinds": "a list; task, reader, builder and companion of a job count by their names",
    "discourse_nmt.training.operation": "starts, plans, stops and shows a training, which continues bit for bit",
    "discourse_nmt.workflow_scripts.command": "arguments and messages of commands",
}

# Imported name -> distribution, for the packages whose version decides what a text or a score looks like.
VERSIONED = {
    "jieba": "jieba",
    "rjieba": "rjieba",
    "sacrebleu": "sacrebleu",
    "sacremoses": "sacremoses",
    "sentencepiece": "sentencepiece",
    "snowballstemmer": "snowballstemmer",
    "stanza": "stanza",
    "subword_nmt": "subword-nmt",
    "tokenizers": "tokenizers",
}


@cache
def module_path(name: str) -> Path | None:
    """File of the project module ``name``, or None where the project has no such module."""
    package, *rooms = name.split(".")
    if package != PACKAGE:
        return None
    stem = FOLDER.joinpath(*rooms)
    paths = (stem.with_suffix(".py"), stem / "__init__.py") if rooms else (stem / "__init__.py",)
    return next((path for path in paths if path.is_file()), None)


def script_module(script: str) -> str:
    """The module of a script that a rule runs: ``STAGE.NAME`` of workflow_scripts, or ``commands.NAME``."""
    return f"{PACKAGE}.{script}" if script.startswith("commands.") else f"{PACKAGE}.workflow_scripts.{script}"


class WithoutWords(ast.NodeTransformer):
    """Removes what only people read: strings that stand alone, ``help`` of arguments and the meaning of settings."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """A string by itself, as docstrings are, becomes ``pass``."""
        alone = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return ast.Pass() if alone else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """An argument's ``help`` goes, and so does the text among the arguments of a setting."""
        self.generic_visit(node)
        node.keywords = [keyword for keyword in node.keywords if keyword.arg not in ("help", "meaning")]
        place = MEANINGS.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if place is not None:
            node.args = node.args[:place] + node.args[place + 1 :]
        return node


def imported_names(tree: ast.Module) -> set[str]:
    """Every dotted name that an absolute import in the tree may refer to, but for imports for types alone."""
    names: set[str] = set()
    for node in _executed(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a tree without those under ``if TYPE_CHECKING``, which never run."""
    yield tree
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING":
        children: Iterable[ast.AST] = tree.orelse
    else:
        children = ast.iter_child_nodes(tree)
    for node in children:
        yield from _executed(node)


def parse(source: bytes, name: str) -> tuple[str, frozenset[str]]:
    """Digest of the syntax tree of the module ``name``, and the names it imports."""
    tree = WithoutWords().visit(ast.parse(source, filename=name))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), frozenset(imported_names(tree))


@cache
def source_digests() -> SourceDigests:
    """The digests of modules that earlier runs computed, and those of this run."""
    return SourceDigests(parse, Path(__file__))


@cache
def read_module(name: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """Digest of a module's syntax tree, and the packages of :data:`VERSIONED` and project modules that it imports."""
    path = module_path(name)
    if path is None:
        raise ValueError(f"no project module {name}")
    digest, names = source_digests()(path.read_bytes(), name)
    packages = {name.split(".")[0] for name in names}
    return digest, frozenset(packages & VERSIONED.keys()), frozenset(filter(module_path, names))


def neutral(name: str) -> bool:
    """Whether the project module ``name`` is neutral or lies in a neutral room."""
    return name == PACKAGE or any(f"{name}.".startswith(f"{room}.") for room in NEUTRAL)


def importers(entries: Iterable[str]) -> dict[str, str]:
    """The project modules reached from ``entries`` by imports, each with the one before it on a shortest chain.

    The entries have none (""). Neutral modules are left out but for the entries.
    """
    importer_of = dict.fromkeys(entries, "")
    waiting = deque(importer_of)
    while waiting:
        name = waiting.popleft()
        for imported in sorted(read_module(name)[2]):
            if imported not in importer_of and not neutral(imported):
                importer_of[imported] = name
                waiting.append(imported)
    return importer_of


def reachable_modules(entries: Iterable[str]) -> set[str]:
    """The project modules reached from ``entries`` by imports, the neutral ones left out but for the entries."""
    return set(importers(entries))


def fingerprint(*entries: str) -> str:
    """Fingerprint (16 hexadecimal digits) of modules, by their full names, and of what they import."""
    modules = reachable_modules(entries)
    parts = [f"{name} {read_module(name)[0]}" for name in sorted(modules)]
    imported = frozenset[str]().union(*(read_module(module)[1] for module in modules))
    parts += [f"{VERSIONED[name]} {version(VERSIONED[name])}" for name in sorted(imported)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


@cache
def file_digest(path: Path) -> str:
    """Name and digest of one file's bytes."""
    with path.open("rb") as handle:
        return f"{path.name} {hashlib.file_digest(handle, 'sha256').hexdigest()}"


def files_digest(paths: Iterable[Path]) -> str:
    """Digest (16 hexadecimal digits) of the names and bytes of files, wherever they are and however old."""
    parts = sorted(file_digest(path) for path in paths)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16] if parts else ""
