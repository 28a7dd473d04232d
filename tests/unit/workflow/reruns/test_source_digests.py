"""Digests of syntax trees are kept from run to run, and only as long as they are true."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from discourse_nmt import ROOT
from discourse_nmt.base.storage.files import write_json
from discourse_nmt.workflow.reruns.source_digests import SourceDigests


class Parser:
    """Counts the modules that it parses."""

    def __init__(self) -> None:
        self.parsed: list[str] = []

    def __call__(self, source: bytes, name: str) -> tuple[str, frozenset[str]]:
        """The source is its own digest, and imports what it names."""
        self.parsed.append(name)
        return source.decode(), frozenset(source.decode().split())


@pytest.fixture
def maker(tmp_path: Path) -> Path:
    """The module whose function computes digests."""
    path = tmp_path / "maker.py"
    path.write_text("X = 1\n")
    return path


def kept(tmp_path: Path, maker: Path) -> Path:
    """The file that a first run leaves, which has parsed the module a."""
    digests = SourceDigests(Parser(), maker, tmp_path / "kept.json")
    assert digests(b"b c", "a") == ("b c", {"b", "c"})
    digests.write()
    return digests.path


def test_a_module_is_parsed_once(tmp_path: Path, maker: Path) -> None:
    path, parser = kept(tmp_path, maker), Parser()
    assert SourceDigests(parser, maker, path)(b"b c", "a") == ("b c", {"b", "c"})
    assert not parser.parsed


def test_another_source_is_parsed_again(tmp_path: Path, maker: Path) -> None:
    path, parser = kept(tmp_path, maker), Parser()
    digests = SourceDigests(parser, maker, path)
    assert digests(b"b d", "a") == ("b d", {"b", "d"})
    assert digests(b"b c", "other") == ("b c", {"b", "c"})
    assert parser.parsed == ["a", "other"]


def test_another_way_to_compute_digests_parses_again(tmp_path: Path, maker: Path) -> None:
    path, parser = kept(tmp_path, maker), Parser()
    maker.write_text("X = 2\n")
    SourceDigests(parser, maker, path)(b"b c", "a")
    assert parser.parsed == ["a"]


@pytest.mark.parametrize("content", ["", "{", "[]", '{"made_by": 1}', "null"])
def test_a_damaged_file_is_an_empty_one(tmp_path: Path, maker: Path, content: str) -> None:
    path, parser = tmp_path / "kept.json", Parser()
    path.write_text(content)
    SourceDigests(parser, maker, path)(b"b c", "a")
    assert parser.parsed == ["a"]


def test_entries_of_another_form_are_computed_again(tmp_path: Path, maker: Path) -> None:
    path, parser = kept(tmp_path, maker), Parser()
    write_json({**json.loads(path.read_text()), "modules": {"a": ["too few"]}}, path)
    SourceDigests(parser, maker, path)(b"b c", "a")
    assert parser.parsed == ["a"]


def test_a_changed_byte_in_the_file_is_seen(tmp_path: Path, maker: Path) -> None:
    path, parser = kept(tmp_path, maker), Parser()
    path.write_text(path.read_text().replace("b c", "b x"))
    assert SourceDigests(parser, maker, path)(b"b c", "a") == ("b c", {"b", "c"})


def test_a_folder_without_write_access_keeps_nothing(tmp_path: Path, maker: Path) -> None:
    (tmp_path / "folder").write_text("a file, where no folder can be made")
    digests = SourceDigests(Parser(), maker, tmp_path / "folder" / "kept.json")
    assert digests(b"b c", "a") == ("b c", {"b", "c"})
    digests.write()


def test_planning_loads_no_large_package() -> None:
    heavy = ["numpy", "pandas", "pyarrow", "sacrebleu", "stanza", "torch"]
    code = (
        "import sys; from discourse_nmt.workflow.plan import plan; "
        "from discourse_nmt.workflow.checks import configuration; "
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
