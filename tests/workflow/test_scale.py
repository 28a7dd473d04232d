"""A large comparison is planned as few jobs, however many shards its corpora have, and so is a huge corpus."""

import re
from pathlib import Path

import pytest

from benchmarks.workflow.dry_run import CORPORA, EXPERIMENTS, SEEDS, SHARDS, dry_run, jobs, matrix, write
from benchmarks.workflow.large_corpus import FEW, PAIRS, large
from benchmarks.workflow.large_corpus import jobs as jobs_of_table
from benchmarks.workflow.large_corpus import planned as planned_large


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    folder = tmp_path_factory.mktemp("matrix")
    write(matrix(), folder / "matrix.yaml")
    return jobs(dry_run(folder / "matrix.yaml", folder))


def test_the_comparison_is_the_promised_one(planned: dict[str, int]) -> None:
    assert (CORPORA, len(EXPERIMENTS), SEEDS, SHARDS) == (3, 20, 3, 64)
    assert all(corpus["shards"] == SHARDS for corpus in matrix()["corpora"].values())
    assert planned["train_model"] == planned["translate_split"] == CORPORA * len(EXPERIMENTS) * SEEDS


def test_jobs_are_few(planned: dict[str, int]) -> None:
    assert planned["total"] == sum(count for rule, count in planned.items() if rule != "total")
    assert planned["total"] <= 3000


def test_jobs_are_counted_as_snakemake_writes_them() -> None:
    said = "Job stats:\njob        count\n-------  -------\ntokenise       3\ntotal          3\n"
    assert jobs(said) == {"tokenise": 3, "total": 3}


def test_a_corpus_of_200_million_pairs_is_planned_without_being_there(tmp_path: Path) -> None:
    """The translation of train, as a draft, is divided; every other split is one job."""
    lines, *_ = planned_large(large(FEW, 1), PAIRS, tmp_path)
    assert 1000 < jobs_of_table(lines) < 10_000
    found = {match[1]: int(match[2]) for line in lines if (match := re.match(r"(\w+) +([\d]+) ", line))}
    assert (found["translate_part"], found["translate_split"], found["train_model"]) == (256, 6, 4)
    assert found["tokenise"] == 256 + 4 + 4
    assert not (tmp_path / "data").exists()
