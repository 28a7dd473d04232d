"""``shards: auto``: a number of shards that follows the size of a corpus, and stays once the corpus is imported."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from discourse_nmt.base.shards import TRAINING_FILES
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sizing.pairs import estimated_pairs

PAIRS = 16_000  # of a shard at most, but for the largest corpora
UNKNOWN = 2  # shards of a corpus whose files are not there yet
MOST = 16_384
HANDED_SHARDS = "handed_shards"  # key of --config, whose numbers Snakemake reads as text
NONE_HANDED: Mapping[str, int | str] = MappingProxyType({})


def with_shards(config: Configuration, handed: Mapping[str, int | str] = NONE_HANDED) -> Configuration:
    """With a number of shards in place of each ``auto``.

    A job's own process of Snakemake is ``handed`` the numbers of the main one. An import that exists keeps its number,
    so that a growing corpus keeps its shards. Otherwise the number is the least power of two whose shards of train have
    at most :data:`PAIRS` sentence pairs by the size of the source files.
    """
    chosen = {
        name: replace(corpus, shards=_chosen(config, name, int(handed.get(name, 0))))
        for name, corpus in config.corpora.items()
        if corpus.shards == "auto"
    }
    return replace(config, corpora={**config.corpora, **chosen})


def _chosen(config: Configuration, corpus: str, handed: int) -> int:
    there = handed or imported_shards(f"results/{config.run}/{corpus}/corpus")
    return there or shards_for(estimated_pairs(config, corpus).get("train"))


def chosen_shards(read: Configuration, resolved: Configuration) -> dict[str, int]:
    """The number that each corpus with ``auto`` got."""
    return {
        name: resolved.corpora[name].shard_count for name, corpus in read.corpora.items() if corpus.shards == "auto"
    }


def shards_for(pairs: int | None) -> int:
    """The number of shards for a number of training pairs; None: unknown."""
    if pairs is None:
        return UNKNOWN
    return min(MOST, 2 ** math.ceil(math.log2(max(1, pairs / PAIRS))))


def imported_shards(folder: str) -> int | None:
    """The number of shards of a corpus that was imported into ``folder``; None for none."""
    files = sorted(Path(folder, "train").glob("*.parquet"))
    if not files or not Path(folder, "statistics.tsv").is_file():
        return None
    if len(files) < TRAINING_FILES:
        return len(files)
    # Loaded only where it is needed: it loads pandas, and every start of the workflow waits for the plan.
    from discourse_nmt.base.storage.shard_files import row_groups

    return sum(map(row_groups, files))
