"""The direction of dependencies and the places that open files, as docs/rationale/design.md describes them."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from discourse_nmt import PACKAGE
from tests.conftest import ROOT
from tests.unit.project.import_circles import circles, folder_of, links, module_itself

# room of the package -> rooms, or parts of them, that it may import besides itself and base, on which everything stands
ALLOWED = {
    "base": set(),
    "word_alignment": set(),
    "sentence_alignment": {"text", "word_alignment"},
    "corpus": set(),
    "text": set(),
    "discourse": {"text"},
    "demo": {"corpus", "discourse"},
    "language_models": {"corpus", "discourse", "sentence_alignment"},
    "models": {"corpus.address", "discourse.structures"},
    "training": {"corpus", "text", "discourse", "models"},
    "scoring": {"corpus", "models", "word_alignment"},
    "quality": {"corpus", "text", "scoring.metrics"},
    "translation": {"corpus", "text", "discourse", "models", "training"},
    "serving": {"corpus", "discourse", "scoring", "translation", "quality"},
    "workflow_scripts": {
        "corpus",
        "demo",
        "language_models",
        "text",
        "discourse",
        "models",
        "training",
        "translation",
        "scoring",
        "sentence_alignment",
        "word_alignment",
        "quality",
    },
    "workflow": {
        *("corpus", "discourse", "language_models", "models", "text", "training"),
        *(
            "demo.settings",
            "scoring.alignment.settings",
            "scoring.comparison.settings",
            "scoring.external.settings",
            "scoring.reports.settings",
        ),
    },
}
# These may import any room; no room imports them.
COMMANDS = {"__init__", "__main__", "command_line", "commands", "new_configuration"}
MODULES = sorted(PACKAGE.rglob("*.py"))

# Modules whose noun is a file; every other one is given bytes, lines or tables.
FILE_MODULES = {
    "discourse_nmt/corpus/data/fetching.py",
    "discourse_nmt/base/storage/files.py",
    "discourse_nmt/base/storage/tables.py",
    "discourse_nmt/base/archives.py",
    "discourse_nmt/base/sources.py",
    "discourse_nmt/base/vocabulary.py",
    "discourse_nmt/demo/lexicon.py",
    "discourse_nmt/discourse/backends/files/exchange.py",
    "discourse_nmt/discourse/backends/programs/neural_coreference.py",
    "discourse_nmt/discourse/backends/programs/rst_trees.py",
    "discourse_nmt/discourse/weight_files.py",
    "discourse_nmt/language_models/answers.py",
    "discourse_nmt/language_models/prompt_files.py",
    "discourse_nmt/workflow/configuration_files.py",
    "discourse_nmt/workflow/display.py",
    "discourse_nmt/workflow/papers/published.py",
    "discourse_nmt/workflow/reruns/code_of_jobs.py",
    "discourse_nmt/workflow/reruns/fingerprint.py",
    "discourse_nmt/workflow/estimates/loads.py",
    "discourse_nmt/workflow/estimates/rates.py",
    "discourse_nmt/workflow/estimates/stand_ins.py",
    "discourse_nmt/workflow/schema/generate.py",
    "discourse_nmt/workflow/sizing/pairs.py",
    "discourse_nmt/serving/assets.py",
    "discourse_nmt/text/pieces/byte_pairs.py",
    "discourse_nmt/text/pieces/files.py",
    "discourse_nmt/text/pieces/layouts.py",
    "discourse_nmt/text/pieces/sentence_pieces.py",
    "discourse_nmt/text/stop_words.py",
    "discourse_nmt/training/data/arrow_files.py",
    "discourse_nmt/training/operation/machine_memory.py",
    "discourse_nmt/training/operation/metrics.py",
    "discourse_nmt/training/checkpoints/cards.py",
    "discourse_nmt/training/checkpoints/model_files.py",
    "discourse_nmt/training/data/dataset.py",
    "discourse_nmt/training/checkpoints/export.py",
    "discourse_nmt/training/checkpoints/pretrained.py",
    "discourse_nmt/training/checkpoints/subword_translations.py",
    "discourse_nmt/translation/inputs.py",
    "discourse_nmt/translation/model_folder.py",
}
OPENING = {"open", "read_text", "write_text", "read_bytes", "write_bytes", "memory_map", "safe_open", "save_file"}


def room_of(path: Path) -> str:
    """The part of the package that a module belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


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
    room = room_of(path)
    if room in COMMANDS:
        return
    names = {name.removeprefix("discourse_nmt.") for name in imports(path) if name.startswith("discourse_nmt.")}
    allowed = tuple(f"{other}." for other in {room, "base"} | ALLOWED[room])
    rooms = ALLOWED.keys() | COMMANDS
    wrong = {name for name in names if name.split(".")[0] in rooms and not f"{name}.".startswith(allowed)}
    assert not wrong, f"{room} must not import {wrong}"


def test_rooms_import_each_other_one_way() -> None:
    found = circles(links(PACKAGE, folder_of))
    assert not found, "circles of imports:\n\n" + "\n\n".join("\n".join(circle) for circle in found)


def test_modules_import_each_other_one_way() -> None:
    assert circles(links(PACKAGE, module_itself)) == []


def test_a_circle_of_rooms_is_shown_with_its_import_lines(tmp_path: Path) -> None:
    for name, text in {
        "package/first/a.py": "from package.second import b\nfrom package.third.inner.d import X\n",
        "package/second/b.py": "def f():\n    import package.third.c\n",
        "package/third/c.py": "from package.first import a\n",
        "package/third/inner/d.py": "X = 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert circles(links(tmp_path / "package", folder_of)) == [
        [
            "package/first/a.py:1: from package.second import b",
            "package/second/b.py:2: import package.third.c",
            "package/third/c.py:1: from package.first import a",
        ]
    ]


def test_every_room_has_a_place_in_the_order() -> None:
    assert {room_of(path) for path in MODULES} == ALLOWED.keys() | COMMANDS


@pytest.mark.parametrize("room", ["models", "workflow_scripts"])
def test_no_module_has_two_names(room: str) -> None:
    """Two rooms are named at the top of the checkout, too, through a link."""
    assert (ROOT / room).resolve() == PACKAGE / room
    command = [sys.executable, "-c", f"import {room}"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert f"ImportError: import discourse_nmt.{room}: one module has one name" in result.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_file_modules_open_files(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if name in FILE_MODULES or room_of(path) in {"workflow_scripts", *COMMANDS}:
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
    lists = {
        "config",
        "config/papers",
        "resources/documents",
        "resources/stop_words",
        "discourse_nmt/scoring/reports/templates",
    }
    lists |= {f"resources/help_trees/{layer}" for layer in ("conllu", "rs3", "coref_conll")}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    rooms = Counter(str(Path(name).parent) for name in listed if not name.endswith("/__init__.py"))
    assert {room: count for room, count in rooms.items() if count > 13 and room not in lists} == {}
