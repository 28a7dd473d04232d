"""Programs, scripts and keys that jobs need of the user's machine: a missing one is told before the first job."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.checks.programs import (
    Need,
    NeededFile,
    NeededProgram,
    NeededVariable,
    check_needs,
    script_of,
)
from discourse_nmt.workflow.plan.plan import Plan
from tests.unit.workflow.plan.plan_examples import job, planned

ADDRESS = {"address": "http://127.0.0.1:1/v1"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A working directory with a script that cannot be executed and one that can."""
    monkeypatch.chdir(tmp_path)
    for name, mode in (("plain.py", 0o644), ("program", 0o755)):
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(mode)
    yield tmp_path


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("no-such-program {hypotheses}", "no program no-such-program here; install it, or correct the command"),
        ("./gone {hypotheses}", "no program ./gone here; install it, or correct the command"),
        ("./plain.py x", "./plain.py is not executable; chmod +x ./plain.py, or write its interpreter before it"),
        ("sh gone.sh {hypotheses}", "no file gone.sh; put it there, or correct the command"),
        ("sh -u gone.sh", "no file gone.sh; put it there, or correct the command"),
        ("/bin/sh tools/gone", "no file tools/gone; put it there, or correct the command"),
        ("./program gone.py {hypotheses}", ""),
        ("sh plain.py {hypotheses}", ""),
        ("./{experiment}.sh {hypotheses}", ""),
        ("sh {experiment}.sh", ""),
        ("sh -c gone.sh", ""),
        ("sh -c 'cat < gone.txt'", ""),
        ("sh", ""),
    ],
)
def test_a_program_or_script_that_is_missing_is_told(command: str, fault: str) -> None:
    need = NeededProgram("metrics.mine.command", tuple(command.split(" ")))
    if not fault:
        need.check()
        return
    with pytest.raises(InputError) as caught:
        need.check()
    assert str(caught.value) == f"metrics.mine.command: {fault}"


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("python3.11 -u metric.py --references gone.py", "metric.py"),
        ("java -jar metric.jar", "metric.jar"),
        ("java Metric", None),
        ("python -m metric", None),
        ("python -W ignore metric.py", None),
        ("perl -e s/a/b/", None),
        ("docker run image python /opt/metric.py", None),
        ("env python metric.py", None),
    ],
)
def test_a_script_is_what_an_interpreter_certainly_reads(command: str, script: str | None) -> None:
    assert script_of(tuple(command.split())) == script


def test_files_and_variables_that_are_missing_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, ""):
        monkeypatch.delenv("MY_KEY", raising=False) if value is None else monkeypatch.setenv("MY_KEY", value)
        with pytest.raises(InputError, match=r"^k: the environment variable MY_KEY is not set; export MY_KEY with"):
            NeededVariable("k", "MY_KEY").check()
    monkeypatch.setenv("MY_KEY", "secret")
    NeededVariable("k", "MY_KEY").check()
    with pytest.raises(InputError, match=r"^k: no file gone\.model; put it there, or correct the key"):
        NeededFile("k", "gone.model").check()
    NeededFile("k", "plain.py").check()


def test_environments_of_their_own_may_have_other_programs_but_no_other_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    check_needs([NeededProgram("k", ("gone",)), NeededFile("k", "gone")], own_environments=True)
    with pytest.raises(InputError, match="MY_KEY"):
        check_needs([NeededVariable("k", "MY_KEY")], own_environments=True)


def needs(plan: Plan, rule: str, **wildcards: str) -> list[Need]:
    jobs = [SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards=job(**wildcards))]
    return list(plan.needs(jobs))


def test_metrics_and_language_models_need_what_their_keys_name() -> None:
    texts = {"reads": 512, "subwords": "spm.model"}
    metrics = {"comet": {"command": ["comet", "{hypotheses}"], "texts": texts}}
    settings: dict[str, dict[str, Any]] = {
        "served": {**ADDRESS, "key_variable": "MY_KEY"},
        "open": ADDRESS,
        "run": {"command": ["ask", "it"]},
    }
    asked = {name: {"system": "llm", "settings": one, "corpora": ["news"]} for name, one in settings.items()}
    plan = planned(metrics=metrics, experiments=asked)
    assert needs(plan, "run_metric", metric="comet") == [
        NeededProgram("metrics.comet.command", ("comet", "{hypotheses}")),
        NeededFile("metrics.comet.texts.subwords", "spm.model"),
    ]
    found = {name: needs(plan, "ask_language_model", corpus="news", experiment=name) for name in settings}
    assert found == {
        "served": [NeededVariable("experiments.served.settings.key_variable", "MY_KEY")],
        "open": [],
        "run": [NeededProgram("experiments.run.settings.command", ("ask", "it"))],
    }
    assert needs(plan, "train_model", corpus="news", experiment="sentence", seed="1") == []


def test_analysers_need_the_programs_of_commands() -> None:
    command = {"backend": "command", "format": "conllu", "command": ["tag", "{input}", "{output}"]}
    other = {**command, "command": ["{programs}/x.py", "{input}", "{output}"]}
    plan = planned(analyses={"mine": {"syntax": command, "target": {"syntax": other}, "sides": ["source", "target"]}})
    (source,) = needs(plan, "analyse_syntax", analysis="mine", side="source")
    assert source == NeededProgram("analyses.mine.syntax.command", ("tag", "{input}", "{output}"))
    (target,) = needs(plan, "analyse_draft_syntax", analysis="mine", side="target")
    assert isinstance(target, NeededProgram) and target.key == "analyses.mine.target.syntax.command"
    assert Path(target.command[0]).name == "x.py" and "{" not in target.command[0]
    assert needs(plan, "resolve_coreference", analysis="mine", side="source") == []
    assert needs(plan, "parse_instances", analysis="builtin", side="source") == []


def test_a_run_ends_before_its_first_job_and_other_targets_do_not_ask(folder: Path) -> None:
    """Nothing is trained, so that the test ends soon where nobody looks for the program."""
    splits = ("train", "dev", "test")
    for split in splits:
        lines = "".join(f"{split}{number // 4}\ta b {number}\td e {number}\n" for number in range(8))
        (folder / f"{split}.tsv").write_text(f"doc_id\tsource\ttarget\n{lines}", encoding="utf-8")
    corpus: dict[str, Any] = {"source_language": "en", "target_language": "de", "format": "table"}
    corpus["splits"] = {split: {"files": [f"{split}.tsv"]} for split in splits}
    corpus["systems"] = {"other": {"hypotheses": {"test": "other.txt"}}}
    (folder / "other.txt").write_text("d e\n" * 8, encoding="utf-8")
    config = {
        "run": "mine",
        "corpora": {"news": corpus},
        "metrics": {"comet": {"command": ["no-such-program", "{hypotheses}"]}},
    }
    (folder / "my.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    scores = "results/mine/news/experiments/other/seed0/metric_scores/comet/test.tsv"
    plans = run(folder, "discourse_nmt", "plan", "--configfile", "my.yaml", "--", scores)
    told = "Not on this machine: metrics.comet.command: no program no-such-program here; install it, or correct the"
    assert plans.returncode == 0 and plans.stdout.count(told) == 1, plans.stderr
    stood_in = run(folder, "discourse_nmt", "plan", "--configfile", "my.yaml", "--pairs", "news=1000", "--", scores)
    assert stood_in.returncode == 0 and "run_metric" in stood_in.stdout and told not in stood_in.stdout, stood_in.stderr
    done = snakemake(folder, scores)
    assert done.returncode == 1
    assert "config: metrics.comet.command: no program no-such-program here; install it" in done.stderr
    assert "Traceback" not in done.stderr and not (folder / "results").exists()
    done = snakemake(folder, "corpus")
    assert done.returncode == 0 and (folder / "results" / "mine" / "news").is_dir(), done.stderr


def snakemake(folder: Path, target: str) -> subprocess.CompletedProcess[str]:
    words = ["--cores", "1", "--snakefile", str(ROOT / "Snakefile"), "--configfile", "my.yaml", "--", target]
    return run(folder, "snakemake", *words)


def run(folder: Path, module: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
