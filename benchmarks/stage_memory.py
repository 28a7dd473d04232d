"""Peak memory of the stages on a corpus and on one of a tenth of its size, both in shards of one size.

The corpus is made up: words of random letters whose frequencies follow Zipf's law, in documents of 50 sentences. Stages
that see the whole corpus run on all of it; those that take a file of shards run on the first, and what they make of the
others is taken to be the same, but for the ids; analysers run on some documents. A stage whose memory is bounded by the
size of a shard takes as much for the large corpus as for the small one.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from corpus.shard_files import read_shards, write_shards

DOCUMENT = 50  # sentences
WORDS, LETTERS = 50_000, "abcdefghijklmnopqrstuvwxyz"
SHARDS = 64  # of the large corpus; the small one has a tenth
MEASURED = """
import re, runpy, sys
from pathlib import Path
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""
ANALYSED = 20  # documents of the first file that the analysers see, whose memory depends on their models


def write_corpus(path: Path, count: int) -> None:
    """A table with document ids, source and target; sentences have 5 to 30 words."""
    dice, source = random.Random(1), np.random.default_rng(1)
    words = ["".join(dice.choices(LETTERS, k=dice.randint(2, 9))) for _ in range(WORDS)]
    weights = np.cumsum(1 / np.arange(1, WORDS + 1))
    with path.open("w", encoding="utf-8") as file:
        file.write("doc_id\tsource\ttarget\n")
        for document in range(count // DOCUMENT):
            ends = np.cumsum(source.integers(5, 31, 2 * DOCUMENT)).tolist()
            drawn = [words[place] for place in np.searchsorted(weights, source.random(ends[-1]) * weights[-1])]
            lines = [" ".join(drawn[start:end]).capitalize() + "." for start, end in pairwise([0, *ends])]
            file.writelines(
                f"document {document}\t{lines[number]}\t{lines[DOCUMENT + number]}\n" for number in range(DOCUMENT)
            )


def repeat(table: str, first: Path, others: list[Path]) -> None:
    """Write the first file's rows as the other files, with other document ids: what a stage makes of each in turn."""
    shards = list(read_shards(first, table))
    for path in others:
        write_shards((shard.assign(doc_id=shard["doc_id"] + f" {path.stem}") for shard in shards), path, table)


class Stages:
    """Runs the stages on a corpus in a folder and keeps the peak memory of each, in MB, and its seconds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.peaks: dict[str, tuple[int, float]] = {}

    def run(self, title: str, *arguments: str | Path) -> None:
        """Run the command that ``title`` begins with."""
        self.peaks[title] = peak(title.split(" ")[0], [str(one) for one in arguments])
        print(f"{title}: {self.peaks[title][0]} MB, {self.peaks[title][1]:.0f} s", file=sys.stderr, flush=True)

    def all(self, shards: int) -> None:
        """Every stage in order."""
        folder = self.folder
        settings = {
            "source_language": "en",
            "target_language": "de",
            "format": "table",
            "splits": {"train": {"files": [str(folder / "corpus.tsv")]}},
            "held_out": {"dev": 10},
            "shards": shards,
        }
        text = json.dumps({"source_language": "en", "target_language": "de", "bpe": {"merges": 2000}})
        self.run("import_corpus", "--settings", json.dumps(settings), "--output", folder / "corpus")
        files = sorted((folder / "corpus" / "train").glob("*.parquet"), key=lambda path: int(path.stem))
        tokens, subwords = ([folder / table / path.name for path in files] for table in ("tokens", "subwords"))
        self.run("tokenise", "--sentences", files[0], "--settings", text, "--output", tokens[0])
        repeat("tokens", tokens[0], tokens[1:])
        models: list[str | Path] = []
        for side in ("source", "target"):
            casing = folder / f"{side}.truecase.json"
            self.run("train_truecaser", "--tokens", *tokens, "--side", side, "--settings", text, "--output", casing)
            models += [f"--{side}-truecaser", casing, f"--{side}-codes", folder / f"{side}.bpe.json"]
            models += [f"--{side}-vocabulary", folder / f"{side}.vocabulary.json"]
        self.run("learn_bpe", "--tokens", *tokens, "--settings", text, *models)
        self.run("apply_bpe", "--tokens", tokens[0], "--settings", text, *models, "--output", subwords[0])
        repeat("subwords", subwords[0], subwords[1:])
        self.run("build_dataset", "--subwords", *subwords, "--output", folder / "train.arrow")
        self.run("learn_alignment", "--tokens", *tokens, "--pairs", "5000", "--output", folder / "words.parquet")
        few = folder / "few.parquet"
        first = islice(read_shards(files[0], "sentences"), 1)
        write_shards((shard[: ANALYSED * DOCUMENT] for shard in first), few, "sentences")
        shared: list[str | Path] = [
            "--sentences",
            few,
            "--corpus",
            "c",
            "--split",
            "train",
            "--side",
            "source",
            "--language",
            "en",
        ]
        earlier: dict[str, list[str]] = {"syntax": [], "edus": ["syntax"]}
        earlier |= {"rst": ["syntax", "edus"], "coreference": ["syntax"]}
        for stage, needed in earlier.items():
            tables = [f"{name}={folder / name}.parquet" for name in needed]
            backend: list[str | Path] = ["--settings", '{"backend": "builtin"}', "--store", folder / f"{stage}.sqlite"]
            output: list[str | Path] = ["--tables", *tables, "--output", folder / f"{stage}.parquet"]
            self.run(f"analyse {stage}", "--stage", stage, *backend, *shared, *output)
        self.run("convert_rst", "--rst", folder / "rst.parquet", "--output", folder / "rst_dependencies.parquet")


def peak(script: str, arguments: list[str]) -> tuple[int, float]:
    """Peak memory in MB of a command, as the kernel counts it for the program alone, and its seconds."""
    start = time.perf_counter()
    result = subprocess.run(
        [sys.executable, "-c", MEASURED, f"workflow_scripts.{script}", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        sys.exit(f"{script}: {result.stderr[-2000:]}")
    return int(result.stdout.split()[-1]) // 1024, time.perf_counter() - start


def measure(sentences: int, shards: int) -> dict[str, tuple[int, float]]:
    """The peak memory of each stage in MB, and its seconds."""
    with tempfile.TemporaryDirectory() as name:
        stages = Stages(Path(name))
        write_corpus(stages.folder / "corpus.tsv", sentences)
        stages.all(shards)
        return stages.peaks


def main() -> None:
    """Measure both corpora and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000, help="sentence pairs of the large corpus")
    given = parser.parse_args()
    small, large = (measure(given.sentences // by, max(1, SHARDS // by)) for by in (10, 1))
    print(f"{'stage':24}{given.sentences // 10:>12,}{given.sentences:>12,} sentence pairs")
    for stage, (memory, _) in small.items():
        print(f"{stage:24}{memory:>9} MB{large[stage][0]:>9} MB")


if __name__ == "__main__":
    main()
