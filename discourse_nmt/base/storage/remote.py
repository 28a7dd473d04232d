"""Copies of the work folder in remote storage, from which a job continues on a machine with an empty disk.

The environment variable DISCOURSE_NMT_KEPT_IN holds an address of fsspec, such as s3://BUCKET/FOLDER. A copy lies there
under the path of its file. Without the variable nothing is copied.
"""

import fnmatch
import logging
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from discourse_nmt.base.errors import InputError

logger = logging.getLogger(__name__)

KEPT_IN = "DISCOURSE_NMT_KEPT_IN"


class RemoteCopies:
    """The copies below an address of fsspec.

    Raises :class:`InputError` where nothing can be written there, for example for want of a bucket or of credentials.
    """

    def __init__(self, address: str) -> None:
        from fsspec.core import url_to_fs  # long to import, and not used by most runs
        from fsspec.implementations.local import LocalFileSystem

        self.address = address.rstrip("/")
        try:
            # Other machines change the copies.
            self._system, self._root = url_to_fs(self.address, use_listings_cache=False, skip_instance_cache=True)
            if isinstance(self._system, LocalFileSystem):  # others have no folders
                self._system.auto_mkdir = True
            probe = f"{self._root}/.probe-{secrets.token_hex(4)}"
            self._system.pipe_file(probe, b"")
            self._system.rm_file(probe)
        except ImportError as error:
            raise InputError(_reason(error), file=self.address, remedy="pip install --editable '.[storage]'") from None
        except Exception as error:  # the libraries behind fsspec raise errors of their own
            raise InputError(
                f"nothing can be kept there ({_reason(error)})",
                file=self.address,
                remedy="check the address, and the credentials and the endpoint in the environment",
            ) from None

    def names(self, folder: Path) -> set[str]:
        """Names of the files that have copies under ``folder``; raises what the library raises."""
        try:
            entries = self._system.ls(self._copy_of(folder), detail=True)
        except FileNotFoundError:
            return set()
        return {entry["name"].rsplit("/", 1)[-1] for entry in entries if entry["type"] == "file"}

    def fetch(self, path: Path) -> None:
        """Write the copy of ``path`` to it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            self._system.get_file(self._copy_of(path), str(temporary))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def send(self, path: Path) -> None:
        """Replace the copy of ``path``."""
        self._system.put_file(str(path), self._copy_of(path))

    def remove(self, path: Path) -> None:
        """Remove the copy of ``path``."""
        self._system.rm_file(self._copy_of(path))

    def _copy_of(self, path: Path) -> str:
        return f"{self._root}/{path.as_posix().lstrip('/')}"


class KeptFiles:
    """The files of ``folders`` whose names match ``pattern``, with copies where the environment says, if it does.

    One process writes them. A ``.json`` names other files: it is sent after them and removed before them.
    """

    def __init__(self, *folders: Path, pattern: str = "[!.]*") -> None:
        address = os.environ.get(KEPT_IN)
        self.folders, self.pattern = folders, pattern
        self._copies = RemoteCopies(address) if address else None
        self._sent: dict[Path, tuple[int, int]] = {}

    def fetch(self) -> None:
        """Write every file that has a copy and is missing here; raises :class:`InputError` where that fails."""
        if self._copies is None:
            return
        try:
            for folder in self.folders:
                for name in sorted(self._names(self._copies, folder), key=_after_others):
                    path = folder / name
                    if not path.exists():
                        self._copies.fetch(path)
                        self._sent[path] = _version(path)
        except Exception as error:  # as in RemoteCopies
            raise InputError(
                f"work kept there cannot be read ({_reason(error)})",
                file=self._copies.address,
                remedy="run again once the storage answers",
            ) from error

    def send(self) -> None:
        """Make the copies equal to the files; a failure is a warning, as the next call tries again."""
        if self._copies is None:
            return
        try:
            here = self._files()
            changed = [path for path, version in here.items() if self._sent.get(path) != version]
            for path in sorted(changed, key=lambda path: _after_others(path.name)):
                self._copies.send(path)
                self._sent[path] = here[path]
            for folder in self.folders:
                gone = [name for name in self._names(self._copies, folder) if folder / name not in here]
                for name in sorted(gone, key=_after_others, reverse=True):
                    self._copies.remove(folder / name)
        except Exception as error:  # as in RemoteCopies
            logger.warning(f"{self._copies.address}: work is not kept there for now ({_reason(error)})")

    def _files(self) -> Mapping[Path, tuple[int, int]]:
        """The version of each file. Hidden ones, seals and files that are being written, are none of them."""
        paths = [path for folder in self.folders for path in folder.glob(self.pattern)]
        return {path: _version(path) for path in paths}

    def _names(self, copies: RemoteCopies, folder: Path) -> list[str]:
        return fnmatch.filter(copies.names(folder), self.pattern)


def _version(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def _after_others(name: str) -> tuple[bool, str]:
    return name.endswith(".json"), name


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
