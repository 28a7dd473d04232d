"""The lines of the package that each unit test runs: measured once with pytest-cov, and again for changed tests."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter, defaultdict
from functools import reduce
from pathlib import Path

from tests.mutants.places import Place

TESTS = "tests/unit"
READERS = "tests/unit/project"  # they read files of the checkout, and run next to nothing
WIRING = f"{READERS}/wiring"  # these read the code
ROWS = """
SELECT path, context, numbits FROM line_bits JOIN file ON file.id = file_id JOIN context ON context.id = context_id
"""


def measure(checkout: Path, folder: Path) -> None:
    """Bring the measurement in ``folder`` up to date with the unit tests of the ``checkout``, which is a copy."""
    lines = folder / "lines"
    folder.mkdir(parents=True, exist_ok=True)
    tests = [TESTS]
    if lines.exists():
        files = [path for path in (checkout / TESTS).rglob("test_*.py") if path.stat().st_mtime > lines.stat().st_mtime]
        tests = sorted(
            file for path in files if not (file := path.relative_to(checkout).as_posix()).startswith(READERS)
        )
        with sqlite3.connect(lines) as connection:
            for file in tests:
                of_file = "SELECT id FROM context WHERE context LIKE ?"
                connection.execute(f"DELETE FROM line_bits WHERE context_id IN ({of_file})", [f"{file}%"])
    if tests:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--ignore", READERS, *tests]
        command += [
            "--cov=discourse_nmt",
            "--cov-context",
            "test",
            "--cov-append",
            "--cov-report=",
            "-o",
            f"cache_dir={folder}/cache",
        ]
        environment = {**os.environ, "COVERAGE_FILE": str(lines), "PYTHONPATH": str(checkout)}
        subprocess.run(command, cwd=checkout, env=environment, check=False)


class Executions:
    """The tests that run a line, by the measurement in ``folder``, which keeps sets of lines as bits of numbers."""

    def __init__(self, folder: Path, checkout: Path) -> None:
        self.checkout = checkout
        self.lines_of_test: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.line_count: Counter[str] = Counter()
        failed = folder / "cache/v/cache/lastfailed"
        failures = json.loads(failed.read_text(encoding="utf-8")) if failed.exists() else {}
        with sqlite3.connect(folder / "lines") as connection:
            for file, context, packed in connection.execute(ROWS):
                test = context.partition("|")[0]  # |setup, |run and |teardown
                if test and test not in failures:
                    lines = int.from_bytes(packed, "little")
                    self.lines_of_test[file][test] |= lines
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
