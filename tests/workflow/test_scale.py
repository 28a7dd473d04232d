"""A large comparison is planned as few jobs, however many shards its corpora have."""

import pytest

from benchmarks.workflow.dry_run import CORPORA, EXPERIMENTS, SEEDS, SHARDS, dry_run, jobs, matrix, write


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
