"""The real DAG, run on a small demo corpus: complete, idle when nothing changed, and exact about what did."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.files import checksum
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.scoring.metrics.score import CXMI, MetricParts
from tests.conftest import ROOT
from tests.forks.client import running_server

TINY = ROOT / "tests" / "workflow" / "configurations" / "tiny.yaml"
TARGETS = ("score", "report", "analyse")
NOTHING = "Nothing to be done"


def snakemake(
    folder: Path, *arguments: str, checkout: Path = ROOT, forks: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run the workflow of ``checkout`` in ``folder``; output and errors come back as one text.

    Snakemake and its jobs are forks of one process, or start as users' do. The environment of the interpreter is not
    activated, so that jobs find another ``python``, or none, on the path.
    """
    own = Path(sys.executable).parent
    paths = [path for path in os.environ["PATH"].split(os.pathsep) if Path(path) != own]
    environment = {**os.environ, "PATH": os.pathsep.join(paths)}
    words = ["snakemake", "--snakefile", str(checkout / "Snakefile"), "--cores", "2", *arguments]
    if forks:
        return subprocess.CompletedProcess(words, *running_server().run(words, folder, environment))
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def planned(text: str) -> set[str]:
    """Names of the rules that a dry run would execute."""
    table = text.split("Job stats:")[1].split("\n\n")[0] if "Job stats:" in text else ""
    return {line.split()[0] for line in table.splitlines()[3:] if line.split()} - {"total", "score", "all"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project that tests may edit."""
    folder = tmp_path_factory.mktemp("checkout") / "discourse-nmt"
    ignored = shutil.ignore_patterns(
        ".venv", ".git", "results", "work", ".snakemake", "__pycache__", ".*_cache", ".hypothesis"
    )
    shutil.copytree(ROOT, folder, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def finished(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory, its name full of traps for shells, in which the tiny run is complete."""
    folder = tmp_path_factory.mktemp("work") / "a folder's $(name)"
    folder.mkdir()
    arguments = ("--configfile", str(TINY), "--verbose", "--", *TARGETS)
    result = snakemake(folder, *arguments, checkout=checkout, forks=False)
    assert result.returncode == 0, result.stdout
    (folder / "told.txt").write_text(result.stdout, encoding="utf-8")
    return folder


def test_snakemake_looks_for_jobs_only_when_one_has_ended(finished: Path) -> None:
    told = (finished / "told.txt").read_text(encoding="utf-8")
    assert 1 < told.count("Ready jobs: ") <= told.count("Finished jobid: ")


def test_whole_workflow(finished: Path) -> None:
    scores = pd.read_csv(finished / "results/tiny/scores.tsv", sep="\t")
    known = ["corpus", "experiment", "system", "seed", "test_set", "metric", "value", "signature"]
    assert list(scores) == [*known, *(part.name for part in fields(MetricParts))]
    assert set(scores.experiment) == {"sentence", "continued", "trees"}
    assert {"s-BLEU", "chrF2++", "TER", "pronoun accuracy (all)"} <= set(scores.metric)
    assert any(name.startswith("contrastive accuracy") for name in scores.metric)
    tested = scores[scores.metric == "p (s-BLEU, approximate randomisation over documents)"]
    assert set(tested.experiment) == {"continued"} and tested.value.between(0, 1).all()
    told = scores[scores.metric.str.startswith("CXMI") & ~scores.metric.str.contains("bound")]
    information = told.set_index(["experiment", "metric"])["value"]
    assert set(information["trees"].index) == set(CXMI.values()) and (information["trees"] != 0).any()
    sides = ("without_context", "without_source_context", "without_target_context")
    assert information["sentence"].to_dict() == {CXMI[side]: 0 for side in sides}
    report = (finished / "results/tiny/report.html").read_text(encoding="utf-8")
    assert "<html" in report and "CXMI (without trees) by position in the document" in report
    assert "sentence" in (finished / "results/tiny/scores.md").read_text(encoding="utf-8")
    gold = read_table(finished / "results/tiny/generated/gold/coreference/test.parquet", "coreference")
    folder = finished / "results/tiny/demo/discourse/gold/source/coreference/test"
    shards = pd.concat([read_table(folder / f"{shard}.parquet", "coreference") for shard in range(2)])
    pd.testing.assert_frame_equal(shards.sort_values("doc_id", kind="stable", ignore_index=True), gold)


def test_the_commands_of_sacrebleu_print_the_scores(finished: Path) -> None:
    scores = pd.read_csv(finished / "results/tiny/scores.tsv", sep="\t")
    own = scores.set_index(["experiment", "test_set", "metric"])["value"]
    commands = sorted(finished.glob("results/tiny/demo/experiments/*/seed1/translations/*.sacrebleu.txt"))
    assert {path.parts[-4] for path in commands} == set(scores["experiment"])
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    for path in commands:
        said = subprocess.run(["bash", path], cwd=finished, env=environment, stdout=subprocess.PIPE, check=True)
        row = path.parts[-4], path.name.removesuffix(".sacrebleu.txt")
        expected = [round(own[*row, metric], 1) for metric in ("s-BLEU", "chrF2++", "TER")]
        assert [score["score"] for score in json.loads(said.stdout)] == expected


def test_a_command_of_sacrebleu_has_its_files_whatever_target_makes_it(tmp_path: Path) -> None:
    result = snakemake(tmp_path, "--dry-run", "--configfile", str(TINY), "--", "results/tiny/scores.tsv")
    assert {"write_test_set", "write_translations"} <= planned(result.stdout), result.stdout


def test_the_trees_of_instances_are_made_before_a_training_takes_all_cores(tmp_path: Path) -> None:
    result = snakemake(tmp_path, "--dry-run", "--configfile", str(ROOT / "config.yaml"), "--", "train")
    first = set(re.findall(r"^rule (\w+):\n(?:    .*\n)*?    priority: 1\n", result.stdout, re.MULTILINE))
    assert first == {"measure_corpus", "analyse_syntax", "segment_edus", "parse_instances"}


def test_provenance_names_what_the_run_was_made_from(finished: Path) -> None:
    record = json.loads((finished / "results/tiny/provenance.json").read_text(encoding="utf-8"))
    model = "results/tiny/demo/experiments/trees/seed1/model.safetensors"
    assert record["models"][model] == checksum(finished / model)
    assert record["data"]["results/tiny/generated/train.tsv"] == checksum(finished / "results/tiny/generated/train.tsv")
    assert record["switches"]["trees"]["settings.drop_rst"] == 0.5
    assert {"tokenise", "train trees", "edus gold"} <= set(record["code"])
    assert record["packages"]["torch"] == version("torch")
    assert set(record["precisions"].values()) <= {"fp32", "bf16"} and len(record["precisions"]) == len(record["models"])
    assert record["configuration"]["experiments"]["sentence"]["seeds"] == [1]


def test_snakemake_makes_its_own_report(finished: Path, checkout: Path) -> None:
    options = ["--configfile", str(TINY), "--report", "snakemake.html"]
    result = snakemake(finished, *options, "--", "score", "report", checkout=checkout)
    assert result.returncode == 0, result.stdout
    html = (finished / "snakemake.html").read_text(encoding="utf-8")
    for wanted in ("Learning curves", "report_page", "results/tiny/scores.tsv", "A page that needs no network"):
        assert wanted in html, wanted
    assert not re.search(r"<(script|link|img)[^>]*(src|href)=.https?:", html)


def test_every_rule_logs_and_is_timed(finished: Path) -> None:
    logs = {
        path.relative_to(finished / "results/tiny/logs").with_suffix("")
        for path in finished.glob("results/tiny/logs/**/*.log")
    }
    timings = {
        path.relative_to(finished / "results/tiny/benchmarks").with_suffix("")
        for path in finished.glob("results/tiny/benchmarks/**/*.tsv")
    }
    assert logs == timings
    assert len(logs) > 20


def test_second_call_does_nothing(finished: Path, checkout: Path) -> None:
    result = snakemake(finished, "--configfile", str(TINY), "--", *TARGETS, checkout=checkout)
    assert result.returncode == 0
    assert NOTHING in result.stdout


def dry_run(finished: Path, checkout: Path, config: Path) -> str:
    result = snakemake(finished, "--dry-run", "--configfile", str(config), "--", "score", checkout=checkout)
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_one_more_seed_is_translated_asked_and_compared(finished: Path, checkout: Path, tmp_path: Path) -> None:
    """What runs again after other changes is shown by test_reruns.py."""
    config = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    config["experiments"]["continued"]["seeds"] = [1, 2]
    (tmp_path / "changed.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    text = dry_run(finished, checkout, tmp_path / "changed.yaml")
    rules = {"train_model", "translate_split", "score_contrastive", "score_run", "score_document", "collect_scores"}
    rules |= {"write_translations", "judge_translations", "compare_translations", "compare_accuracy"}
    rules |= {"compare_translations_over_seeds", "compare_accuracy_over_seeds", "score_references", "score_information"}
    assert planned(text) == rules
    for rule in rules:
        count = (
            2 if rule.startswith("compare_accuracy") else 1
        )  # of scores of given texts, and of forms in translations
        assert re.search(rf"^{rule} +{count}$", text, re.MULTILINE), text


def test_hardware_is_asked_for_and_runs_nothing_again(finished: Path, checkout: Path, tmp_path: Path) -> None:
    config = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    config["experiments"]["continued"]["seeds"] = [1, 2]
    config["hardware"] = {"gpus": 2, "threads": 3}
    (tmp_path / "gpus.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    text = dry_run(finished, checkout, tmp_path / "gpus.yaml")
    resources = dict(re.findall(r"^rule (\w+):$.*?^    resources: (.*?)$", text, re.MULTILINE | re.DOTALL))
    shares = {"train_model": "gpu=2, device=cuda, processes=2", "tokenise": None}
    shares |= dict.fromkeys(("translate_split", "score_contrastive"), "gpu=1, device=cuda")
    for rule, share in shares.items():
        assert (rule in resources) == (share is not None), "only the new seed is trained"
        assert share is None or share in resources[rule]


def test_missing_corpus_files_are_told_in_one_line(tmp_path: Path) -> None:
    config = yaml.safe_load((ROOT / "config" / "ted_ende.yaml").read_text(encoding="utf-8"))
    for split in config["corpora"]["ted"]["splits"].values():
        for role in split:
            split[role] = [f"absent.{role}.txt"]
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(tmp_path, "--configfile", "config.yaml", "--", "score")
    assert result.returncode != 0
    lines = [line for line in result.stdout.splitlines() if "absent." in line]
    assert len(lines) == 1
    assert config["corpora"]["ted"]["where"].split()[0] in lines[0]
    assert "Traceback" not in result.stdout


def test_a_mistyped_key_is_told_in_one_line(tmp_path: Path) -> None:
    config = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    config["experiments"]["sentence"]["sytem"] = config["experiments"]["sentence"].pop("system")
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(tmp_path, "--configfile", "config.yaml", "--", "score")
    assert result.returncode != 0
    lines = [line for line in result.stdout.splitlines() if not line.startswith(("Using", "/", "  _warnings"))]
    assert lines == ["error: config: unknown key sytem in experiments.sentence; did you mean system?"]


def test_an_experiment_of_a_name_that_is_taken_is_told_in_one_line(tmp_path: Path) -> None:
    text = TINY.read_text(encoding="utf-8") + "experiments: {sentence: {system: concat}}\n"
    (tmp_path / "config.yaml").write_text(text, encoding="utf-8")
    result = snakemake(tmp_path, "--dry-run", "--configfile", "config.yaml", "--", "score")
    assert result.returncode != 0
    assert re.search(r"config: .*config\.yaml:\d+: experiments is there already, in line \d+; rename", result.stdout)
    assert "Traceback" not in result.stdout


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("splits", {"train": {"files": ["a{1}.tsv"]}}, "Snakemake cannot read a{1}.tsv; rename it"),
        ("contrastive", {"test": "absent.parquet"}, "no file absent.parquet; put it there, or correct"),
    ],
)
def test_files_that_cannot_be_used_are_told_before_any_job(key: str, value: dict, message: str, tmp_path: Path) -> None:
    (tmp_path / "a{1}.tsv").touch()
    config = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    config["corpora"]["demo"][key].update(value)
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(tmp_path, "--configfile", "config.yaml", "--", "corpus")
    assert result.returncode != 0
    assert message in result.stdout
    assert "Traceback" not in result.stdout


def test_a_missing_checkpoint_is_told_in_one_line(tmp_path: Path) -> None:
    config = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    config["corpora"]["demo"]["text"] = {
        "subwords": "sentencepiece",
        "pretrained": "absent",
        "truecase": False,
        "normalise": False,
    }
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    result = snakemake(tmp_path, "--dry-run", "--configfile", "config.yaml", "--", "text")
    assert result.returncode != 0
    assert "corpus demo: absent: no file config.json; put the checkpoint there" in result.stdout
    assert "Traceback" not in result.stdout


# Last: the report of the finished run is made again.
def test_a_table_of_a_paper_is_made_and_in_the_report(finished: Path, checkout: Path) -> None:
    table = {
        "published": "document_graph.table_1",
        "columns": {
            "En-De test": {},
            "added parameters": {"metric": "added parameters"},
            "speed": {"metric": "speed"},
        },
        "rows": {"BASE": "sentence", "SRC-GRAPH": "demo/trees"},
        "own_rows": {"trained further": "continued"},
    }
    options = ["--configfile", str(TINY), "--config", f"paper_tables={json.dumps({'graph': table})}"]
    result = snakemake(finished, *options, "--", "table", checkout=checkout)
    assert result.returncode == 0, result.stdout
    assert "train_model" not in planned(result.stdout)
    rows = (finished / "results/tiny/tables/graph.md").read_text(encoding="utf-8").splitlines()
    ours = next(row.split("|") for row in rows if row.startswith("| trained further"))
    assert ours[-5].strip() == "0.00" and float(ours[-3]) > 0  # parameters and speed, each beside a published number
    latex = (finished / "results/tiny/tables/graph.tex").read_text(encoding="utf-8")
    assert latex.startswith(r"\begin{table}") and "22.59" in latex
    html = (finished / "results/tiny/report.html").read_text(encoding="utf-8")
    assert 'id="papers"' in html and "37.71↑" in html
