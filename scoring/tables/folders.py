"""What a path within the folder of results says: corpus, experiment, seed, test set, stage."""

from dataclasses import dataclass
from pathlib import Path

from discourse_nmt.corpus.errors import InputError


@dataclass(frozen=True)
class Run:
    """One trained model."""

    corpus: str
    experiment: str
    seed: int


def run_of(path: str | Path) -> Run:
    """The run whose folder ``CORPUS/experiments/EXPERIMENT/seedSEED`` holds ``path``."""
    parts = Path(path).parts
    for corpus, folder, experiment, seed in zip(parts, parts[1:], parts[2:], parts[3:-1]):
        if folder == "experiments" and seed.startswith("seed") and seed[4:].isdecimal():
            return Run(corpus, experiment, int(seed[4:]))
    raise InputError("not in a folder CORPUS/experiments/EXPERIMENT/seedSEED", file=path)


def split_of(path: str | Path) -> tuple[str, str]:
    """Corpus and split of ``CORPUS/corpus/SPLIT/SHARD.parquet``."""
    parts = Path(path).parts
    if len(parts) < 4 or parts[-3] != "corpus":
        raise InputError("not in a folder CORPUS/corpus/SPLIT", file=path)
    return parts[-4], parts[-2]


@dataclass(frozen=True)
class Annotation:
    """A table of discourse annotation of one side of a split."""

    corpus: str
    split: str
    analysis: str
    side: str
    table: str


def annotation_of(path: str | Path) -> Annotation:
    """The table of ``CORPUS/discourse/ANALYSIS/SIDE/TABLE/SPLIT/SHARD.parquet``."""
    parts = Path(path).parts
    if len(parts) < 7 or parts[-6] != "discourse":
        raise InputError("not in a folder CORPUS/discourse/ANALYSIS/SIDE/TABLE/SPLIT", file=path)
    corpus, _, analysis, side, table, split, _ = parts[-7:]
    return Annotation(corpus, split, analysis, side, table)


def tokens_of(path: str | Path) -> tuple[str, str]:
    """Corpus and split of ``CORPUS/text/tokens/SPLIT/SHARD.parquet``."""
    parts = Path(path).parts
    if len(parts) < 5 or parts[-4:-2] != ("text", "tokens"):
        raise InputError("not in a folder CORPUS/text/tokens/SPLIT", file=path)
    return parts[-5], parts[-2]


def stage_of(path: Path) -> tuple[str, str]:
    """Corpus and stage of the benchmark file ``CORPUS/STAGE/...``; of ``STAGE.tsv`` the corpus is empty."""
    parts = path.with_suffix("").parts
    return ("", parts[0]) if len(parts) == 1 else (parts[0], parts[1])
