"""Make every fault of the list in a copy of the checkout, one at a time, and print those that no test catches.

Run it in the checkout: python -m tests.mutants.run. Words after it choose the faults whose names or files hold one of
them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.faults import Fault, faults

FAILED = 1  # pytest's exit code where tests ran and some failed


def copied(folder: Path) -> Path:
    """A copy of the files of the checkout that Git knows or would add, in ``folder``."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def tested(checkout: Path, tests: Iterable[str]) -> subprocess.CompletedProcess[str]:
    """The run of some ``tests`` in a copy, up to the first failure."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    return subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)


def caught(checkout: Path, fault: Fault) -> bool:
    """Whether the tests of a ``fault`` fail with it; the copy is as before afterwards."""
    path = checkout / fault.file
    whole = path.read_text(encoding="utf-8")
    try:
        path.write_text(fault.made_in(whole), encoding="utf-8")
        result = tested(checkout, fault.tests)
    finally:
        path.write_text(whole, encoding="utf-8")
    if result.returncode not in (0, FAILED):
        sys.exit(f"error: {fault.name}: pytest ended with {result.returncode}\n{result.stdout}{result.stderr}")
    return result.returncode == FAILED


def main() -> None:
    """Check that the named tests pass, then make one fault after the other."""
    chosen = [
        fault
        for fault in faults()
        if len(sys.argv) == 1 or any(word in fault.name + fault.file for word in sys.argv[1:])
    ]
    with tempfile.TemporaryDirectory() as folder:
        checkout = copied(Path(folder))
        every = sorted({test for fault in chosen for test in fault.tests})
        sound = tested(checkout, every)
        if sound.returncode:
            sys.exit(f"error: the tests fail without a fault\n{sound.stdout}{sound.stderr}")
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
