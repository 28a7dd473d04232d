"""Systems and metrics from outside of the project in the real DAG: scores, significance, report; what runs again."""

import csv
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.workflow_scripts.corpus import generate_demo
from tests.workflow.test_workflow import NOTHING, TINY, planned, snakemake

OVERLAP = """
import sys
hypotheses, references = (open(path, encoding="utf-8").read().splitlines() for path in sys.argv[1:])
scores = [len({*one.split()} & {*other.split()}) / len({*other.split()}) for one, other in zip(hypotheses, references)]
print(*[f"segment\\t{score}" for score in scores], f"system\\t{sum(scores) / len(scores)}", sep="\\n")
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which one small model, the references and a damaged copy of them are scored."""
    folder = tmp_path_factory.mktemp("external")
    command = [sys.executable, "-m", generate_demo.__name__, "--documents", "60", "--output", "generated"]
    assert run_in(folder, command) == 0
    with (folder / "generated/test.tsv").open(encoding="utf-8", newline="") as file:
        targets = [row["target"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    (folder / "human's.txt").write_text("".join(f"{text}\n" for text in targets), encoding="utf-8")
    (folder / "gpt.txt").write_text("".join(f"{text[:-9]}\n" for text in targets), encoding="utf-8")
    (folder / "overlap.py").write_text(OVERLAP, encoding="utf-8")
    config = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    demo = config["corpora"]["demo"]
    demo["splits"] = {split: {"files": [f"generated/{split}.tsv"]} for split in ("train", "dev", "test")}
    del demo["contrastive"], config["analyses"], config["report"], config["demo"]
    demo["systems"] = {
        "human": {"hypotheses": {"test": "human's.txt"}, "compared_with": "gpt"},
        "gpt": {"hypotheses": {"test": "gpt.txt"}},
    }
    config["experiments"] = {"sentence": {"system": "transformer"}}
    config["significance"]["baseline"] = "sentence"
    config["metrics"] = {"overlap": {"command": [sys.executable, "overlap.py", "{hypotheses}", "{references}"]}}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(folder, "--configfile", "config.yaml", "--", "score", "report")
    assert result.returncode == 0, result.stdout
    return folder


def run_in(folder: Path, command: list[str]) -> int:
    import os
    import subprocess

    from tests.conftest import ROOT

    return subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False).returncode


def test_systems_are_in_every_table(finished: Path) -> None:
    scores = pd.read_csv(finished / "results/tiny/scores.tsv", sep="\t")
    values = scores.set_index(["experiment", "metric"])["value"]
    assert values["human", "s-BLEU"] == values["human", "d-BLEU (document)"] == pytest.approx(100)
    assert values["human", "overlap"] == 1 > values["gpt", "overlap"] > values["sentence", "overlap"]
    assert values["human", "pronoun accuracy (all)"] == 100
    assert set(scores.loc[scores["system"] == "external", "experiment"]) == {"human", "gpt"}
    for metric in ("overlap", "s-BLEU"):
        assert values["human", f"difference ({metric})"] == pytest.approx(
            values["human", metric] - values["gpt", metric]
        )
        assert 0 < values["gpt", f"p ({metric}, approximate randomisation over documents)"] <= 1
    summary = (finished / "results/tiny/scores.md").read_text(encoding="utf-8")
    assert "overlap" in summary and "| human " in summary
    report = (finished / "results/tiny/report.html").read_text(encoding="utf-8")
    assert "human" in report and "overlap" in report


def test_only_what_depends_on_a_changed_file_runs_again(finished: Path) -> None:
    arguments = ("--dry-run", "--configfile", "config.yaml", "--", "score")
    assert NOTHING in snakemake(finished, *arguments).stdout
    text = (finished / "gpt.txt").read_text(encoding="utf-8")
    (finished / "gpt.txt").write_text(text.replace("a", "o"), encoding="utf-8")
    rules = {"import_hypotheses", "score_run", "score_document", "compare_translations", "run_metric", "compare_metric"}
    assert planned(snakemake(finished, *arguments).stdout) == {*rules, "collect_scores"}
    (finished / "gpt.txt").write_text(text.partition("\n")[2], encoding="utf-8")
    result = snakemake(finished, *arguments)
    assert result.returncode != 0 and "Traceback" not in result.stdout
    lines = len(text.splitlines())
    assert f"gpt.txt: {lines - 1} lines, but test set test of corpus demo has {lines} sentences; " in result.stdout
