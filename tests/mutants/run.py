"""Make every fault of the list in a copy of the checkout, one at a time, and print those that no test catches.

Run it in the checkout: python -m tests.mutants.run. Words after it choose the faults whose names or files hold one of
them. Libraries are loaded once: the tests of each fault run in a fork, which loads the project from the copy.
"""

import argparse
import compileall
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.mutants.faults import Fault, faults

LIBRARIES = (
    "hypothesis",
    "lightning_fabric",
    "pandas",
    "pyarrow.compute",
    "sacrebleu",
    "snakemake.api",
    "torch",
    "yaml",
)
OWN = ("discourse_nmt", "tests")


def load_libraries() -> None:
    """Import once, in this process, for the forks to come."""
    for name in LIBRARIES:
        importlib.import_module(name)


def copied(folder: Path) -> Path:
    """A copy of the files of the checkout that Git knows or would add, in ``folder``, compiled."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    for package in OWN:
        compileall.compile_dir(folder / package, quiet=1)
    return folder


def tested(checkout: Path, tests: Iterable[str], seconds: float = 0) -> tuple[int, str]:
    """Pytest's exit code and output for some ``tests`` in a copy, up to the first failure.

    After so many CPU-``seconds``, or ten times as long by the clock, the tests are killed, and the code is that of the
    signal, negative; 0 sets no limit.
    """
    with tempfile.TemporaryFile("w+") as output:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            for descriptor in (1, 2):
                os.dup2(output.fileno(), descriptor)
            code = int(pytest.ExitCode.INTERNAL_ERROR)
            os.setpgid(0, 0)
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, 10 * seconds)
            try:
                code = _run(checkout, tests)
            finally:
                os._exit(code)  # in any case before the copy is removed
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # what the tests have begun and left
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read()


def _run(checkout: Path, tests: Iterable[str]) -> int:
    """The tests, in this process, with the project as it is in the copy."""
    for name in [name for name in sys.modules if name.split(".")[0] in OWN]:
        del sys.modules[name]
    os.chdir(checkout)
    os.environ["PYTHONPATH"] = str(checkout)
    sys.path.insert(0, str(checkout))
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    code = pytest.main(["-q", "-x", "-p", "no:cacheprovider", "--rootdir", str(checkout), *tests])
    sys.stdout.flush()
    imported = Path(importlib.import_module("discourse_nmt").__file__ or "")  # not every test imports it
    return int(code) if imported.is_relative_to(checkout) else int(pytest.ExitCode.INTERNAL_ERROR)


@contextmanager
def made(checkout: Path, fault: Fault) -> Iterator[None]:
    """The copy with a ``fault``; afterwards it is as before."""
    path = checkout / fault.file
    whole, changed = path.read_text(encoding="utf-8"), path.stat().st_mtime_ns
    try:
        path.write_text(fault.made_in(whole), encoding="utf-8")
        yield
    finally:
        path.write_text(whole, encoding="utf-8")
        os.utime(path, ns=(changed, changed))  # what is compiled is as old


def caught(checkout: Path, fault: Fault) -> bool:
    """Whether the tests of a ``fault`` fail with it."""
    with made(checkout, fault):
        code, output = tested(checkout, fault.tests)
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit(f"error: {fault.name}: pytest ended with {code}\n{output}")
    return code == pytest.ExitCode.TESTS_FAILED


def main() -> None:
    """Check that the named tests pass, then make one fault after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of names or files of faults; without any, all are made")
    words = parser.parse_args().words
    chosen = [fault for fault in faults() if not words or any(word in fault.name + fault.file for word in words)]
    if not chosen:
        parser.error(f"no fault has {' or '.join(words)} in its name or file")
    load_libraries()
    with tempfile.TemporaryDirectory() as folder:
        checkout = copied(Path(folder).resolve())
        code, output = tested(checkout, sorted({test for fault in chosen for test in fault.tests}))
        if code:
            sys.exit(f"error: the tests fail without a fault\n{output}")
        survivors = []
        for number, fault in enumerate(chosen, 1):
            found = caught(checkout, fault)
            print(f"{number}/{len(chosen)} {'caught' if found else 'SURVIVED'}: {fault.name}", flush=True)
            survivors += [] if found else [fault]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} faults are caught; survivors: {len(survivors) or 'none'}")
    for fault in survivors:
        print(f"  {fault.file}: {fault.name} ({' '.join(fault.tests)})")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
