"""Atomic writing and checked reading of the files that stages exchange.

A result appears under its name only when it is complete: it is written to a temporary name in the same folder
and renamed, so a job that is killed leaves nothing that could be mistaken for a result. Beside a result ``NAME`` lies
its seal ``.NAME.sha256``, as sha256sum writes and checks it. Whoever reads the result checks the seal first, so that
a bit that the disk has lost is an error and no other number. A file without a seal, such as a user's, is not checked.
"""

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from discourse_nmt.corpus.errors import InputError


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on success it becomes ``path``, with a seal, on failure it is removed.

    An :class:`OSError` on the way, such as a full disk, names ``path``.
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
        # At no moment does a seal stand beside a file that it is not the seal of.
        seal(path).unlink(missing_ok=True)
        temporary.replace(path)
        sealing.replace(seal(path))
    except OSError as error:
        # A write names no file, Arrow its temporary one in a text of its own.
        if error.errno is None or error.filename not in (None, str(temporary), str(sealing)):
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
        sealing.unlink(missing_ok=True)


def seal(path: str | Path) -> Path:
    """Where the seal of a file lies."""
    path = Path(path)
    return path.with_name(f".{path.name}.sha256")


def sweep(folder: Path) -> None:
    """Remove the temporary files that killed processes have left in a folder in which no other process writes now."""
    for path in folder.glob(f".*.{'[0-9a-f]' * 8}*"):
        path.unlink()


def remove(path: str | Path) -> None:
    """Remove a file, which may be absent, and its seal."""
    Path(path).unlink(missing_ok=True)
    seal(path).unlink(missing_ok=True)


def verified(path: str | Path) -> Path:
    """``path``, of which the seal, where there is one, is right.

    Raises :class:`InputError` for a file that is missing, unreadable, or not what was written. Hashing reads the
    whole file once.
    """
    path = Path(path)
    try:
        with path.open("rb"):
            found = seal(path)
            expected = found.read_bytes().split()[:1] if found.exists() else []
        if expected and expected != [checksum(path).encode()]:
            raise InputError(
                "damaged: its content is not what was written",
                file=path,
                remedy=f"delete it and run again; if you have changed it on purpose, delete {found.name} beside it",
            )
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from None
    return path


def write_text(text: str, path: str | Path) -> None:
    """Write ``text`` as UTF-8, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file; a missing, unreadable, damaged or wrongly encoded file is an :class:`InputError`."""
    try:
        return verified(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8", file=path, remedy="convert the file to UTF-8") from None


def write_json(value: Any, path: str | Path) -> None:
    """Write ``value`` as indented JSON, atomically."""
    write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", path)


def read_json(path: str | Path) -> Any:
    """Read a JSON file; broken JSON is an :class:`InputError` with its line."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", file=path, line=error.lineno) from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of brackets
        raise InputError(f"not JSON ({type(error).__name__})", file=path) from None


def checksum(path: str | Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with Path(path).open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
