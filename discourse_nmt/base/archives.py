"""Members of .zip and .tar archives, read into memory; nothing is unpacked to disk.

Names of members may not be absolute or hold ``..``. Links and devices are never followed. An archive that is cut
short, damaged, encrypted or a decompression bomb is an :class:`.InputError`.
"""

import bz2
import gzip
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO, cast

from discourse_nmt.base.errors import InputError

SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
EXPANSION = 100
ALWAYS_ALLOWED = 1 << 28
FAULTS = (EOFError, OSError)
UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
Member = tuple[str, bytes]
ARCHIVE_FAULTS = (
    *FAULTS,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    tarfile.TarError,
    NotImplementedError,
    ValueError,
    RecursionError,  # a long chain of headers
    MemoryError,  # a compression window larger than the memory
)


class Budget:
    """Counts decompressed bytes and stops at 100 times the compressed size (256 MiB are always allowed)."""

    def __init__(self, name: str, compressed: int) -> None:
        self.name = name
        self.left = max(ALWAYS_ALLOWED, EXPANSION * compressed)

    def spend(self, block: bytes) -> bytes:
        """Return ``block``; raises :class:`InputError` once the budget is used up."""
        self.left -= len(block)
        if self.left < 0:
            raise InputError(
                f"grows to more than {EXPANSION} times its size when decompressed",
                file=self.name,
                remedy="if you trust it, decompress it yourself and name the plain file",
            )
        return block


class _Limited:
    """A readable stream that spends a :class:`Budget`; ``total`` counts the bytes read."""

    def __init__(self, handle: IO[bytes], budget: Budget) -> None:
        self.handle = handle
        self.budget = budget
        self.total = 0

    def read(self, size: int = 1 << 20) -> bytes:
        block = self.budget.spend(self.handle.read(size))
        self.total += len(block)
        return block


class _Header(tarfile.TarInfo):
    """A tar header that raises an error where it is damaged; ``tarfile`` takes damage for the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> "_Header":
        try:
            return super().fromtarfile(archive)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            raise
        except tarfile.HeaderError as error:
            raise tarfile.ReadError(str(error)) from None


def is_archive(path: str) -> bool:
    """Whether ``path`` is named like an archive."""
    return path.lower().endswith(SUFFIXES)


def members(path: str, pattern: str, wanted: Callable[[str], object]) -> list[Member]:
    """Name and content of the members of the archive ``path`` with ``wanted(name)``, in the order of the archive.

    ``pattern`` is the user's pattern, for messages; with an empty one the archive must hold exactly one file.
    """
    read = _zip_members if path.lower().endswith(".zip") else _tar_members
    try:
        names, matching = read(path, lambda name: bool(wanted(name)))
    except ARCHIVE_FAULTS as error:
        raise InputError(
            f"cannot be read to its end ({error})",
            file=path,
            remedy="the archive is damaged or cut short: get it again",
        ) from None
    few = ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")
    if not pattern and len(names) != 1:
        raise InputError(
            f"holds {len(names)} files ({few})",
            file=path,
            remedy="name the ones to read, for example ARCHIVE::FOLDER/*.en",
        )
    if not matching:
        raise InputError(f"no member matches {pattern}", file=path, remedy=f"the archive holds {few}")
    return matching


def _zip_members(path: str, wanted: Callable[[str], bool]) -> tuple[list[str], list[Member]]:
    names: list[str] = []
    matching: list[Member] = []
    budget = Budget(path, Path(path).stat().st_size)
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            name = _checked(info.filename, path)
            if info.is_dir():
                continue
            names.append(name)
            if wanted(name):
                if info.flag_bits & 1:
                    raise InputError(f"member {name} is encrypted", file=path, remedy="store it without a password")
                if (info.external_attr >> 28) == 0xA:
                    raise InputError(f"member {name} is a link", file=path, remedy="store the file itself")
                with archive.open(info) as handle:
                    matching.append((name, _all(_Limited(handle, budget))))
    return names, matching


def _tar_members(path: str, wanted: Callable[[str], bool]) -> tuple[list[str], list[Member]]:
    names: list[str] = []
    matching: list[Member] = []
    budget = Budget(path, Path(path).stat().st_size)
    with _decompressed(path) as handle:
        stream = _Limited(handle, budget)
        with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|", tarinfo=_Header) as archive:
            for info in archive:
                name = _checked(info.name, path)
                if info.isdir():
                    continue
                names.append(name)
                if wanted(name):
                    if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.issparse():
                        fault = "has holes" if info.issparse() else "is a link or device"
                        raise InputError(f"member {name} {fault}", file=path, remedy="store the file itself")
                    content = archive.extractfile(info)
                    data = content.read() if content else b""
                    if len(data) != info.size:
                        raise EOFError(f"member {name} is cut short")
                    matching.append((name, data))
        while stream.read():
            pass
        if stream.total % tarfile.BLOCKSIZE:
            raise EOFError("the size is not a whole number of blocks")
    return names, matching


def _decompressed(path: str) -> IO[bytes]:
    lower = path.lower()
    if lower.endswith("gz"):
        return cast(IO[bytes], gzip.open(path))
    if lower.endswith("xz"):
        return cast(IO[bytes], lzma.open(path))
    if lower.endswith("bz2"):
        return cast(IO[bytes], bz2.open(path))
    return Path(path).open("rb")


def _all(stream: _Limited) -> bytes:
    return b"".join(iter(stream.read, b""))


def _checked(name: str, path: str) -> str:
    """``name`` without a leading ``./``; a name that points outside the archive is an :class:`InputError`."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if name.startswith(("/", "\\")) or ".." in parts or ":" in name[:2] or UNPRINTABLE.search(name):
        raise InputError(f"member {name!r} has an unsafe name", file=path, remedy="do not use this archive")
    return name.removeprefix("./")
