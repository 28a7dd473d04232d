"""Speed of training and decoding in one table: each workload against a reference, in alternating rounds.

    python -m benchmarks.table                       # all rows; make benchmark does the same
    python -m benchmarks.table waves --quick         # one row, two rounds
    python -m benchmarks.table --of CHECKOUT         # another checkout of the project computes the workloads
    python -m benchmarks.table --against CHECKOUT    # another checkout of the project is the reference of every row
    python -m benchmarks.table --eole PYTHON         # also the rows against eole, which this Python has

Both run in processes of their own and take turns, round by round. Times are CPU-seconds, the ratio is the median over
the rounds of the reference's time / the workload's, so above 1 the workload is faster. An environment for eole is that
of the project with two packages more: ``pip install --no-deps eole==0.6.4 pyonmttok==1.38.1``.
"""

import contextlib
import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.rounds import alternate
from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.workflow_scripts.command import arguments, run

SCRIPT = ROOT / "benchmarks" / "workload.py"


@dataclass(frozen=True)
class Contender:
    """A workload of :mod:`benchmarks.workload`, its precision, and the symbols of its shortlist (0: all)."""

    workload: str
    precision: str = "fp32"
    symbols: int = 0

    @property
    def by_eole(self) -> bool:
        """Whether it runs in an environment with eole."""
        return "eole" in self.workload

    @property
    def by_torch(self) -> bool:
        """Whether it is that of torch alone."""
        return self.workload in ("torch-training", "flat-training")


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    meaning: str
    unit: str
    timed: Contender
    reference: Contender | None
    """None if only another checkout is a reference."""
    against: str = ""
    comparable: bool = True
    """Whether both translate the same text with the same network."""


def decoding(workload: str, meaning: str, symbols: int = 0) -> dict[str, Row]:
    """The rows of translation in both precisions, also with a shortlist of so many ``symbols``."""
    exact, rounded = Contender(workload), Contender(workload, "int8")
    rows = {
        workload: Row(meaning, "sentences", exact, None),
        f"{workload}-int8": Row(f"{meaning}, int8", "sentences", rounded, exact, "fp32"),
    }
    if symbols:
        for name, row in list(rows.items()):
            timed = dataclasses.replace(row.timed, symbols=symbols)
            meaning = f"{row.meaning}, {symbols} symbols"
            rows[f"{name}-shortlist"] = Row(meaning, row.unit, timed, exact, "fp32, all symbols")
    return rows


def training(workload: str, meaning: str, reference: str, program: str) -> dict[str, Row]:
    """The rows of training in both precisions against the same by another ``program`` in fp32."""
    contenders = {"": Contender(workload), "-bf16": Contender(workload, "bf16")}
    return {
        workload + ending: Row(
            meaning + (", bf16" if ending else ""), "target tokens", contender, Contender(reference), program
        )
        for ending, contender in contenders.items()
    }


def beside_ctranslate2(count: int) -> dict[str, Row]:
    """The rows of ``count`` sentences in both precisions, by both engines, against CTranslate2 itself."""
    rows: dict[str, Row] = {}
    for precision, ending in (("fp32", ""), ("int8", "-int8")):
        for workload, engine in ((f"{count}-of-manuals", "own"), (f"{count}-by-engine", "ctranslate2")):
            rows[f"{workload}{ending}-beside-ctranslate2"] = Row(
                f"translation of {count} sentences of manuals, engine {engine}, {precision}",
                "sentences",
                Contender(workload, precision),
                Contender(f"{count}-by-ctranslate2", precision),
                f"CTranslate2, {precision}",
            )
    return rows


ROWS = {
    **training("sentence-training", "training, sentence model", "torch-training", "torch.nn.Transformer, fp32"),
    **training("concat-training", "training, concat", "flat-training", "torch.nn.Transformer, fp32"),
    **training("rst-training", "training, RST-Transformer", "flat-training", "torch.nn.Transformer, fp32"),
    # Shortlists of as many symbols as batches of TED talks have with N = 20: docs/notebook/measurements/decoding.md.
    **decoding("8-sentences", "translation of 8 sentences", 1600),
    **decoding("64-sentences", "translation of 64 sentences", 3700),
    **beside_ctranslate2(8),
    **beside_ctranslate2(64),
    "sentence-training-by-eole": Row(
        "training, sentence model",
        "target tokens",
        Contender("sentence-training"),
        Contender("eole-training"),
        "eole, fp32",
    ),
    "sentence-training-bf16-by-eole": Row(
        "training, sentence model, bf16",
        "target tokens",
        Contender("sentence-training", "bf16"),
        Contender("eole-training", "bf16"),
        "eole, bf16",
    ),
    **{
        f"{count}-sentences-by-eole": Row(
            f"translation of {count} sentences",
            "sentences",
            Contender(f"{count}-sentences"),
            Contender(f"{count}-by-eole"),
            "eole, fp32",
            comparable=False,
        )
        for count in (8, 64)
    },
    **{
        f"{workload}-beside-ctranslate2": Row(
            meaning,
            "sentences",
            Contender(workload),
            Contender("flat-by-ctranslate2"),
            "as many subwords as one sentence by CTranslate2, fp32",
            comparable=False,
        )
        for workload, meaning in (
            ("sequence", "translation of a document as one sequence, concat"),
            ("rst-sequence", "translation of a document as one sequence, RST-Transformer"),
            ("waves", "translation of a document in waves, RST-Transformer"),
        )
    },
    **decoding("sequence", "translation of a document as one sequence, concat"),
    **decoding("rst-sequence", "translation of a document as one sequence, RST-Transformer"),
    **decoding("waves", "translation of a document in waves, RST-Transformer"),
}
COLUMNS = ["what", "against", "ratio", "units per CPU-second", "rounds", "load", "results", "command"]


def environment_of_jobs(checkout: Path) -> dict[str, str]:
    """What the workflow of a checkout tells the C library of its jobs; old versions say nothing."""
    stated = re.search('^MEMORY = "(.*)"', (checkout / "rules/common.smk").read_text(encoding="utf-8"), re.MULTILINE)
    return {"GLIBC_TUNABLES": stated[1]} if stated else {}


class Process:
    """A process that computes rounds of a contender with the code of a checkout, by ``python`` if it is eole's."""

    def __init__(self, contender: Contender, checkout: Path, threads: int, python: str = sys.executable) -> None:
        numbers = [str(contender.symbols), str(threads)]
        program = python if contender.by_eole else sys.executable
        command = [program, str(SCRIPT), contender.workload, contender.precision, *numbers]
        environment = {**os.environ, "PYTHONPATH": str(checkout), "OMP_NUM_THREADS": str(threads)}
        if not contender.by_torch:
            environment |= environment_of_jobs(checkout)
        self.process = subprocess.Popen(
            command, cwd=checkout, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        package = self._answer()
        if checkout not in Path(package).resolve().parents:
            raise InputError(
                f"the package that runs is {package}", file=checkout, remedy="give a checkout of the project"
            )

    def _answer(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise InputError("a workload ended early", remedy="its message is above; is the checkout too old for it?")
        return line.strip()

    def compute(self, _: int) -> dict[str, Any]:
        """One round: CPU-seconds, units of work and the digest of the results."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._answer())
        return answer

    def end(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@contextlib.contextmanager
def started(contender: Contender, checkout: Path, threads: int, python: str) -> Iterator[Process]:
    """The process of a contender, which ends in any case."""
    process = Process(contender, checkout, threads, python)
    try:
        yield process
    finally:
        process.end()


def measured(
    row: Row, of: Path, against: Path | None, count: int, threads: int, python: str = sys.executable
) -> tuple[list[str], str]:
    """The cells of a row without its command, and the line on the machine; eole is run by ``python``.

    The checkout ``of`` computes the workload, and ``against`` its reference, if not None.
    """
    reference = row.reference or row.timed
    if against is not None:
        reference = Contender(row.timed.workload)
    with (
        started(row.timed, of, threads, python) as own,
        started(reference, ROOT if against is None else against, threads, python) as other,
    ):
        contenders = {"timed": own.compute, "reference": other.compute}
        rounds = alternate(contenders, list(range(count)), warm_up=0, seconds_of=lambda answer: answer["seconds"])
    answers = rounds.results["timed"]
    rate = sum(answer["units"] for answer in answers) / rounds.total("timed")
    digests = [[answer["digest"] for answer in rounds.results[name]] for name in contenders]
    translated = row.unit == "sentences" and (row.comparable or against is not None)
    cells = [
        row.meaning,
        row.against if against is None else f"{against.name}, fp32",
        f"{rounds.ratio('timed', 'reference'):.2f}",
        f"{rate:.1f} {row.unit}",
        str(count),
        f"{rounds.load[0]:.1f} to {rounds.load[1]:.1f}",
        ("equal" if digests[0] == digests[1] else "differ") if translated else "",
    ]
    return cells, rounds.conditions


def checkout_at(path: Path) -> Path:
    """The whole path of a checkout of the project."""
    checkout = path.resolve()
    if not (checkout / "discourse_nmt" / "__init__.py").exists():
        raise InputError("not a checkout of the project", file=checkout)
    return checkout


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("names", nargs="*", help=f"rows to measure, of {', '.join(ROWS)}")
    parser.add_argument("--of", type=Path, metavar="CHECKOUT", help="checkout that computes the workload of every row")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="checkout that is the reference of every row")
    parser.add_argument("--eole", metavar="PYTHON", help="Python of an environment with this project and eole 0.6.4")
    parser.add_argument("--rounds", type=int, default=7, help="rounds of each row")
    parser.add_argument("--quick", action="store_true", help="two rounds")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads of a process")
    options = parser.parse_args()
    for name in options.names:
        if name not in ROWS:
            raise InputError(f"no benchmark {name}", remedy=nearest(name, ROWS))
    of, against = (path and checkout_at(path) for path in (options.of, options.against))
    names = options.names or [
        name
        for name, row in ROWS.items()
        if (row.reference or against) and (options.eole or not (row.reference and row.reference.by_eole))
    ]
    count, conditions = 2 if options.quick else options.rounds, ""
    print(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}", flush=True)
    for name in names:
        if ROWS[name].reference is None and against is None:
            raise InputError(f"{name} has no reference in this checkout", remedy="give --against CHECKOUT")
        reference = ROWS[name].reference
        if against is None and reference and reference.by_eole and not options.eole:
            raise InputError(f"{name} is measured against eole", remedy="give --eole PYTHON")
        python = options.eole or sys.executable
        cells, conditions = measured(ROWS[name], of or ROOT, against, count, options.threads, python)
        others = "".join(f" --{side} CHECKOUT" for side, path in (("of", of), ("against", against)) if path)
        command = f"`python -m benchmarks.table {name}{others}`"
        print(f"| {' | '.join([*cells, command])} |", flush=True)
    print(f"\n{conditions}")


if __name__ == "__main__":
    run(main)
