"""Fingerprints of the code a rule runs, so that a changed stage runs again and a changed comment does not.

A fingerprint covers the entry script and every project module it imports, directly or not, each as its syntax tree
without comments, docstrings and positions; and the versions of the packages whose results end up in artifacts.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path

from discourse_nmt import PACKAGE as FOLDER
from discourse_nmt.workflow.reruns.source_digests import SourceDigests

PACKAGE = "discourse_nmt"

# Plumbing and lists that cannot change a result: they reach a result only through the modules and the settings that use
# them. Leaving them out lets a new table or a new system be added without re-running anything else.
NEUTRAL = frozenset(
    {
        "discourse_nmt",
        "discourse_nmt.base.arrays",
        "discourse_nmt.base.errors",
        "discourse_nmt.base.storage.files",
        "discourse_nmt.base.progress",
        "discourse_nmt.base.storage.remote",
        "discourse_nmt.base.storage.shard_files",
        "discourse_nmt.base.storage.store",
        "discourse_nmt.base.storage.tables",
        "discourse_nmt.discourse.backends.registry",
        "discourse_nmt.discourse.settings",
        "discourse_nmt.models.systems",
        "discourse_nmt.training.kinds",
        "discourse_nmt.workflow_scripts.command",
    }
)

# Imported name -> distribution, for the packages whose version decides what a text or a score looks like.
VERSIONED = {
    "jieba": "jieba",
    "sacrebleu": "sacrebleu",
    "sacremoses": "sacremoses",
    "sentencepiece": "sentencepiece",
    "snowballstemmer": "snowballstemmer",
    "stanza": "stanza",
    "subword_nmt": "subword-nmt",
    "tokenizers": "tokenizers",
}


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


def strip_docstrings(tree: ast.Module) -> ast.Module:
    """Remove every docstring from a syntax tree, in place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body[0:1] = [] if len(node.body) > 1 else [ast.Pass()]
    return tree


def imported_names(tree: ast.Module) -> set[str]:
    """Every dotted name that an absolute import in the tree may refer to."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def parse(source: bytes, name: str) -> tuple[str, frozenset[str]]:
    """Digest of the syntax tree of the module ``name``, and the names it imports."""
    tree = strip_docstrings(ast.parse(source, filename=name))
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest(), frozenset(imported_names(tree))


@cache
def source_digests() -> SourceDigests:
    """The digests of modules that earlier runs computed, and those of this run."""
    return SourceDigests(parse, Path(__file__))


@cache
def read_module(name: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """Digest of one project module's syntax tree, the names it imports, and those of them that are project modules."""
    path = module_path(name)
    if path is None:
        raise ValueError(f"no project module {name}")
    digest, names = source_digests()(path.read_bytes(), name)
    return digest, names, frozenset(filter(module_path, names))


def reachable_modules(entries: Iterable[str]) -> set[str]:
    """The project modules reached from ``entries`` by imports, the neutral ones left out but for the entries."""
    reached: set[str] = set()
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        waiting += read_module(name)[2] - NEUTRAL
    return reached


def fingerprint(*entries: str) -> str:
    """Fingerprint (16 hexadecimal digits) of modules, by their full names, and of what they import."""
    modules = reachable_modules(entries)
    parts = [f"{name} {read_module(name)[0]}" for name in sorted(modules)]
    imported = {name.split(".")[0] for module in modules for name in read_module(module)[1]}
    parts += [f"{VERSIONED[name]} {version(VERSIONED[name])}" for name in sorted(imported & VERSIONED.keys())]
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
