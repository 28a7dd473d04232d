"""Sources of a corpus: plain and compressed files and members of archives, read without unpacking to disk.

A pattern of the configuration names a file (``talks.en.gz``), several files (``talks/*.en``), or members of an archive
(``talks.tar.gz::train/*.en``). ``*`` and ``?`` match within one folder and never a hidden file, ``**/`` any number of
folders; the matched text is the key of the file. Text is strict UTF-8, with or without a byte order mark. Lines end at
``\\n`` or ``\\r\\n`` only, and at ``\\r`` in a file that has no other line ends (classic Mac): other Unicode line
separators are part of the sentence, so that they cannot shift one side against the other.
"""

import bz2
import codecs
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from discourse_nmt.base.archives import FAULTS, Budget, is_archive, members
from discourse_nmt.base.characters import check_plain, remedy_for_encoding, tell_controls, without_controls
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import verified

BLOCK = 1 << 20
LINE_BYTES = 1 << 20
TEXT_BYTES = 1 << 28  # limit of formats that are read as a whole; JSON needs about 20 times as much memory
DECOMPRESSORS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


def uncompressed(name: str) -> str:
    """The ``name`` of a file in small letters, without the ending of a compression."""
    small = name.lower()
    return next((small.removesuffix(ending) for ending in DECOMPRESSORS if small.endswith(ending)), small)


@dataclass(frozen=True)
class Source:
    """One file to read, or a member of an archive.

    ``name`` is the name in messages, ``key`` the text that wildcards matched (``None`` without wildcards). ``path`` is
    the path of the file or archive; ``data`` the content of a member, ``None`` for a file. ``controls`` is the
    treatment of control characters: they are kept; or each becomes a blank, and a warning counts them, but a NUL
    character is an :class:`InputError`; or each is.
    """

    name: str
    key: str | None
    path: Path
    data: bytes | None = None
    controls: Literal["keep", "space", "error"] = "keep"

    @property
    def filename(self) -> str:
        """The name without folders and archive."""
        return self.name.rpartition("::")[2].rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The file's name up to its first dot."""
        return self.filename.partition(".")[0]

    def blocks(self) -> Iterator[bytes]:
        """The decompressed bytes in blocks; raises :class:`InputError` for a damaged file or a compression bomb."""
        decompress = DECOMPRESSORS.get(Path(self.name).suffix.lower())
        try:
            with self._raw() as raw:
                if decompress is None:
                    while block := raw.read(BLOCK):
                        yield block
                else:
                    budget = Budget(self.name, raw.seek(0, io.SEEK_END))
                    raw.seek(0)
                    with decompress(raw) as handle:
                        while block := handle.read(BLOCK):
                            yield budget.spend(block)
        except (*FAULTS, zlib.error, lzma.LZMAError) as error:
            raise InputError(
                f"cannot be read to its end ({error})",
                file=self.name,
                remedy="the file is damaged or cut short: get it again",
            ) from None

    def lines(self, longest: int = LINE_BYTES) -> Iterator[str]:
        """The lines without line ends, in order; raises :class:`InputError` naming the line at fault.

        One of them is a line of more than about ``longest`` bytes.
        """
        rest, number, controls = b"", 1, 0
        for block in self._lines_ended():
            complete, end, rest = (rest + block).rpartition(b"\n")
            if end:
                text, count = self._readable(complete, number)
                yield from text.split("\n")
                number += complete.count(b"\n") + 1
                controls += count
            if len(rest) > longest:
                raise InputError(
                    f"line longer than {longest:,} bytes",
                    file=self.name,
                    line=number,
                    remedy="is this a text file?",
                )
        if rest:
            text, count = self._readable(rest, number)
            yield text
            controls += count
        tell_controls(self.name, controls)

    def text(self) -> str:
        """The whole text, for formats without lines, with ``\\n`` for every line end.

        Raises :class:`InputError` above 256 MiB.
        """
        blocks, size = [], 0
        for block in self._unmarked():
            size += len(block)
            if size > TEXT_BYTES:
                raise InputError(
                    f"larger than {TEXT_BYTES >> 20} MiB, the most that a format may have that is read as a whole",
                    file=self.name,
                    remedy="divide the file",
                )
            blocks.append(block)
        text, count = self._readable(b"".join(blocks), 1)
        tell_controls(self.name, count)
        return text.replace("\r", "\n")

    def _raw(self) -> IO[bytes]:
        return verified(self.path).open("rb") if self.data is None else io.BytesIO(self.data)

    def _lines_ended(self) -> Iterator[bytes]:
        """The blocks, with line feeds for the carriage returns of a file without line feeds (classic Mac)."""
        alone = None
        for block in self._unmarked():
            if alone is None:
                alone = b"\n" not in block and b"\r" in block
            yield block.replace(b"\r", b"\n") if alone else block

    def _readable(self, data: bytes, line: int) -> tuple[str, int]:
        """The text of lines, with ``\\n`` alone between them, and how many control characters became blanks."""
        text = self._decoded(data, line).replace("\r\n", "\n").removesuffix("\r")
        if self.controls == "keep":
            return text, 0
        return without_controls(text, self.name, line, strict=self.controls == "error")

    def _unmarked(self) -> Iterator[bytes]:
        first = True
        for block in self.blocks():
            yield block.removeprefix(codecs.BOM_UTF8) if first else block
            first = False

    def _decoded(self, data: bytes, line: int) -> str:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(
                f"byte 0x{data[error.start]:02x} is not UTF-8",
                file=self.name,
                line=line + data.count(b"\n", 0, error.start),
                remedy=remedy_for_encoding(next(self.blocks(), b"")),
            ) from None
        if line == 1:
            check_plain(text, self.name)
        return text


def expand(pattern: str) -> list[Source]:
    """The sources that match ``pattern``, in natural order of their keys (2 before 10).

    Raises :class:`InputError` for a pattern that matches nothing.
    """
    path, _, inside = pattern.partition("::")
    if is_archive(path):
        wanted = matcher(inside)
        sources = [
            Source(f"{path}::{name}", _key(wanted, name), Path(path), data)
            for name, data in members(path, inside, wanted.match)
        ]
    else:
        wanted = matcher(str(Path(path)))
        sources = [Source(str(file), _key(wanted, str(file)), file) for file in files(path)]
    if not sources:
        folder = Path(path).is_dir()
        remedy = f"it is a folder: name its files, for example {path}/*.en" if folder else "correct the path"
        raise InputError("no such file", file=pattern, remedy=remedy)
    return sorted(sources, key=lambda source: natural(source.key or ""))


def files(pattern: str) -> list[Path]:
    """The files on disk that match ``pattern``, archives included; may be empty."""
    path = Path(pattern.partition("::")[0])
    wanted = matcher(str(path))
    root = Path(path.anchor)
    candidates = root.glob(str(path.relative_to(root)).replace("[", "[[]")) if wanted.groups else [path]
    return sorted(file for file in candidates if file.is_file() and wanted.match(str(file)))


def matcher(pattern: str) -> re.Pattern[str]:
    """A regular expression for ``pattern`` with one group per wildcard; an empty pattern matches everything."""
    if not pattern:
        return re.compile("")
    expression = ""
    for piece in re.split(r"(\*\*/|[*?])", pattern):
        hidden = r"(?!\.)" if expression == "" or expression.endswith(("/", "/)*)")) else ""
        wildcards = {"*": rf"({hidden}[^/]*)", "?": rf"({hidden}[^/])", "**/": r"((?:(?!\.)[^/]+/)*)"}
        expression += wildcards.get(piece, re.escape(piece))
    return re.compile(expression + r"\Z")


def natural(key: str) -> list[tuple[int, int, str]]:
    """A sort key that puts 2 before 10."""
    pieces = re.findall(r"[0-9]{1,18}|[^0-9]+", key)
    return [(0, int(piece), "") if piece.isdecimal() else (1, 0, piece) for piece in pieces]


def _key(pattern: re.Pattern[str], name: str) -> str | None:
    match = pattern.match(name)
    return "/".join(group.rstrip("/") for group in match.groups() if group) if match and match.groups() else None
