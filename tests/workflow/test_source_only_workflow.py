"""A test set without references in the real DAG: the translations of the same sentences with references, no scores."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.workflow_scripts.corpus import generate_demo
from tests.conftest import ROOT
from tests.workflow.test_workflow import TINY, snakemake


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which two small models translated the test set, and its sources under other ids."""
    folder = tmp_path_factory.mktemp("sources")
    command = [sys.executable, "-m", generate_demo.__name__, "--documents", "60", "--output", "generated"]
    subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    with (folder / "generated/test.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    lines = ["doc_id\tsource", *(f"fresh-{row['doc_id']}\t{row['source']}" for row in rows)]
    (folder / "fresh.tsv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    config = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    demo = config["corpora"]["demo"]
    demo["splits"] = {split: {"files": [f"generated/{split}.tsv"]} for split in ("train", "dev", "test")}
    demo["splits"]["fresh"] = {"files": ["fresh.tsv"], "references": False}
    del demo["contrastive"], config["analyses"], config["report"], config["demo"]
    start = {"initialised_from": "sentence", "compared_with": "sentence", "training": {"max_updates": 4}}
    packed = {"system": "g_transformer", "settings": {"global_layers": 1}, **start}
    config["experiments"] = {"sentence": {"system": "transformer"}, "packed": packed}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(folder, "--configfile", "config.yaml", "--", "translate", "score", "report")
    assert result.returncode == 0, result.stdout
    return folder


@pytest.mark.parametrize("experiment", ["sentence", "packed"])
def test_translations_are_those_of_the_same_sentences_with_references(experiment: str, finished: Path) -> None:
    folder = finished / f"results/tiny/demo/experiments/{experiment}/seed1/translations"
    with_references, without = (read_table(folder / f"{name}.parquet", "translations") for name in ("test", "fresh"))
    without["doc_id"] = without["doc_id"].str.removeprefix("fresh-")
    keys = ["doc_id", "sent_id", "rank"]
    expected, given = (
        table.sort_values(keys, ignore_index=True)[[*keys, "hypothesis"]] for table in (with_references, without)
    )
    pd.testing.assert_frame_equal(given, expected)
    assert (folder / "fresh.txt").read_bytes() == (folder / "test.txt").read_bytes()
    assert (folder / "test.sacrebleu.txt").is_file() and not (folder / "fresh.sacrebleu.txt").exists()


def test_nothing_of_it_is_scored(finished: Path) -> None:
    scores = pd.read_csv(finished / "results/tiny/scores.tsv", sep="\t")
    assert set(scores["test_set"].dropna()) <= {"test", "dev"}
    assert not list(finished.glob("results/tiny/demo/experiments/**/*score*/**/fresh*"))


def test_a_score_that_is_asked_for_is_refused(finished: Path) -> None:
    path = "results/tiny/demo/experiments/sentence/seed1/scores/fresh.tsv"
    result = snakemake(finished, "--configfile", "config.yaml", "--", path)
    assert result.returncode != 0
    assert "error: the test set has no references" in result.stdout
    assert not (finished / path).exists()


def test_the_report_shows_its_documents(finished: Path) -> None:
    text = (finished / "results/tiny/report.html").read_text(encoding="utf-8")
    assert '"fresh-' in text or "&#34;fresh-" in text or ">fresh-" in text
