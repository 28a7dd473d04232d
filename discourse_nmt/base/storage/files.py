"""Atomic writing and checked reading of the files that stages exchange.

A result is written under a temporary name in the same folder and then renamed. A killed job therefore leaves nothing
that could be mistaken for a result. Beside a result ``NAME`` lies its seal ``.NAME.sha256``, as sha256sum writes it.
Every reader checks the seal first, so that a bit lost on disk is an error and not a wrong number. A file without a
seal, such as a user's file, is not checked.
"""

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from discourse_nmt.base.characters import decoded
from discourse_nmt.base.errors import InputError


@contextlib.contextmanager
def replacing(path: str | Path, *, sealed: bool = True) -> Iterator[Path]:
    """Yield a temporary path beside ``path``. On success it becomes ``path``, with a seal; on failure it is removed.

    A file that people edit is not ``sealed``.

    An :class:`OSError`, for example of a full disk, names ``path``.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    sealing = temporary.with_name(f"{temporary.name}.sha256")
    try:
        yield temporary
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        sealing.write_text(f"{checksum(temporary)}  {path.name}\n", encoding="utf-8")
        # The old seal goes first: a file must never lie beside the seal of another one.
        seal(path).unlink(missing_ok=True)
        temporary.replace(path)
        if sealed:
            sealing.replace(seal(path))
    except OSError as error:
        # An error of a write has no file name; an error of Arrow names the temporary file in its text.
        if error.errno is None or error.filename not in (None, str(temporary), str(sealing)):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
        sealing.unlink(missing_ok=True)


def growing(path: Path) -> IO[bytes]:
    """A new file that others read while it is being written, so that it has no seal and replaces nothing."""
    return path.open("wb")


def seal(path: str | Path) -> Path:
    """Path of a file's seal."""
    path = Path(path)
    return path.with_name(f".{path.name}.sha256")


def sweep(folder: Path) -> None:
    """Remove the temporary files of killed processes from a folder; no other process may be writing there."""
    for path in folder.glob(f".*.{'[0-9a-f]' * 8}*"):
        path.unlink()


def remove(path: str | Path) -> None:
    """Remove a file and its seal, if they exist."""
    Path(path).unlink(missing_ok=True)
    seal(path).unlink(missing_ok=True)


def verified(path: str | Path) -> Path:
    """``path``, after a check of its seal, if there is one.

    Raises :class:`InputError` for a file that is missing, unreadable, or changed since it was written. Hashing reads
    the whole file once.
    """
    path = Path(path)
    try:
        with path.open("rb"):
            seal_path = seal(path)
            expected = seal_path.read_bytes().split()[:1] if seal_path.exists() else []
        if expected and expected != [checksum(path).encode()]:
            raise InputError(
                "damaged: its content is not what was written",
                file=path,
                remedy=f"delete it and run again; if you have changed it on purpose, delete {seal_path.name} beside it",
            )
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from None
    return path


def write_text(text: str, path: str | Path, *, sealed: bool = True) -> None:
    """Write ``text`` as UTF-8, atomically; ``sealed`` as in :func:`replacing`."""
    with replacing(path, sealed=sealed) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file; raises :class:`InputError` for a missing, unreadable, damaged or wrongly encoded file."""
    return decoded(verified(path).read_bytes(), path).replace("\r\n", "\n").replace("\r", "\n")


def read_named_text(path: Path) -> str:
    """The text of a file that a user names, with the line ends that it has.

    Raises :class:`InputError` as :func:`read_text`, and with a remedy for a folder.
    """
    if path.is_dir():
        raise InputError("a folder", file=path, remedy=f"name its files, for example {path / '*.txt'}")
    return decoded(verified(path).read_bytes(), path)


def write_json(value: Any, path: str | Path) -> None:
    """Write ``value`` as indented JSON, atomically."""
    write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", path)


def read_json(path: str | Path) -> Any:
    """Read a JSON file; broken JSON is an :class:`InputError` with its line."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", file=path, line=error.lineno) from None
    except (ValueError, RecursionError) as error:  # integers of thousands of digits, thousands of brackets
        raise InputError(f"not JSON ({type(error).__name__})", file=path) from None


def checksum(path: str | Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with Path(path).open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


@contextlib.contextmanager
def naming(folder: str) -> Iterator[None]:
    """Make an :class:`OSError` name the ``folder``, as the file in it has no useful name."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, folder) from error
