"""Lines that show nothing have no text, whatever they hold; files that are no text have remedies by their kind."""

import gzip
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


@pytest.mark.parametrize(
    ("content", "remedy"),
    [
        ("Wörter".encode("utf-16"), "UTF-16"),
        ("Wörter".encode("utf-16-be").join([b"\xfe\xff", b""]), "UTF-16"),
        ("Wörter".encode("utf-32"), "UTF-32"),
        ("Wörter".encode("latin-1"), "Latin-1"),
        ("слова".encode("cp1251"), "convert the file"),
        (b"PK\x03\x04\x14\x00\xff", "docx"),
        (b"%PDF-1.7\n\xe2\xe3", "PDF"),
        (gzip.compress(b"words"), "compressed"),
    ],
)
def test_what_is_no_utf8_has_a_remedy_of_its_own(tmp_path: Path, content: bytes, remedy: str) -> None:
    (tmp_path / "file").write_bytes(content)
    source = Source("file", None, tmp_path / "file")
    readers = (lambda: read_text(tmp_path / "file"), lambda: list(source.lines()), lambda: text_of(content, "file"))
    for read in readers:
        with pytest.raises(InputError, match=rf"is not UTF-8; .*{remedy}"):
            read()
