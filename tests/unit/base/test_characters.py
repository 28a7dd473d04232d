"""Lines that show nothing have no text, whatever they hold; files that are no text have remedies by their kind."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.base.storage.files import read_text
from discourse_nmt.discourse.formats.reading import text_of


@pytest.mark.parametrize(
    "line",
    [
        "",
        " \t\u00a0\u3000\u2028",
        "\u00ad\u200b\u200e",  # soft hyphen, zero-width space, direction mark
        "\ufeff",
        "\u3164\u2800",  # Hangul filler, empty Braille pattern
        "\u200d\ufe0f",  # what is left of an emoji
        "\x00\x07\x1f\x7f\x85",
        "\ufff9",
    ],
)
def test_nothing_can_be_seen(line: str) -> None:
    assert not has_text(line)


@pytest.mark.parametrize("line", ["a", ".", " \u200b中", "👍", "\u0301", "\ue000", "\u0600"])
def test_something_can_be_seen(line: str) -> None:
    assert has_text(line)
    assert has_text(f"\u200e{line}\u00ad")


def readers(file: Path) -> list[Callable[[], object]]:
    """Readers of a file: that of commands, of the import, of annotation."""
    source = Source("file", None, file)
    return [lambda: read_text(file), lambda: list(source.lines()), lambda: text_of(file.read_bytes(), "file")]


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ("Wörter".encode("utf-16"), "UTF-16"),
        ("Wörter".encode("utf-16-be").join([b"\xfe\xff", b""]), "UTF-16"),
        ("Wörter".encode("utf-32"), "UTF-32"),
        ("Größe\n".encode("utf-16-le"), "-f UTF-16LE "),
        ("Größe\n".encode("utf-16-be"), "-f UTF-16BE "),
        ("虽然下雨了。\n".encode("utf-16-le") + b"\x4e", "-f UTF-16LE "),
        ("Wörter".encode("latin-1"), "Latin-1"),
        (b"\xff\x00\x07\x00 \x00", "Latin-1"),  # control characters in either order
        ("слова".encode("cp1251"), "convert the file"),
        (b"PK\x03\x04\x14\x00\xff", "docx"),
        (b"%PDF-1.7\n\xe2\xe3", "PDF"),
        (gzip.compress(b"words", mtime=0), "compressed"),
    ],
)
def test_what_is_no_utf8_has_a_remedy_of_its_own(tmp_path: Path, content: bytes, remedy: str) -> None:
    (tmp_path / "file").write_bytes(content)
    for read in readers(tmp_path / "file"):
        with pytest.raises(InputError, match=rf"is not UTF-8; .*{remedy}"):
            read()


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ("Some words.\nMore.\n".encode("utf-16-le"), "it seems to be UTF-16: convert it, with iconv -f UTF-16LE "),
        ("Some words.\nMore.\n".encode("utf-16-be"), "it seems to be UTF-16: convert it, with iconv -f UTF-16BE "),
        ("Один день.\n".encode("utf-16-le"), "it seems to be UTF-16: convert it, with iconv -f UTF-16LE "),
        (rb"{\rtf1\ansi Some words.}", "it is RTF: save its text as UTF-8"),
    ],
)
def test_utf8_that_is_no_text_has_a_remedy(tmp_path: Path, content: bytes, remedy: str) -> None:
    (tmp_path / "file").write_bytes(content)
    for read in readers(tmp_path / "file"):
        with pytest.raises(InputError, match=f"file: no plain text; {re.escape(remedy)}"):
            read()


@pytest.mark.parametrize("content", [b"He was\x00 here.\n", b"\x00\x00\x00\x01", b"On {\\rtf.\n"])
def test_other_controls_are_left_to_the_reader(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert read_text(tmp_path / "file") == content.decode()
