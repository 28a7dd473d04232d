"""Facts of the report's headline: when, by which code and on which machine it was made, what the run cost, and the
shards in which an analyser found nothing."""

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from discourse_nmt import ROOT, __version__
from discourse_nmt.base.storage.shard_files import rows_of_shards

# What the tables hold in which a document may have no row; if all of a shard have none, the analyser may be broken.
FOUND = {"coreference": "chains", "themes": "themes"}


def facts(benchmarks: pd.DataFrame) -> list[str]:
    """Sentences for the reader; ``benchmarks`` is as in :func:`.stage_costs`."""
    now = datetime.now(UTC)
    made = f"Report made on {now.day} {now:%B %Y} by discourse-nmt {__version__}{commit()}, on {machine()}."
    if benchmarks.empty:
        return [made]
    wall, cpu = benchmarks["seconds"].sum(), benchmarks["cpu"].sum()
    return [made, f"Cost: {len(benchmarks)} jobs, {duration(wall)} one after the other, {duration(cpu)} of CPU."]


def empty_shards(results: str | Path) -> list[str]:
    """A sentence for each analysis of a split with shards in which no document has a row.

    ``results`` is the folder of the run, with CORPUS/discourse/ANALYSIS/SIDE/TABLE/SPLIT/SHARD.parquet.
    """
    places: dict[tuple[str, ...], list[bool]] = {}  # of each shard whether it has no row
    for path in sorted(Path(results).glob("*/discourse/*/*/*/*/*.parquet")):
        corpus, _, analysis, side, table, split, _ = path.relative_to(results).parts
        if table in FOUND:
            empty = [rows == 0 for rows in rows_of_shards(path)]
            places.setdefault((analysis, FOUND[table], f"{corpus}/{split}, {side}"), []).extend(empty)
    return [
        f"The analysis {analysis} finds no {found} in {sum(empty)} of {len(empty)} shards of {place}."
        for (analysis, found, place), empty in places.items()
        if any(empty)
    ]


def commit() -> str:
    """The commit of the checkout, with a plus if files differ from it; empty outside of one."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=7", "--exclude=*", "--dirty=+"]
    try:
        result = subprocess.run(words, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    name = result.stdout.strip()
    inside = result.returncode == 0 and (ROOT / ".git").exists()
    return f", commit {name}" if inside and re.fullmatch(r"[0-9a-f]{7,40}\+?", name) else ""


def machine() -> str:
    """Processor, cores and memory."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{cores} core{'s' if cores != 1 else ''} of {processor()} with {memory:.0f} GiB of memory"


def processor() -> str:
    """The name of the processor; its architecture where the system does not tell."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8", errors="replace") if cpuinfo.is_file() else ""
    names = re.findall(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return names[0].strip() if names else platform.processor() or platform.machine()


def duration(seconds: float) -> str:
    """``45 s``, ``12 min`` or ``3.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
