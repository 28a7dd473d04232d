"""Bring the files of a corpus into its folder, unless they are there: copied from an installation, unpacked from Debian
packages, or by the program mtdata.
"""

import hashlib
import logging
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import files
from discourse_nmt.base.storage.files import checksum, read_text, write_text
from discourse_nmt.corpus.data.settings import DataSettings

ORIGIN = "ORIGIN.tsv"  # in the folder: package, version and SHA-256 of the archive, a line for each
COLUMNS = ["name", "version", "files", "bytes", "sha256"]
log = logging.getLogger(__name__)


def bring(data: DataSettings, patterns: Sequence[str], where: str = "") -> None:
    """Make every one of the ``patterns``, which begin with the folder, match a file. Files that are there stay.

    Raises :class:`InputError` in one line that says which files to put there; ``where`` is the user's own advice.
    """
    if not _missing(patterns):
        log.info(f"{data.folder}: all files are there")
        return
    for root in data.installed:
        if not _missing(_elsewhere(patterns, data.folder, root)):
            _copy(patterns, data.folder, root)
            log.info(f"{data.folder}: copied from {root}")
            return
    faults = []
    for wanted, way in ((data.debian, _unpack), (data.mtdata, _run_mtdata)):
        if wanted and _missing(patterns):
            try:
                way(data)
            except _UnavailableError as error:
                faults.append(str(error))
    if missing := _missing(patterns):
        remedy = where or "put them there, or name a folder that has them under data.installed"
        raise InputError(f"missing: {', '.join(missing)} ({'; '.join(faults) or 'no source has them'})", remedy=remedy)


def manifest(data: DataSettings, patterns: Sequence[str]) -> pd.DataFrame:
    """The sources of a corpus: a row for each pattern with the number of its files, their bytes and a digest of
    their names and contents, and a row for each package that brought them. Equal files give equal rows.
    """
    folder = Path(data.folder)
    rows = []
    for pattern in sorted(set(patterns)):
        paths = files(pattern)
        lines = "".join(f"{checksum(path)}  {path.relative_to(folder)}\n" for path in paths)
        size = sum(path.stat().st_size for path in paths)
        digest = hashlib.sha256(lines.encode()).hexdigest()
        rows.append([str(Path(pattern).relative_to(folder)), "", str(len(paths)), str(size), digest])
    packages = {name.lower() for name in data.debian}
    rows += [[name, version, "", "", digest] for name, version, digest in _origin(folder) if name in packages]
    return pd.DataFrame(rows, columns=COLUMNS)


class _UnavailableError(Exception):
    """A source that this machine cannot use."""


def _missing(patterns: Sequence[str]) -> list[str]:
    return [pattern for pattern in dict.fromkeys(patterns) if not files(pattern)]


def _elsewhere(patterns: Sequence[str], folder: str, root: str) -> list[str]:
    return [root.rstrip("/") + pattern.removeprefix(folder) for pattern in patterns]


def _copy(patterns: Sequence[str], folder: str, root: str) -> None:
    with _beside(Path(folder)) as partial:
        for pattern in _elsewhere(patterns, folder, root):
            for path in files(pattern):
                place = partial / "files" / path.relative_to(root)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
        _merge(partial / "files", Path(folder))


def _unpack(data: DataSettings) -> None:
    """Download the Debian packages, unpack them without root, and note the versions that files came from."""
    packages, folder = [name.lower() for name in data.debian], Path(data.folder)
    with _beside(folder) as partial:
        _call(["apt-get", "download", *packages], partial)
        archives = sorted(partial.glob("*.deb"))
        for archive in archives:
            _call(["dpkg-deb", "--extract", archive.name, f"{archive.stem}/"], partial)
        contents = [partial / archive.stem / data.inside for archive in archives]
        if not any(content.is_dir() for content in contents):
            raise InputError(f"{', '.join(packages)}: no folder {data.inside}", remedy="correct data.inside")
        for archive, content in zip(archives, contents):
            fields = _call(["dpkg-deb", "--show", "--showformat=${Package}\t${Version}", archive.name], partial)
            if content.is_dir() and _merge(content, folder):
                _note([*fields.split("\t"), checksum(archive)], folder)
                log.info(f"{folder}: {fields}")
            else:
                log.info(f"{folder}: nothing of {fields}, its files are there or elsewhere in the package")


def _note(row: list[str], folder: Path) -> None:
    """Put the row of a package into :data:`ORIGIN`, in place of that of another version."""
    rows = {known[0]: known for known in [*_origin(folder), row]}
    write_text("".join("\t".join(rows[name]) + "\n" for name in sorted(rows)), folder / ORIGIN)


def _run_mtdata(data: DataSettings) -> None:
    """Let mtdata (https://github.com/thammegowda/mtdata) write into the folder."""
    folder = Path(data.folder)
    with _beside(folder) as partial:
        _call(["mtdata", *data.mtdata, "--out", "files"], partial)
        if (partial / "files").is_dir():
            _merge(partial / "files", folder)


def _origin(folder: Path) -> list[list[str]]:
    path = folder / ORIGIN
    return [line.split("\t") for line in read_text(path).splitlines()] if path.exists() else []


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A temporary folder on the same disk, so that what is whole can be renamed into place."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
        Path(name).chmod(0o755)  # apt-get downloads as another user where root calls it
        yield Path(name)


def _merge(source: Path, target: Path) -> bool:
    """Move ``source`` to ``target`` and tell whether anything moved; what is there stays. Folders move whole, so that a
    kill leaves no half of one.
    """
    if not target.exists():
        source.rename(target)
        return True
    if not (source.is_dir() and target.is_dir()):
        return False
    moved = [_merge(child, target / child.name) for child in sorted(source.iterdir())]  # all, not up to the first
    return any(moved)


def _call(command: list[str], folder: Path) -> str:
    """The output of a program run in ``folder``; raises :class:`_UnavailableError` if it is absent or fails."""
    try:
        result = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        raise _UnavailableError(f"{command[0]} is not on this machine") from None
    except subprocess.CalledProcessError as error:
        lines = error.stderr.strip().splitlines() or [f"exit status {error.returncode}"]
        told = next((line for line in lines if line.startswith("E:")), lines[-1])
        raise _UnavailableError(f"{' '.join(command[:2])}: {told.strip()}") from None
    return result.stdout
