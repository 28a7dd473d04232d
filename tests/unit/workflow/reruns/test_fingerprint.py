"""Fingerprints change with code and with nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from discourse_nmt.workflow.reruns import fingerprint as module
from discourse_nmt.workflow.reruns.fingerprint import fingerprint, importers
from discourse_nmt.workflow.reruns.source_digests import SourceDigests


def forget() -> None:
    """Read files anew."""
    module.module_path.cache_clear()
    module.read_module.cache_clear()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project of three modules: a -> b -> c, and an unrelated d."""
    for name, text in {
        "a.py": "from discourse_nmt.package import b\nprint(b.f())\n",
        "package/__init__.py": "",
        "package/b.py": (
            '"""Doc."""\nimport discourse_nmt.package.c as c\n\ndef f():\n    """Doc."""\n    return c.X\n'
        ),
        "package/c.py": "X = 1\n",
        "d.py": "Y = 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    digests = SourceDigests(module.parse, Path(module.__file__), tmp_path / "digests.json")
    monkeypatch.setattr(module, "source_digests", lambda: digests)
    forget()
    yield tmp_path
    forget()


def changed(project: Path, name: str, text: str) -> bool:
    """Whether the fingerprint of a.py changes when the file ``name`` gets the content ``text``."""
    forget()
    before = fingerprint("discourse_nmt.a")
    (project / name).write_text(text)
    forget()
    return fingerprint("discourse_nmt.a") != before


def test_comment_and_docstring_change_nothing(project: Path) -> None:
    text = (project / "package/b.py").read_text()
    assert not changed(project, "package/b.py", text.replace('"""Doc."""', '"""Other."""') + "\n\n# a comment\n")


SETTINGS = """
class C:
    width: int = setting(512, "width of the network", minimum=1)
    \"\"\"Told below an attribute.\"\"\"
    path: str = required("where it lies")

def add(parser):
    parser.add_argument("--seed", type=int, help="seed of the training")
"""


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("width of the network", "the width", False),
        ("Told below", "Said below", False),
        ("where it lies", "its place", False),
        ("seed of the training", "a number", False),
        ("512", "256", True),
        ("minimum=1", "minimum=2", True),
        ('"--seed"', '"--start"', True),
    ],
)
def test_texts_for_people_change_nothing(project: Path, old: str, new: str, counts: bool) -> None:
    (project / "package/c.py").write_text(f"{SETTINGS}\nX = 1\n")
    assert changed(project, "package/c.py", f"{SETTINGS}\nX = 1\n".replace(old, new)) is counts


def test_formatting_changes_nothing(project: Path) -> None:
    assert not changed(project, "package/c.py", "X = (\n    1\n)\n")


def test_imported_code_counts(project: Path) -> None:
    assert changed(project, "package/c.py", "X = 2\n")


def test_unrelated_code_does_not_count(project: Path) -> None:
    assert not changed(project, "d.py", "Y = 2\n")


def test_neutral_modules_do_not_count(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEUTRAL", frozenset({"discourse_nmt.package.c"}))
    assert not changed(project, "package/c.py", "X = 2\n")


def test_imports_for_types_do_not_count(project: Path) -> None:
    text = (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from discourse_nmt.d import Y\nelse:\n    Y = 0\n"
    )
    (project / "package/c.py").write_text(text)
    assert not changed(project, "d.py", "Y = 2\n")
    (project / "package/c.py").write_text(f"{text}    from discourse_nmt.d import Y\n")
    assert changed(project, "d.py", "Y = 3\n")


def test_neutral_rooms_do_not_count(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NEUTRAL", {"discourse_nmt.package": "a room"})
    assert not changed(project, "package/c.py", "X = 2\n")


def test_shortest_chains_of_imports_are_known(project: Path) -> None:
    (project / "a.py").write_text("from discourse_nmt.package import b, c\n")
    forget()
    below = {"discourse_nmt.package": "discourse_nmt.a", "discourse_nmt.package.c": "discourse_nmt.a"}
    assert importers(["discourse_nmt.a"]) == {
        "discourse_nmt.a": "",
        "discourse_nmt.package.b": "discourse_nmt.a",
        **below,
    }


def test_further_modules_count(project: Path) -> None:
    assert fingerprint("discourse_nmt.a") != fingerprint("discourse_nmt.a", "discourse_nmt.d")


def test_package_versions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    before = fingerprint("discourse_nmt.workflow_scripts.text.tokenise")
    monkeypatch.setattr(module, "version", lambda name: "0")
    assert fingerprint("discourse_nmt.workflow_scripts.text.tokenise") != before
