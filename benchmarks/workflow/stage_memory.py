"""Peak memory of the stages on a corpus and on one of a tenth of its size, both in shards of one size.

The corpus is random: words of random letters whose frequencies follow Zipf's law, in documents of 50 sentences. Stages
that read the whole corpus run on all of it. Stages that read one file of shards run on the first file; their output for
the other files is a copy with other ids. Analysers run on a few documents. Stages that make one file of a whole split
from analyses read these documents repeatedly, with the ids and shards of the whole corpus. A stage whose memory is
bounded by the size of a shard needs as much for the large corpus as for the small one.
"""

import argparse
import json
import random
import sys
import tempfile
from itertools import cycle, islice, pairwise
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.workflow.peak_memory import Peak, peak_of
from discourse_nmt.base.storage.shard_files import read_shards, write_shards
from discourse_nmt.training.kinds import STRUCTURES

DOCUMENT = 50  # sentences
WORDS, LETTERS = 50_000, "abcdefghijklmnopqrstuvwxyz"
SHARDS = 64  # of the large corpus; the small one has a tenth
ANALYSED = 20  # documents that analysers read; few are enough, as their memory depends on their models
TEXT = json.dumps({"source_language": "en", "target_language": "de", "bpe": {"merges": 2000}})
EARLIER = {"syntax": [], "edus": ["syntax"], "rst": ["syntax", "edus"], "coreference": ["syntax"]}
EARLIER["themes"] = ["syntax", "edus"]
ANALYSES = ("edus", "rst", "rst_dependencies", "document_graph", "themes")  # inputs of the files of the split
Arguments = list[str | Path]


def write_corpus(path: Path, count: int) -> None:
    """A table with document ids, source and target; sentences have 5 to 30 words."""
    dice, source = random.Random(1), np.random.default_rng(1)
    words = ["".join(dice.choices(LETTERS, k=dice.randint(2, 9))) for _ in range(WORDS)]
    weights = np.cumsum(1 / np.arange(1, WORDS + 1))
    with path.open("w", encoding="utf-8") as file:
        file.write("doc_id\tsource\ttarget\n")
        for document in range(count // DOCUMENT):
            ends = np.cumsum(source.integers(5, 31, 2 * DOCUMENT)).tolist()
            drawn = [words[index] for index in np.searchsorted(weights, source.random(ends[-1]) * weights[-1])]
            lines = [" ".join(drawn[start:end]).capitalize() + "." for start, end in pairwise([0, *ends])]
            file.writelines(
                f"document {document}\t{lines[number]}\t{lines[DOCUMENT + number]}\n" for number in range(DOCUMENT)
            )


def repeat(table: str, first: Path, others: list[Path]) -> None:
    """Write the first file's rows as the other files, with other document ids."""
    shards = list(read_shards(first, table))
    for path in others:
        write_shards((shard.assign(doc_id=shard["doc_id"] + f" {path.stem}") for shard in shards), path, table)


def spread(table: str, few: Path, files: list[Path], output: Path) -> list[Path]:
    """Write a table of ``few`` documents for all documents of the ``files``, each of which gets one of them in turn."""
    (rows,) = read_shards(few, table)
    parts = [rows[rows["doc_id"] == name] for name in sorted(rows["doc_id"].unique())]
    for path in files:
        names = (shard["doc_id"].unique() for shard in read_shards(path, "sentences", ["doc_id"]))
        filled = (
            pd.concat([part.assign(doc_id=name) for name, part in zip(shard, cycle(parts))] or [rows[:0]])
            for shard in names
        )
        write_shards(filled, output / path.name, table)
    return [output / path.name for path in files]


class Stages:
    """Runs the stages on a corpus in a folder and keeps the peak memory of each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.peaks: dict[str, Peak] = {}

    def run(self, title: str, *arguments: str | Path) -> None:
        """Run the command that ``title`` begins with."""
        self.peaks[title] = peak = peak_of(title.split(" ")[0], [str(argument) for argument in arguments])
        line = f"{title}: {peak.anonymous} MB, {peak.resident} MB with mapped files, {peak.seconds:.0f} s"
        print(line, file=sys.stderr, flush=True)

    def all(self, shards: int) -> None:
        """Every stage in order."""
        files = self.imported(shards)
        few = self.folder / "few.parquet"
        first = islice(read_shards(files[0], "sentences"), 1)
        write_shards((shard[: ANALYSED * DOCUMENT] for shard in first), few, "sentences")
        tables = self.text(files, few)
        self.analyses(few, tables)
        self.split_files(files, tables)

    def imported(self, shards: int) -> list[Path]:
        """Import the corpus; return the files of its training split."""
        settings = {
            "source_language": "en",
            "target_language": "de",
            "format": "table",
            "splits": {"train": {"files": [str(self.folder / "corpus.tsv")]}},
            "held_out": {"dev": 10},
            "shards": shards,
        }
        self.run("corpus.import_corpus", "--settings", json.dumps(settings), "--output", self.folder / "corpus")
        return sorted((self.folder / "corpus" / "train").glob("*.parquet"), key=lambda path: int(path.stem))

    def text(self, files: list[Path], few: Path) -> dict[str, Path]:
        """Make subwords and the alignment of words; return the tables of a ``few`` documents."""
        folder = self.folder
        tokens = [folder / "tokens" / path.name for path in files]
        self.run("text.tokenise", "--sentences", files[0], "--settings", TEXT, "--output", tokens[0])
        repeat("tokens", tokens[0], tokens[1:])
        models: Arguments = []
        for side in ("source", "target"):
            casing = folder / f"{side}.truecase.json"
            self.run(
                "text.train_truecaser", "--tokens", *tokens, "--side", side, "--settings", TEXT, "--output", casing
            )
            models += [f"--{side}-truecaser", casing, f"--{side}-codes", folder / f"{side}.bpe.json"]
            models += [f"--{side}-vocabulary", folder / f"{side}.vocabulary.json"]
        self.run("text.learn_bpe", "--tokens", *tokens, "--settings", TEXT, *models)
        self.run(
            "text.apply_bpe",
            "--tokens",
            tokens[0],
            "--settings",
            TEXT,
            *models,
            "--output",
            folder / "subwords.parquet",
        )
        self.run("score.learn_alignment", "--tokens", *tokens, "--pairs", "5000", "--output", folder / "words.parquet")
        made = {name: folder / f"few_{name}.parquet" for name in ("tokens", "subwords")}
        peak_of("text.tokenise", ["--sentences", str(few), "--settings", TEXT, "--output", str(made["tokens"])])
        options = ["--tokens", made["tokens"], "--settings", TEXT, *models, "--output", made["subwords"]]
        peak_of("text.apply_bpe", [str(option) for option in options])
        return made

    def analyses(self, few: Path, tables: dict[str, Path]) -> None:
        """Analyse a ``few`` documents and add the tables of analyses to ``tables``."""
        shared: Arguments = ["--sentences", few, "--corpus", "c", "--split", "train"]
        shared += ["--side", "source", "--language", "en"]
        for stage, needed in EARLIER.items():
            tables[stage] = self.folder / f"{stage}.parquet"
            backend: Arguments = ["--settings", '{"backend": "builtin"}', "--store", self.folder / f"{stage}.sqlite"]
            earlier = [f"{name}={tables[name]}" for name in needed]
            self.run(
                f"discourse.analyse {stage}",
                "--stage",
                stage,
                *backend,
                *shared,
                "--tables",
                *earlier,
                "--output",
                tables[stage],
            )
        for table in ("rst_dependencies", "document_graph"):
            tables[table] = self.folder / f"{table}.parquet"
        self.run("discourse.convert_rst", "--rst", tables["rst"], "--output", tables["rst_dependencies"])
        given: Arguments = []
        for name in ("tokens", "syntax", "coreference"):
            given += [f"--{name}", tables[name]]
        self.run("discourse.build_graph", *given, "--side", "source", "--output", tables["document_graph"])

    def split_files(self, files: list[Path], tables: dict[str, Path]) -> None:
        """Make the files of the split from the tables of all shards."""
        folder = self.folder
        given: dict[str, Arguments] = {
            name: ["--" + name.replace("_", "-"), *spread(name, tables[name], files, folder / "spread" / name)]
            for name in ("tokens", "subwords", *ANALYSES)
        }
        dataset = folder / "train.arrow"
        self.run("text.build_dataset", *given["subwords"], "--output", dataset)
        for kind in STRUCTURES.values():
            if not kind.builder or kind.drafted:  # a draft doubles the tables of graphs
                continue
            files_of_tables = [f"{name}={path}" for name in kind.tables for path in given[name][1:]]
            options: Arguments = ["--language", "en"] if "language" in kind.options else []
            output = folder / f"{kind.name}.arrow"
            tables_of_kind = ["--kind", kind.name, "--tables", *files_of_tables]
            self.run(
                f"structures.build_structure {kind.name}",
                *["--dataset", dataset, *tables_of_kind, *options, "--output", output],
            )
        self.run("train.label_words", *given["tokens"], *given["themes"], "--output", folder / "labelled.parquet")


def measure(sentences: int, shards: int) -> dict[str, Peak]:
    """The peak memory of each stage."""
    with tempfile.TemporaryDirectory() as name:
        stages = Stages(Path(name))
        write_corpus(stages.folder / "corpus.tsv", sentences)
        stages.all(shards)
        return stages.peaks


def main() -> None:
    """Measure both corpora and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1_000_000, help="sentence pairs of the large corpus")
    options = parser.parse_args()
    sizes = options.sentences // 10, options.sentences
    small, large = (measure(size, max(1, SHARDS * size // options.sentences)) for size in sizes)
    print(f"{'peak in MB':30}{'anonymous memory':>24}{'with mapped files':>24}")
    print(f"{'sentence pairs':30}" + "".join(f"{size:>12,}" for size in sizes * 2))
    for stage, peak in small.items():
        peaks = peak.anonymous, large[stage].anonymous, peak.resident, large[stage].resident
        print(f"{stage:30}" + "".join(f"{peak:>12}" for peak in peaks))


if __name__ == "__main__":
    main()
