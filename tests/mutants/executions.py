"""The lines of the package that each unit test runs: measured once with pytest-cov, and again for changed tests.

The measurement is one database. Lines of a changed module are those of its old text, moved.
"""

import os
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from difflib import SequenceMatcher
from functools import reduce
from hashlib import sha256
from pathlib import Path

from tests.mutants.places import Place
from tests.mutants.run import tested

TESTS = "tests/unit"
READERS = "tests/unit/project"  # they read files of the checkout, and run next to nothing
WIRING = f"{READERS}/wiring"  # these read the code
SLOW = 600  # CPU-seconds after which a file of tests is left unmeasured
COVERAGE = ("--cov=discourse_nmt", "--cov-context=test", "--cov-report=", "--maxfail=0")
TABLES = """
CREATE TABLE IF NOT EXISTS measured (tests TEXT PRIMARY KEY, digest TEXT);
CREATE TABLE IF NOT EXISTS code (file TEXT PRIMARY KEY, text TEXT);
CREATE TABLE IF NOT EXISTS runs (tests TEXT, test TEXT, file TEXT, lines BLOB);
"""
ROWS = """
SELECT path, context, numbits FROM line_bits JOIN file ON file.id = file_id JOIN context ON context.id = context_id
"""


def opened(folder: Path) -> sqlite3.Connection:
    """The database of the measurement in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(folder / "lines.sqlite")
    connection.executescript(TABLES)
    return connection


def measure(checkout: Path, folder: Path) -> None:
    """Bring the measurement in ``folder`` up to date with the unit tests of the ``checkout``, which is a copy.

    Each file of tests has a process of its own and is kept once it is done, so that a stopped measurement goes on, and
    one that hangs costs no other.
    """
    paths = sorted(path.relative_to(checkout).as_posix() for path in (checkout / TESTS).rglob("test_*.py"))
    digests = {path: _digest(checkout / path) for path in paths if not path.startswith(f"{READERS}/")}
    with closing(opened(folder)) as connection:
        _follow(connection, checkout)
        known = dict(connection.execute("SELECT tests, digest FROM measured"))
        with connection:
            for path in known.keys() - digests.keys():
                _forget(connection, path)
        changed = [path for path, digest in digests.items() if known.get(path) != digest]
        for number, path in enumerate(changed, 1):
            code, lines = _measured(checkout, path, folder / "one")
            print(f"lines of {number}/{len(changed)}: {path} (pytest ended with {code})", flush=True)
            with connection:
                _forget(connection, path)
                connection.execute("INSERT INTO measured VALUES (?, ?)", (path, digests[path]))
                rows = [(path, test, file, _packed(bits)) for (test, file), bits in lines.items()]
                connection.executemany("INSERT INTO runs VALUES (?, ?, ?, ?)", rows)


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _packed(lines: int) -> bytes:
    return lines.to_bytes(lines.bit_length() // 8 + 1, "little")


def _forget(connection: sqlite3.Connection, tests: str) -> None:
    for table in ("measured", "runs"):
        connection.execute(f"DELETE FROM {table} WHERE tests = ?", [tests])


def _measured(checkout: Path, tests: str, data: Path) -> tuple[int, dict[tuple[str, str], int]]:
    """Pytest's exit code for a file of tests, and by test and file of the package the lines as bits of a number."""
    os.environ["COVERAGE_FILE"] = str(data)
    code, _ = tested(checkout, [tests, *COVERAGE], SLOW)
    del os.environ["COVERAGE_FILE"]
    found: dict[tuple[str, str], int] = defaultdict(int)
    if code >= 0 and data.exists():
        with closing(sqlite3.connect(data)) as connection:
            for file, context, packed in connection.execute(ROWS):
                if test := context.partition("|")[0]:  # |setup, |run and |teardown; without: what an import runs
                    found[test, file] |= int.from_bytes(packed, "little")
    for file in data.parent.glob(f"{data.name}*"):  # of processes that were killed, too
        file.unlink()
    return code, found


def _follow(connection: sqlite3.Connection, checkout: Path) -> None:
    """Move the lines of changed modules, and keep the text of today."""
    paths = sorted((checkout / "discourse_nmt").rglob("*.py"))
    texts = {path.relative_to(checkout).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    with connection:
        for file, old in connection.execute("SELECT file, text FROM code").fetchall():
            if old != (new := texts.get(file, "")):
                move = moves(old, new)
                rows = connection.execute("SELECT rowid, lines FROM runs WHERE file = ?", [file]).fetchall()
                pairs = [(_packed(move(int.from_bytes(lines, "little"))), row) for row, lines in rows]
                connection.executemany("UPDATE runs SET lines = ? WHERE rowid = ?", pairs)
        connection.execute("DELETE FROM code")
        connection.executemany("INSERT INTO code VALUES (?, ?)", texts.items())


def moves(old: str, new: str) -> Callable[[int], int]:
    """A function that gives lines of the ``new`` text for bits of lines of the ``old`` one.

    New lines run with those whose place they take, or with the line before them.
    """
    parts = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False).get_opcodes()

    def bits(first: int, end: int) -> int:
        return (1 << end + 1) - (1 << first + 1)

    def moved(lines: int) -> int:
        found = 0
        for kind, first, end, new_first, new_end in parts:
            if kind == "equal":
                found |= (lines & bits(first, end)) >> first + 1 << new_first + 1
            elif lines & bits(first - (kind == "insert" and first > 0), end):
                found |= bits(new_first, new_end)
        return found

    return moved


class Executions:
    """The tests that run a line, by the measurement in ``folder``, which keeps sets of lines as bits of numbers."""

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.checkout = checkout
        self.lines_of_test: dict[str, dict[str, int]] = defaultdict(dict)
        self.line_count: Counter[str] = Counter()
        with closing(opened(folder)) as connection:
            for test, file, packed in connection.execute("SELECT test, file, lines FROM runs"):
                lines = int.from_bytes(packed, "little")
                self.lines_of_test[file][test] = lines
                self.line_count[test] += lines.bit_count()

    def tests(self, place: Place) -> list[str]:
        """Those that run the statement of a ``place``, first those that run little else; last those that read the code.

        Of a statement that an import runs: all that run something of its file. If no test runs it in its own process:
        those near the module.
        """
        lines_of_test = self.lines_of_test[place.file]
        statement = -1 if place.at_import else reduce(lambda bits, line: bits | 1 << line, place.lines, 0)
        share = {
            test: lines.bit_count() / self.line_count[test]
            for test, lines in lines_of_test.items()
            if lines & statement
        }
        tests = sorted(share, key=lambda test: (-share[test], test)) or self._near(place.file)
        return [*tests, WIRING]

    def _near(self, file: str) -> list[str]:
        """Files of tests that name a module, else the folder of tests that is named as its own."""
        *folders, module = file.removesuffix(".py").split("/")[1:]
        named = re.compile(rf"\b{folders[-1] if folders else 'discourse_nmt'}(\.| import [\w, ]*\b){module}\b")
        paths = [path for path in (self.checkout / TESTS).rglob("test_*.py") if named.search(path.read_text("utf-8"))]
        while folders and not paths:
            paths = list(filter(Path.is_dir, [self.checkout / TESTS / "/".join(folders)]))
            folders.pop()
        return sorted(path.relative_to(self.checkout).as_posix() for path in paths)
