"""Files, compressed files and archives: what is read, what is refused, and how the refusal reads."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest

from discourse_nmt.base import archives
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source, expand, matcher, natural
from tests.unit.corpus.importing.corpus_samples import COMPRESSORS, members_of, put, tar

LINES = [f"Line {number} \u2028 \x85 \x0b." for number in range(5)]
DOCUMENTS = {"1": [("one", "eins")], "2": [("two", "zwei")], "10": [("ten", "zehn")]}


def refusal(pattern: str) -> str:
    with pytest.raises(InputError) as caught:
        for source in expand(pattern):
            list(source.lines())
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_lines_end_at_newlines_only(suffix: str, end: str, last: bool, tmp_path: Path) -> None:
    path = put(tmp_path / f"a.txt{suffix}", "\ufeff" + end.join(LINES) + (end if last else ""))
    assert list(expand(path)[0].lines()) == LINES


def test_lines_do_not_depend_on_the_size_of_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\r\n".join(["é" * number for number in range(40)]) + "\r\n\r\n\n"
    source = expand(put(tmp_path / "a.txt", text))[0]
    for size in (3, 4, 5, 7, 64):
        monkeypatch.setattr("discourse_nmt.base.sources.BLOCK", size)
        assert list(source.lines()) == ["é" * number for number in range(40)] + ["", ""]


def test_the_line_of_the_first_bad_byte_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("grün\n".encode() * 6 + "grün\n".encode("latin-1") + b"x\n" * 9)
    for size in (4, 11, 1 << 20):
        monkeypatch.setattr("discourse_nmt.base.sources.BLOCK", size)
        assert refusal(str(path)) == (
            f"{path}:7: byte 0xfc is not UTF-8; convert the file to UTF-8, from Latin-1 with iconv -f LATIN1 -t UTF-8"
        )
    with pytest.raises(InputError, match=r"a\.txt:7: byte 0xfc"):
        expand(str(path))[0].text()


def test_the_ending_of_a_compressed_file_may_be_upper_case(tmp_path: Path) -> None:
    (tmp_path / "A.GZ").write_bytes(gzip.compress(b"one\n"))
    assert list(expand(str(tmp_path / "A.GZ"))[0].lines()) == ["one"]


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "a.gz", "a\n" + "x" * (3 << 20))
    assert refusal(path).startswith(f"{path}:2: line longer than 1,048,576 bytes")


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_a_truncated_file_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.txt{suffix}"
    whole = COMPRESSORS[suffix]("".join(f"{number * number}\n" for number in range(3000)).encode())
    for size in (1, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert refusal(str(path)).endswith("the file is damaged or cut short: get it again")
    path.write_bytes(b"plain text\n")
    assert "cannot be read to its end" in refusal(str(path))


def test_a_compression_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ALWAYS_ALLOWED", 1 << 20)
    data = b"\n" * (1 << 22)
    (tmp_path / "a.gz").write_bytes(gzip.compress(data))
    (tmp_path / "a.xz").write_bytes(lzma.compress(data))
    (tmp_path / "a.bz2").write_bytes(bz2.compress(data))
    tar(tmp_path / "a.tar.gz", [("b", data)], "w:gz")
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("b", data)
    for suffix in ("gz", "xz", "bz2", "tar.gz", "zip"):
        assert "grows to more than 100 times its size" in refusal(str(tmp_path / f"a.{suffix}"))


def test_text_that_compresses_well_is_no_bomb(tmp_path: Path) -> None:
    path = put(tmp_path / "a.gz", "the same line\n" * 200_000)
    assert sum(1 for _ in expand(path)[0].lines()) == 200_000


def write_archive(path: Path, members: list[tuple[str, bytes]]) -> str:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members:
                archive.writestr(name, data)
    else:
        tar(path, members, "w" if path.suffix == ".tar" else f"w:{path.suffix[1:]}")
    return str(path)


@pytest.mark.parametrize("suffix", ["zip", "tar", "tar.gz", "tar.xz", "tar.bz2"])
def test_members_are_chosen_by_name_and_by_wildcard(suffix: str, tmp_path: Path) -> None:
    hidden = [("talks/._1.en", b"fork"), ("./talks/3.de", b"drei\n"), ("other/1.en", b"other\n")]
    path = write_archive(tmp_path / f"a.{suffix}", members_of(DOCUMENTS) + hidden)
    assert [source.key for source in expand(f"{path}::talks/*.en")] == ["1", "2", "10"]
    assert [source.key for source in expand(f"{path}::*/1.??")] == ["other/e/n", "talks/d/e", "talks/e/n"]
    assert [list(source.lines()) for source in expand(f"{path}::talks/3.de")] == [["drei"]]
    assert "no member matches talks/4.en" in refusal(f"{path}::talks/4.en")
    assert f"{path}: holds 9 files (other/1.en, talks/._1.en, talks/1.de, ...)" in refusal(path)
    assert not [entry for entry in tmp_path.iterdir() if str(entry) != path]


def test_a_compressed_member_and_an_archive_of_one_file(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a.tar", [("deep/a.en.gz", gzip.compress(b"one\ntwo\n"))])
    for pattern in (path, f"{path}::deep/a.en.gz"):
        (source,) = expand(pattern)
        assert (source.name, source.stem, list(source.lines())) == (f"{path}::deep/a.en.gz", "a", ["one", "two"])


@pytest.mark.parametrize("suffix", ["zip", "tar", "tar.gz", "tar.xz"])
def test_every_truncation_of_an_archive_is_refused(suffix: str, tmp_path: Path) -> None:
    path = Path(write_archive(tmp_path / f"a.{suffix}", members_of(DOCUMENTS)))
    whole = path.read_bytes()
    archives_end = whole.rstrip(b"\0") if suffix == "tar" else whole
    sizes = {*range(0, len(archives_end), 97), *range(0, len(archives_end), 512), len(archives_end) - 1}
    for size in sorted(sizes):
        path.write_bytes(whole[:size])
        assert refusal(f"{path}::talks/*.en").endswith("the archive is damaged or cut short: get it again"), size


def test_a_damaged_header_is_not_taken_for_the_end(tmp_path: Path) -> None:
    path = Path(write_archive(tmp_path / "a.tar", members_of(DOCUMENTS)))
    data = bytearray(path.read_bytes())
    data[1024 + 3] ^= 1
    path.write_bytes(data)
    assert "damaged or cut short" in refusal(f"{path}::talks/*.en")


@pytest.mark.parametrize("name", ["../a.en", "/etc/a.en", "b/../../a.en", "C:/a.en", "..\\a.en", "a\x01.en"])
@pytest.mark.parametrize("suffix", ["zip", "tar"])
def test_unsafe_names_are_refused(name: str, suffix: str, tmp_path: Path) -> None:
    path = write_archive(tmp_path / f"a.{suffix}", [("good.en", b"good\n"), (name, b"bad\n")])
    assert "has an unsafe name" in refusal(f"{path}::good.en")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_never_read(kind: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        good = tarfile.TarInfo("good.en")
        good.size = 5
        archive.addfile(good, io.BytesIO(b"good\n"))
        link = tarfile.TarInfo("link.en")
        link.type, link.linkname = kind, "/etc/hostname"
        archive.addfile(link)
    assert "member link.en is a link or device" in refusal(f"{path}::*.en")
    assert [list(source.lines()) for source in expand(f"{path}::good.en")] == [["good"]]


def test_links_and_passwords_in_zip_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    link = zipfile.ZipInfo("link.en")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/hostname")
        archive.writestr("plain.en", "text\n")
    assert "member link.en is a link" in refusal(f"{path}::link.en")
    data = bytearray(path.read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert "member plain.en is encrypted" in refusal(f"{path}::plain.en")


def test_folders_and_missing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "talks").mkdir()
    assert "it is a folder: name its files, for example" in refusal(str(tmp_path / "talks"))
    assert "no such file" in refusal(str(tmp_path / "talks" / "*.en"))


def test_wildcards_match_within_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("x[1]/10.en", "x[1]/9.en", "x[1]/.8.en", "x[1]/deep/7.en", "x[1]/9.en.txt"):
        put(tmp_path / name, "text\n")
    monkeypatch.chdir(tmp_path)
    for pattern in ("x[1]/*.en", "./x[1]//*.en", f"{tmp_path}/x[1]/*.en"):
        assert [source.key for source in expand(pattern)] == ["9", "10"]
    assert matcher("a.*").match("abc") is None


def test_natural_order() -> None:
    assert sorted(["b", "10", "9", "a10", "a9", "a"], key=natural) == ["9", "10", "a", "a9", "a10", "b"]


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        list(Source(str(tmp_path), None, tmp_path).lines())


def test_two_stars_stand_for_any_folders_also_none(tmp_path: Path) -> None:
    for name in ("top.en", "a/one.en", "a/b/two.en", ".hidden/three.en", "a/.git/four.en", "a/five.de"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text\n")
    assert [source.key for source in expand(f"{tmp_path}/**/*.en")] == ["a/b/two", "a/one", "top"]
    assert [source.key for source in expand(f"{tmp_path}/a/**/*.en")] == ["b/two", "one"]
