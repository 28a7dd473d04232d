"""The direction of dependencies and the places that open files, as docs/rationale/design.md describes them."""

import ast
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = [
    "corpus",
    "demo",
    "text",
    "discourse",
    "models",
    "training",
    "translation",
    "scoring",
    "serving",
    "workflow_scripts",
    "rules",
]

# package -> project packages, or rooms of them, that it may import besides itself
ALLOWED = {
    "corpus": set(),
    "text": {"corpus"},
    "discourse": {"corpus", "text"},
    "demo": {"corpus", "discourse"},
    "models": {"corpus", "discourse.structures"},
    "training": {"corpus", "text", "discourse", "models"},
    "scoring": {"corpus", "models"},
    "translation": {"corpus", "text", "discourse", "models", "training"},
    "serving": {"corpus", "discourse", "scoring", "translation"},
    "workflow_scripts": {"corpus", "demo", "text", "discourse", "models", "training", "translation", "scoring"},
    "rules": {"corpus", "discourse", "models", "text", "training"},
    "discourse_nmt": set(PACKAGES),
}
COMMANDS = {"command_line", "commands"}  # of the package itself; rooms do without them
MODULES = [path for package in [*PACKAGES, "discourse_nmt"] for path in sorted((ROOT / package).rglob("*.py"))]

# Modules whose noun is a file; every other one is given bytes, lines or tables.
FILE_MODULES = {
    "corpus/data/fetching.py",
    "corpus/storage/files.py",
    "corpus/storage/tables.py",
    "corpus/storage/archives.py",
    "corpus/storage/sources.py",
    "corpus/vocabulary.py",
    "demo/lexicon.py",
    "discourse/backends/files/exchange.py",
    "discourse/backends/programs/neural_coreference.py",
    "discourse/backends/programs/rst_trees.py",
    "discourse/weight_files.py",
    "rules/display.py",
    "rules/papers/published.py",
    "rules/reruns/code_of_jobs.py",
    "rules/reruns/fingerprint.py",
    "rules/estimates/loads.py",
    "rules/estimates/rates.py",
    "rules/estimates/stand_ins.py",
    "rules/schema/generate.py",
    "rules/sizing/pairs.py",
    "serving/assets.py",
    "text/pieces/byte_pairs.py",
    "text/pieces/files.py",
    "text/pieces/layouts.py",
    "text/pieces/sentence_pieces.py",
    "text/stop_words.py",
    "training/data/arrow_files.py",
    "training/processes/machine_memory.py",
    "training/checkpoints/model_files.py",
    "training/data/dataset.py",
    "training/checkpoints/export.py",
    "training/checkpoints/pretrained.py",
    "training/checkpoints/subword_translations.py",
    "translation/inputs.py",
    "translation/model_folder.py",
}
OPENING = {"open", "read_text", "write_text", "read_bytes", "write_bytes", "memory_map", "safe_open", "save_file"}


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.update([str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)])
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_dependencies_point_one_way(path: Path) -> None:
    package = path.relative_to(ROOT).parts[0]
    names = {name.removeprefix("discourse_nmt.") for name in imports(path) if name.startswith("discourse_nmt.")}
    own = COMMANDS if package == "discourse_nmt" else {package}
    allowed = tuple(f"{room}." for room in own | ALLOWED[package])
    wrong = {
        name for name in names if name.split(".")[0] in {*PACKAGES, *COMMANDS} and not f"{name}.".startswith(allowed)
    }
    assert not wrong, f"{package} must not import {wrong}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_file_modules_open_files(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if name in FILE_MODULES or name.startswith(("workflow_scripts/", "discourse_nmt/")):
        return
    calls = [node.func for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    found = {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls} & OPENING
    assert not found, f"{name} opens files itself: {found}"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_pickle(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not {name.split(".")[0] for name in imports(path)} & {"pickle", "dill", "joblib", "shelve"}
    assert text.count("torch.load(") == len(re.findall(r"torch\.load\([^)]*weights_only=True\)", text))
    assert "allow_pickle=True" not in text


def test_no_two_public_classes_have_one_name() -> None:
    """``Options`` aside, which every reader of a plain list of readers has."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name != "Options":
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


def test_no_room_shows_more_than_thirteen_files() -> None:
    """Plain lists of one kind aside."""
    lists = {"config", "resources/documents", "resources/stop_words", "scoring/reports/templates"}
    lists |= {f"resources/help_trees/{layer}" for layer in ("conllu", "rs3", "coref_conll")}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    rooms = Counter(str(Path(name).parent) for name in listed if not name.endswith("/__init__.py"))
    assert {room: count for room, count in rooms.items() if count > 13 and room not in lists} == {}
