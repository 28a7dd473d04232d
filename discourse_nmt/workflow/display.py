"""Run the workflow with a short display: a line for each rule and each long job; all else goes to a log file.

``python -m discourse_nmt.workflow.display --log FILE -- ARGUMENTS`` runs ``snakemake ARGUMENTS``. The log file holds
the output of Snakemake and of all jobs. Warnings and errors are also shown, in full. In a terminal the last line tells
the jobs that run now and how far they are; elsewhere a line does so every minute, without control characters.
"""

import argparse
import logging
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TextIO

from snakemake import cli
from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.configuration_files import read_configuration
from discourse_nmt.workflow.reruns.why import place

NAME = "display"  # among Snakemake's logger plugins
LONG = 10.0  # seconds from which a job has a line of its own
REFRESH, HEARTBEAT = 1.0, 60.0  # seconds between two looks at the running jobs, in a terminal and elsewhere
WIDTH = 100  # characters of the live line
TAIL = 4000  # bytes of a job's log in which its last line is looked for
SHOWN = ("Nothing to be done",)  # beginnings of messages that are shown beside warnings and errors
ERASE = "\r\x1b[K"


class RunningJob(NamedTuple):
    """A job that runs: its rule, its wildcards in words, its log file, if it has one, and the time of its start."""

    rule: str
    place: str
    log: Path | None
    start: float

    def told(self, shortened: Callable[[str], str] = str) -> str:
        """The job with the last line of its log, ``shortened``."""
        words = f"{self.rule} {self.place}".rstrip()
        return f"{words}: {shortened(line)}" if self.log and (line := last_line(self.log)) else words


class Display:
    """Writes the lines about a run to ``stream``; ``live`` keeps a line about the running jobs at the end."""

    def __init__(self, stream: TextIO, *, live: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self.stream, self.live, self.clock = stream, live, clock
        self.start = clock()
        self.planned: Mapping[str, int] = {}  # jobs by rule
        self.total = 0  # jobs of all rules, which an import may change
        self.running: dict[int, RunningJob] = {}
        self.finished: Counter[str] = Counter()
        self.untold: dict[str, list[tuple[RunningJob, float]]] = {}  # short jobs and their seconds, by rule
        self.failed = False
        self.lock = threading.RLock()  # Snakemake's log and the clock write from two threads

    def handle(self, record: Any, text: str) -> None:
        """Show a record of Snakemake's log, where it is worth a line; ``text`` is the record as Snakemake prints it."""
        with self.lock:
            match getattr(record, "event", None):
                case LogEvent.RUN_INFO:
                    self.planned, self.total = record.stats, record.stats["total"]
                    self.show(f"{self.total} jobs")
                case LogEvent.PROGRESS:
                    self.total = record.total
                case LogEvent.JOB_INFO:
                    log = Path(record.log[0]) if record.log else None
                    job = RunningJob(record.rule_name, place(record.wildcards), log, self.clock())
                    self.running[record.jobid] = job
                case LogEvent.JOB_FINISHED if record.job_id in self.running:
                    self._finish(self.running.pop(record.job_id))
                case _ if record.levelno >= logging.WARNING or text.startswith(SHOWN):
                    self.failed |= record.levelno >= logging.ERROR
                    self.show(text)

    def _finish(self, job: RunningJob) -> None:
        self.finished[job.rule] += 1
        seconds = self.clock() - job.start
        if job.log is None:  # a target, which does nothing
            return
        if seconds >= LONG:
            self._tell(job.rule, job.place, seconds)
        else:
            self.untold.setdefault(job.rule, []).append((job, seconds))
        if self.finished[job.rule] == self.planned.get(job.rule):
            self._tell_short(job.rule)

    def _tell_short(self, rule: str) -> None:
        if jobs := self.untold.pop(rule, []):
            words = jobs[0][0].place if len(jobs) == 1 else f"{len(jobs)} jobs"
            self._tell(rule, words, sum(seconds for _, seconds in jobs))

    def _tell(self, rule: str, words: str, seconds: float) -> None:
        self.show(f"{self._time()}  {rule:<32}{words:<40}{seconds:7.1f} s")

    def _time(self) -> str:
        minutes, seconds = divmod(int(self.clock() - self.start), 60)
        return f"{minutes:3d}:{seconds:02d}"

    def status(self, shortened: Callable[[str], str] = str) -> str:
        """The number of finished jobs, and the running ones with the last line of their logs, ``shortened``."""
        jobs = "; ".join(job.told(shortened) for job in self.running.values())
        return f"{self._time()}  {self.finished.total()} of {self.total} jobs; now {jobs}"

    def tick(self) -> None:
        """Tell what runs now, on the live line or on one of its own."""
        with self.lock:
            if self.running and self.live:
                self._write(ERASE + self.status(update_and_time)[:WIDTH])
            elif self.running:
                self.show(self.status())

    def show(self, text: str) -> None:
        """Write lines; they take the place of the live line."""
        with self.lock:
            self._write((ERASE if self.live else "") + text.rstrip() + "\n")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Call :meth:`tick` regularly, from a thread of its own."""
        ended = threading.Event()

        def tick() -> None:
            while not ended.wait(REFRESH if self.live else HEARTBEAT):
                self.tick()

        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            # An import may find that some jobs of a rule need not run.
            for rule in list(self.untold):
                self._tell_short(rule)


def update_and_time(line: str) -> str:
    """The beginning and the end of a training's line, ``update 9, 0:33:11 left``; any other line as it is."""
    first, *_, last = line.split(", ") if ", " in line else (line, "")
    return f"{first}, {last}" if last.endswith(" left") else line


def last_line(path: Path) -> str:
    """The last line of a log that is not empty; progress bars end their lines with carriage returns."""
    try:
        with path.open("rb") as handle:
            handle.seek(max(0, path.stat().st_size - TAIL))
            text = handle.read().decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
    lines = [line.strip() for line in text.replace("\r", "\n").split("\n") if line.strip()]
    return lines[-1] if lines else ""


def plugin(display: Display) -> ModuleType:
    """A logger plugin of Snakemake's that gives each record to ``display``."""

    class LogHandler(LogHandlerBase):
        """Hands records on; Snakemake's own handler goes on writing to standard error."""

        writes_to_stream = writes_to_file = has_filter = has_formatter = needs_rulegraph = False

        def emit(self, record: logging.LogRecord) -> None:
            display.handle(record, self.format(record))

    module = ModuleType(NAME)
    module.LogHandler = LogHandler  # type: ignore[attr-defined]
    return module


def run_snakemake(words: Sequence[str], display: Display) -> int:
    """Run Snakemake with the arguments ``words`` and a display of its events; the exit status."""
    LoggerPluginRegistry().register_plugin(NAME, plugin(display))
    with display.ticking():
        try:
            for file in cli.get_argument_parser().parse_known_args(words)[0].configfile:
                read_configuration(file)  # Snakemake's own message has no line
            cli.main([f"--logger={NAME}", *words])
        except InputError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        except SystemExit as end:
            return end.code if isinstance(end.code, int) else 1
    return 0


def main() -> None:
    """Send all output to the log file but for the display, run Snakemake, tell the log file."""
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path, required=True, help="file for the output of Snakemake and of all jobs")
    options = parser.parse_args(sys.argv[1:at])
    options.log.parent.mkdir(parents=True, exist_ok=True)
    terminal = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8", errors="replace")
    with options.log.open("wb") as log:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(log.fileno(), stream.fileno())
    display = Display(terminal, live=terminal.isatty())
    display.show(f"All output: {options.log}")
    status = run_snakemake(sys.argv[at + 1 :], display)
    if status and not display.failed:
        display.show(options.log.read_text(encoding="utf-8", errors="replace"))
    sys.exit(status)


if __name__ == "__main__":
    main()
