"""The number of shards and of jobs follows the size of a corpus."""

import gzip
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from discourse_nmt.base.settings import Given
from discourse_nmt.base.shards import files_of
from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.corpus.importing.plan import SplitSettings
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.resolving.shards import UNKNOWN, chosen_shards, shards_for, with_shards
from discourse_nmt.workflow.sizing.pairs import BYTES, COMPRESSION, counted_pairs, estimated_pairs
from discourse_nmt.workflow.sizing.parts import MOST, part_option
from tests.unit.workflow.plan.plan_examples import configured, job, run

TALKS = Path("results/example/talks/corpus")
HEADER = "split\tdocuments\tsentences\n"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configuration:
    """The example of the plan, whose corpus talks has a file of 8 MB and chooses its shards."""
    monkeypatch.chdir(tmp_path)
    Path("train.tsv").write_bytes(b"x" * 8_000_000)
    changed = configured()
    return with_talks(changed, shards="auto")


def with_talks(config: Configuration, **keys: Any) -> Configuration:
    """The same with keys of the corpus talks replaced."""
    return replace(config, corpora={**config.corpora, "talks": replace(config.corpora["talks"], **keys)})


def with_files(config: Configuration, **train: list[str]) -> Configuration:
    """The same with other files of the corpus talks."""
    return with_talks(config, splits={"train": Given(SplitSettings, train)})


@pytest.mark.parametrize(
    ("pairs", "shards"),
    [(None, UNKNOWN), (1, 1), (16_000, 1), (16_001, 2), (200_000, 16), (2_000_000, 128), (10**9, 16_384)],
)
def test_shards_follow_the_pairs(pairs: int | None, shards: int) -> None:
    assert shards_for(pairs) == shards


@pytest.mark.parametrize(("shards", "files"), [(1, 1), (16, 16), (1024, 16), (2048, 32), (16_384, 256)])
def test_the_largest_corpora_have_more_files(shards: int, files: int) -> None:
    assert (files_of("train", shards), files_of("test", shards)) == (files, min(4, shards))


def test_pairs_are_estimated_from_the_files(config: Configuration) -> None:
    whole = 8_000_000 / 2 / BYTES
    assert estimated_pairs(config, "talks") == {"train": round(0.9 * whole), "dev": round(0.1 * whole)}
    with gzip.open("train.tsv.gz", "wb") as file:
        file.write(b"x" * 100)
    packed = with_files(config, source=["*.gz"], target=["*.gz"])
    compressed = Path("train.tsv.gz").stat().st_size * COMPRESSION / BYTES
    assert estimated_pairs(packed, "talks")["train"] == max(1, round(0.9 * compressed))
    assert estimated_pairs(with_files(config, files=["absent"]), "talks") == {}


def test_auto_takes_the_estimate_and_a_number_stays(config: Configuration) -> None:
    chosen = with_shards(config)
    assert chosen_shards(config, chosen) == {"talks": 2}
    assert (chosen.corpora["talks"].shards, chosen.corpora["news"].shards) == (2, 2)
    assert chosen_shards(chosen, with_shards(chosen)) == {}


def imported(count: int, files: int) -> None:
    """An import of ``count`` shards of train in ``files`` files."""
    blank = pd.DataFrame({"doc_id": ["a"], "sent_id": [0], "source": ["x"], "target": ["y"]})
    for number in range(files):
        write_shards([blank] * (count // files), TALKS / f"train/{number}.parquet", "sentences")
    (TALKS / "statistics.tsv").write_text(f"{HEADER}train\t9\t50000\ndev\t1\t70\n", encoding="utf-8")


@pytest.mark.parametrize(("count", "files"), [(8, 8), (64, 16)])
def test_an_import_keeps_its_shards(count: int, files: int, config: Configuration) -> None:
    imported(count, files)
    assert chosen_shards(config, with_shards(config)) == {"talks": count}


def test_a_job_takes_the_number_that_it_is_handed(config: Configuration) -> None:
    imported(8, 8)
    chosen = with_shards(config, {"talks": "4", "news": "9"})
    assert chosen_shards(config, chosen) == {"talks": 4}
    assert chosen.corpora["news"].shards == 2


def test_parts_follow_the_sentences(config: Configuration) -> None:
    hardware = replace(config.hardware, sentences_per_job=100)
    plan = Plan(replace(with_shards(config), hardware=hardware))
    files = plan.parts.files_of("translations")
    wildcards = run("sentence", corpus="talks", split="dev")
    folder = "results/example/talks/experiments/sentence/seed1/translations/dev"
    assert files(wildcards) == [f"{folder}/{number}-of-31.parquet" for number in range(31)]
    imported(1, 1)  # counts 70 sentences
    assert files(wildcards) == []
    assert plan.parts.count("talks", "train") == MOST
    assert plan.parts.count("talks", "unknown") == 1
    assert counted_pairs(str(TALKS / "statistics.tsv")) == {"train": 50000, "dev": 70}


def test_options_of_parts() -> None:
    part = job(corpus="talks", part="2", parts="5")
    assert part_option(part, {}) == ["--part", "2/5"]
    assert part_option(job(corpus="talks"), {"parts": ["a", "b"]}) == ["--join", "a", "b"]
    assert part_option(job(corpus="talks"), {"parts": []}) == []
