"""The clock cannot be trusted: it jumps within jobs, and files carry times of the past and of the future."""

import os
import random
import re
import shutil
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from tests.faults.conftest import Reference
from tests.faults.identical import differences
from tests.faults.runs import TARGETS, new_folder, snakemake
from tests.forks.client import Server

DAY = 86_400.0
YEARS = 365 * DAY


def test_jobs_under_a_clock_that_jumps_have_the_same_results(
    reference: Reference, server: Server, tmp_path: Path, injected: Counter[str]
) -> None:
    """Every second look at the time of day is days off, and files get times of other years."""
    folder = new_folder(tmp_path, "run")
    done = snakemake(folder, server, "--", *TARGETS, clock=30 * DAY)
    assert done.returncode == 0, done.stdout
    assert not differences(reference.folder, folder)
    for path in folder.glob("results/small/demo/experiments/*/seed1/metrics.csv"):
        metrics = pd.read_csv(path)
        assert (metrics["seconds"].diff().dropna() >= 0).all() and (metrics["seconds"] < DAY).all()
        assert (metrics["tokens_per_second"] >= 0).all()
    injected["jobs under a clock that jumps"] += len(reference.jobs)


@pytest.mark.parametrize("past", [True, False])
def test_files_of_other_years_are_not_made_again(
    reference: Reference, server: Server, tmp_path: Path, injected: Counter[str], past: bool
) -> None:
    """Snakemake compares times first; that those of files are nonsense must neither lose a result nor make one up."""
    draw = random.Random(11)
    copy = Path(shutil.copytree(reference.folder, tmp_path / "run", symlinks=True))
    now = (copy / "results/small/scores.tsv").stat().st_mtime
    times = {
        path: now + (-1 if past else 1) * draw.uniform(1, 10) * YEARS for path in sorted(copy.glob("results/**/*"))
    }
    if not past:
        # Snakemake refuses what it makes today from files of the future. So the page is newer than the folder that it
        # reads, and so is its benchmark, which counts as an output.
        small = copy / "results/small"
        newest = max(when for path, when in times.items() if path.is_relative_to(small / "documents"))
        times |= dict.fromkeys((small / "report.html", small / "benchmarks/report_page.tsv"), newest + DAY)
    for path, when in times.items():
        os.utime(path, (when, when))
        injected["files of other years"] += path.is_file()
    done = snakemake(copy, server, "--", *TARGETS)
    assert done.returncode == 0, done.stdout
    ran = set(re.findall(r"^Finished jobid: \d+ \(Rule: (\w+)\)", done.stdout, re.MULTILINE))
    assert ran or "Nothing to be done" in done.stdout
    # The page reads a folder, and folders count by their times (docs/how-to/reruns.md); targets have no files.
    assert ran <= {"report_page", *TARGETS}
    assert not differences(reference.folder, copy)
