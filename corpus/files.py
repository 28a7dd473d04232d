"""Atomic writing and checked reading of the small files the stages exchange.

A result appears under its name only when it is complete: it is written to a temporary name in the same folder
and renamed, so a job that is killed leaves nothing that could be mistaken for a result.
"""

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus.errors import InputError


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on success it becomes ``path``, on failure it is removed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        yield temporary
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: str | Path) -> None:
    """Write ``text`` as UTF-8, atomically."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def read_text(path: str | Path) -> str:
    """Read a UTF-8 file; a missing, unreadable or wrongly encoded file is an :class:`InputError`."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start} is not UTF-8", file=path, remedy="convert the file to UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path) from None


def write_json(value: Any, path: str | Path) -> None:
    """Write ``value`` as indented JSON, atomically."""
    write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", path)


def read_json(path: str | Path) -> Any:
    """Read a JSON file; broken JSON is an :class:`InputError` with its line."""
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", file=path, line=error.lineno) from None


def checksum(path: str | Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with Path(path).open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
