"""Draw random faults, make each of them in a copy of the checkout, and print those that no unit test catches.

Run it in the checkout: python -m tests.mutants.sample --seed 1 --faults 60. The first call measures the lines that
each test runs, which takes as long as all unit tests, and goes on where it was stopped. Faults are drawn evenly from
the kinds of tests.mutants.places. A red test is run again without the fault. Faults of equivalent.toml change nothing
that can be seen: they do not count.
"""

import argparse
import random
import re
import resource
import signal
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from tests.conftest import ROOT
from tests.mutants.executions import Executions, measure
from tests.mutants.faults import Fault
from tests.mutants.places import KINDS, Place, places
from tests.mutants.run import copied, load_libraries, made, tested

EQUIVALENT = Path(__file__).parent / "equivalent.toml"
FIRST = 5  # tests that are run together before ten times as many
RED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)


def drawn(seed: int) -> Iterator[Place]:
    """Places in random order, of each kind in turn, each once."""
    generator = random.Random(seed)
    shuffled = [generator.sample(found, len(found)) for found in places(ROOT).values()]
    for together in zip(*shuffled):
        yield from together


def cpu_seconds() -> float:
    """Of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def equivalents() -> list[Fault]:
    """The faults that are known to change nothing; their names are the reasons."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["fault"]
    return [Fault(entry["reason"], entry["file"], entry["old"], entry["new"], ()) for entry in entries]


class Trial:
    """Makes faults in a copy, each until a test is red, all tests that run its statement are green, or time is over."""

    def __init__(self, checkout: Path, executions: Executions, seconds: float) -> None:
        self.checkout, self.executions, self.seconds = checkout, executions, seconds
        self.sound: dict[str, bool] = {}

    def verdict(self, place: Place, fault: Fault) -> tuple[str, str]:
        """``caught``, ``SURVIVED`` or ``no verdict``, and the red test or the number of tests."""
        tests = [test for test in self.executions.tests(place) if self.sound.get(test, True)]
        left, begun, together = self.seconds, 0, FIRST
        while begun < len(tests):
            part = tests[begun : begun + together]
            before = cpu_seconds()
            with made(self.checkout, fault):
                code, output = tested(self.checkout, part, left)
            left -= cpu_seconds() - before
            if code in (-signal.SIGPROF, -signal.SIGALRM) or (left <= 0 and not code):
                return "no verdict", f"more than {self.seconds:.0f} CPU-seconds"
            if not code:
                begun, together = begun + together, together * 10
                continue
            red = match[1] if (match := RED.search(output)) else part[0]
            if self._is_sound(red):
                return "caught", red
            tests = [test for test in tests if test not in (red, red.partition("::")[0])]
        return "SURVIVED", f"{len(tests)} tests"

    def _is_sound(self, test: str) -> bool:
        """Whether a ``test`` is green without a fault."""
        if test not in self.sound:
            self.sound[test] = not tested(self.checkout, [test])[0]
        return self.sound[test]


def entry(fault: Fault) -> str:
    """The fault as an entry of faults.toml that is still without a name and tests."""
    quoted = [f"{name} = {_quoted(getattr(fault, name))}" for name in ("file", "old", "new")]
    return "\n".join(["[[fault]]", f"# {fault.name}", *quoted])


def _quoted(text: str) -> str:
    if "'" not in text and "\n" not in text:
        return f"'{text}'"
    return f"'''\n{text}'''" if "'''" not in text else repr(text)


def main() -> None:
    """Print the verdict on each fault, the survivors, and the rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--faults", type=int, default=60, help="how many")
    parser.add_argument("--seconds", type=float, default=90, help="of the processor, for one fault")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutants", help="keeps the measurement of lines")
    options = parser.parse_args()
    known_faults = {(one.file, one.old, one.new) for one in equivalents()}
    load_libraries()
    counts: Counter[tuple[str, str]] = Counter()
    survivors = []
    with tempfile.TemporaryDirectory() as folder:
        checkout = copied(Path(folder).resolve())
        measure(checkout, options.folder.resolve())
        trial = Trial(checkout, Executions(options.folder, checkout), options.seconds)
        for number, place in enumerate(islice(drawn(options.seed), options.faults), 1):
            fault = place.fault((ROOT / place.file).read_text(encoding="utf-8"))
            known = (fault.file, fault.old, fault.new) in known_faults
            verdict, reason = ("equivalent", EQUIVALENT.name) if known else trial.verdict(place, fault)
            print(f"{number}/{options.faults} {verdict}: {fault.file}, {fault.name} ({reason})", flush=True)
            counts[place.kind, verdict] += 1
            survivors += [fault] if verdict == "SURVIVED" else []
    print("", *map(entry, survivors), "", sep="\n")
    for kind in KINDS:
        print(f"{KINDS[kind]}: {counts[kind, 'caught']} caught, {counts[kind, 'SURVIVED']} survived")
    total = Counter({verdict: sum(counts[kind, verdict] for kind in KINDS) for _, verdict in counts})
    caught, judged = total["caught"], total["caught"] + total["SURVIVED"]
    others = f"without a verdict: {total['no verdict']}, equivalent: {total['equivalent']}"
    print(f"seed {options.seed}: {caught} of {judged} faults are caught ({caught / max(1, judged):.0%}); {others}")


if __name__ == "__main__":
    main()
