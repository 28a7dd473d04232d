"""CPU time of Snakemake itself while jobs wait for a core, with and without :func:`.sleep_between_jobs`.

A workflow of many jobs that take no time is followed by some that sleep, more than there are cores, so that one always
waits. Prints for both the CPU-seconds that the main process takes while these sleep, per second on the clock, and its
threads.

    python -m benchmarks.workflow.waiting_jobs
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from discourse_nmt.workflow_scripts.command import run

SNAKEFILE = """
from discourse_nmt.workflow.scheduling import sleep_between_jobs
onstart:
    if {sleeping}:
        sleep_between_jobs(workflow.scheduler)
rule all:
    input: [f"{{number}}.long" for number in range({waiting})]
rule quick:
    output: "{{number}}.quick"
    shell: "touch {{output}}"
rule long:
    input: [f"{{number}}.quick" for number in range({quick})]
    output: "{{number}}.long"
    shell: "sleep {seconds}; touch {{output}}"
"""


def measured(sleeping: bool, options: argparse.Namespace, folder: Path) -> tuple[float, int]:
    """CPU-seconds of the main process per second while the long jobs run, and its threads."""
    sizes = {"quick": options.jobs, "seconds": options.seconds, "waiting": options.cores + 1}
    (folder / "Snakefile").write_text(SNAKEFILE.format(sleeping=sleeping, **sizes), encoding="utf-8")
    command = [sys.executable, "-m", "snakemake", "--cores", str(options.cores), "--quiet", "all"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
        main = psutil.Process(started.pid)
        while len(list(folder.glob("*.quick"))) < options.jobs:
            if started.poll() is not None:
                raise SystemExit("Snakemake ended too soon")
            time.sleep(0.1)
        time.sleep(1)
        before, begin = sum(main.cpu_times()[:2]), time.monotonic()
        time.sleep(options.seconds / 2)
        share = (sum(main.cpu_times()[:2]) - before) / (time.monotonic() - begin)
        threads = main.num_threads()
    return share, threads


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=150, help="jobs that end before the long ones")
    parser.add_argument("--seconds", type=int, default=20, help="seconds that a long job sleeps")
    parser.add_argument("--cores", type=int, default=2, help="cores of Snakemake")
    options = parser.parse_args()
    for name, sleeping in (("as Snakemake does", False), ("sleeping between jobs", True)):
        with tempfile.TemporaryDirectory() as folder:
            share, threads = measured(sleeping, options, Path(folder))
        print(f"{name}: {share:.3f} CPU-seconds a second, {threads} threads", flush=True)


if __name__ == "__main__":
    run(main)
