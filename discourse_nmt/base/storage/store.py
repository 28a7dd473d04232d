"""The document store: the last result of each document, so that a run computes only the missing results.

There is one SQLite file per job of a shard. A key covers everything that a result depends on, so that a stored result
is never out of date. Every result has a checksum. A store with a damaged result, or one that SQLite cannot read, is set
aside, and a new one is begun. A store may have a copy in remote storage (:mod:`discourse_nmt.base.storage.remote`),
which is renewed every :data:`MINUTES` and at the end.
"""

import contextlib
import hashlib
import json
import logging
import sqlite3
import time
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from discourse_nmt.base.storage.remote import KeptFiles

VERSION = 1
MINUTES = 5  # between copies to remote storage
# Error codes of SQLite for a file that is damaged or no database; a lock or a full disk is not damage.
DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_FORMAT}


class DocumentStore:
    """Results by key in the file ``path``, for one process at a time; a context manager.

    Results are on disk once :meth:`put` returns, so that a killed job loses none of them.
    """

    def __init__(self, path: str | Path, patience: float = 60.0) -> None:
        """Open or create the store; wait up to ``patience`` seconds while another process has it open."""
        self.path = Path(path)
        self._patience = patience
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._used: set[str] = set()
        self._kept = KeptFiles(self.path.parent, pattern=self.path.name)
        self._kept.fetch()
        self._copied = time.monotonic()
        self._connection = self._opened()

    def __enter__(self) -> "DocumentStore":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._kept.send()

    def get(self, key: str) -> Any | None:
        """The result under ``key``, or None; a damaged result gives None and empties the store."""
        try:
            row = self._connection.execute("SELECT value, checksum FROM results WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            value, checksum = row
            if hashlib.sha256(value).digest() == checksum:
                self._used.add(key)
                return json.loads(zlib.decompress(value))
            reason = "a checksum is wrong"
        except sqlite3.DatabaseError as error:
            reason = self._damage(error)
        self._set_aside(reason)
        return None

    def put(self, results: Mapping[str, Any]) -> None:
        """Store ``results``, JSON values by key: all of them or, if the process is killed meanwhile, none."""
        rows = []
        for key, result in results.items():
            value = zlib.compress(json.dumps(result, ensure_ascii=False).encode(), 1)
            rows.append((key, value, hashlib.sha256(value).digest()))
        try:
            self._insert(rows)
        except sqlite3.DatabaseError as error:
            self._set_aside(self._damage(error))
            self._insert(rows)
        self._used.update(results)
        # Between two calls nobody writes, so that the file is whole.
        if time.monotonic() - self._copied >= 60 * MINUTES:
            self._kept.send()
            self._copied = time.monotonic()

    def prune(self) -> None:
        """Delete every result that was neither read nor written through this object; call it after a complete run."""
        try:
            keys = {key for (key,) in self._connection.execute("SELECT key FROM results")}
            with self._connection:
                unused = [(key,) for key in keys - self._used]
                self._connection.executemany("DELETE FROM results WHERE key = ?", unused)
        except sqlite3.DatabaseError as error:
            self._set_aside(self._damage(error))

    def _insert(self, rows: Iterable[tuple[str, bytes, bytes]]) -> None:
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)

    def _opened(self) -> sqlite3.Connection:
        try:
            return self._connected()
        except sqlite3.DatabaseError as error:
            self._move(self._damage(error))
            return self._connected()

    def _connected(self) -> sqlite3.Connection:
        """A connection to a store of this version; raises :class:`sqlite3.DatabaseError` for any other file."""
        connection = sqlite3.connect(self.path, timeout=self._patience)
        try:
            [version] = connection.execute("PRAGMA user_version").fetchone()
            [tables] = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if tables == 0:
                connection.execute("PRAGMA auto_vacuum = FULL")
                with connection:
                    connection.execute("CREATE TABLE results (key TEXT PRIMARY KEY, value BLOB, checksum BLOB)")
                    connection.execute(f"PRAGMA user_version = {VERSION}")
            elif version != VERSION:
                raise sqlite3.DatabaseError("it is not a document store of this version")
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def _damage(self, error: sqlite3.DatabaseError) -> str:
        """The reason for the damage; raises an OSError where the error is not about damage."""
        if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in DAMAGE:
            raise OSError(f"{self.path}: {error}") from error
        return str(error)

    def _set_aside(self, reason: str) -> None:
        self._connection.close()
        self._move(reason)
        self._used.clear()
        self._connection = self._connected()

    def _move(self, reason: str) -> None:
        aside = self.path.with_name(f"{self.path.name}.damaged")
        logging.warning("%s is damaged (%s): set aside as %s and begun anew", self.path, reason, aside.name)
        self.path.replace(aside)
        with contextlib.suppress(FileNotFoundError):
            self.path.with_name(f"{self.path.name}-journal").unlink()
