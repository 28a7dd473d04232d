"""Planning of a corpus of 200 million sentence pairs that is not there: jobs, time and memory.

Four systems of base size, one of which reads drafts of the training split, are planned with all their annotation, up to
scores and report, once and with 20 experiments of 3 seeds. Files stand for the corpus that have its size and take no
room. Prints the jobs, seconds on the clock, CPU-seconds and peak memory of ``discourse-nmt plan``, and its table.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.workflow.dry_run import EXPERIMENTS, ROOT, write

PAIRS = 200_000_000
FEW = {
    "sentence": {"system": "transformer"},
    "concat": {"system": "concat", "initialised_from": "sentence"},
    "mix": {"system": "rst_transformer", "initialised_from": "sentence"},
    "graph": {"system": "document_graph", "initialised_from": "sentence"},
}


def large(experiments: dict[str, dict[str, Any]], seeds: int) -> dict[str, Any]:
    """The configuration."""
    sides = {"train": "data/web/*", "dev": "data/dev", "test": "data/test"}
    return {
        "run": "large",
        "corpora": {
            "web": {
                "source_language": "en",
                "target_language": "de",
                "format": "file_pairs",
                "splits": {
                    split: {"source": [f"{name}.en"], "target": [f"{name}.de"]} for split, name in sides.items()
                },
                "text": {"bpe": {"merges": 32000}},
            }
        },
        "analyses": {"builtin": {}},
        "document_metrics": {"analysis": "builtin"},
        "significance": {"baseline": "sentence"},
        "model": {"encoder_layers": 6, "decoder_layers": 6, "width": 512, "feed_forward_width": 2048, "heads": 8},
        "training": {"batch_tokens": 4096, "accumulation": 8, "max_updates": 100_000},
        "hardware": {"gpus": 0},
        "experiments": {
            name: {**experiment, "seeds": list(range(1, seeds + 1))} for name, experiment in experiments.items()
        },
    }


def planned(config: dict[str, Any], pairs: int, folder: Path) -> tuple[list[str], float, float, int]:
    """The lines of ``discourse-nmt plan``, its seconds, its CPU-seconds and its peak memory in MB."""
    write(config, folder / "large.yaml")
    command = [sys.executable, "-m", "discourse_nmt", "plan", "--configfile", "large.yaml", "--pairs", f"web={pairs}"]
    start = time.perf_counter()
    with (folder / "output").open("w+", encoding="utf-8") as output:
        process = subprocess.Popen(
            [*command, "--", "score", "report"],
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        output.seek(0)
        lines = output.read().splitlines()
    if status:
        raise SystemExit("\n".join(lines))
    return lines, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def jobs(lines: list[str]) -> int:
    """The number of all jobs in the table."""
    (total,) = (match[1] for line in lines if (match := re.match(r"all +([\d,]+) ", line)))
    return int(total.replace(",", ""))


def main() -> None:
    """Plan and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="training pairs")
    given = parser.parse_args()
    for experiments, seeds in ((FEW, 1), (EXPERIMENTS, 3)):
        with tempfile.TemporaryDirectory() as folder:
            lines, seconds, cpu, memory = planned(large(experiments, seeds), given.pairs, Path(folder))
        print("\n".join(lines))
        print(f"{jobs(lines):,} jobs, {seconds:.1f} seconds, {cpu:.1f} CPU-seconds, {memory} MB\n", flush=True)


if __name__ == "__main__":
    main()
