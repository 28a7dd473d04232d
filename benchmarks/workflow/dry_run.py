"""Time and number of jobs when Snakemake plans a large comparison of systems.

The comparison has 3 corpora of 64 shards a split, with annotation of the source side, and 20 experiments with 3 seeds
each. Nothing is run. Prints jobs, seconds on the clock, CPU-seconds of Snakemake and its child processes, and peak
memory. With --write it only writes the configuration.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CORPORA, SEEDS, SHARDS, RUN = 3, 3, 64, "matrix"
CONTEXT: dict[str, Any] = {"initialised_from": "sentence"}
# Systems of every kind; annotation is that of the shipped analysers.
EXPERIMENTS: dict[str, dict[str, Any]] = {
    "sentence": {"system": "transformer"},
    "sentence_small": {"system": "transformer", "settings": {"encoder_layers": 1}},
    "concat": {"system": "concat", **CONTEXT},
    "concat_sharp": {"system": "concat", **CONTEXT, "training": {"label_smoothing": 0.0}},
    "g_transformer": {"system": "g_transformer", **CONTEXT},
    "flat": {"system": "flat_transformer", **CONTEXT},
    "hybrid": {"system": "hybrid_context", **CONTEXT},
    "rst_mix": {"system": "rst_transformer", **CONTEXT},
    "rst_tree_free": {
        "system": "rst_transformer",
        **CONTEXT,
        "settings": {"drop_rst": 0.5},
        "decoding": {"use_tree": False},
    },
    "rst_one_layer": {"system": "rst_transformer", **CONTEXT, "settings": {"rst_layers": 1}},
    "selective": {"system": "selective", **CONTEXT},
    "han": {"system": "han", **CONTEXT},
    "doc_transformer": {"system": "doc_transformer", **CONTEXT},
    "cache": {"system": "continuous_cache", **CONTEXT},
    "multitask": {"system": "multitask", **CONTEXT},
    "hm_gdc": {"system": "hm_gdc", **CONTEXT},
    "graph": {"system": "document_graph", **CONTEXT, "settings": {"target_graph": "none"}},
    "graph_adjacency": {
        "system": "document_graph",
        **CONTEXT,
        "settings": {"target_graph": "none", "relations": ["adjacency"]},
    },
    "concat_slow": {"system": "concat", **CONTEXT, "training": {"learning_rate": 0.0005}},
    "han_slow": {"system": "han", **CONTEXT, "training": {"learning_rate": 0.0005}},
}


def matrix(shards: int = SHARDS) -> dict[str, Any]:
    """The configuration; all corpora are the demo's, so that no file is needed."""
    splits = {split: {"files": [f"results/{RUN}/generated/{split}.tsv"]} for split in ("train", "dev", "test")}
    corpus = {"source_language": "en", "target_language": "de", "format": "table", "shards": shards, "splits": splits}
    seeds = list(range(1, SEEDS + 1))
    return {
        "run": RUN,
        "corpora": {f"corpus{number}": corpus for number in range(1, CORPORA + 1)},
        "analyses": {
            "builtin": {
                "tables": ["syntax", "edus", "rst", "rst_dependencies", "coreference", "themes", "document_graph"]
            }
        },
        "significance": {"baseline": "sentence"},
        "document_metrics": {"analysis": "builtin"},
        "experiments": {name: {**experiment, "seeds": seeds} for name, experiment in EXPERIMENTS.items()},
    }


class Dumper(yaml.SafeDumper):
    """Writes repeated values in full, without aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        """Always."""
        return True


def write(config: dict[str, Any], path: Path) -> None:
    """Write a configuration as YAML."""
    path.write_text(yaml.dump(config, Dumper=Dumper, sort_keys=False), encoding="utf-8")


def dry_run(config: Path, folder: Path) -> str:
    """The output of a dry run in ``folder`` for scores, the report and all annotation."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "1", "--dry-run"]
    result = subprocess.run(
        [*command, "--quiet", "all", "--configfile", str(config), "--", "score", "report", "analyse"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise SystemExit(result.stdout + result.stderr)
    return result.stdout + result.stderr


def jobs(output: str) -> dict[str, int]:
    """Jobs by rule in the output of :func:`dry_run`, and the number of all jobs as ``total``."""
    return {name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", output, re.MULTILINE)}


def main() -> None:
    """Plan the comparison and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=SHARDS, help="shards of each split")
    parser.add_argument("--write", type=Path, help="write the configuration here, and plan nothing")
    given = parser.parse_args()
    config = matrix(given.shards)
    if given.write:
        write(config, given.write)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.yaml"
        write(config, path)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        output = dry_run(path, Path(folder))
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{jobs(output)['total']:,} jobs, {seconds:.1f} seconds, {cpu:.1f} CPU-seconds, {after.ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
