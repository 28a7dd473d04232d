"""All of the demo on a real Slurm, what its jobs ask for, and small jobs that show what they are given."""

import re
from pathlib import Path

import pandas as pd
import pytest

from tests.cluster.slurm import Slurm
from tests.cluster.workflow import ADDED, Workflow
from tests.conftest import ROOT

PROBE = Path(__file__).parent / "probe.smk"


@pytest.fixture
def probe(tmp_path: Path) -> Workflow:
    return Workflow(tmp_path, str(ADDED), snakefile=PROBE)


def test_the_whole_demo_runs(demo: Workflow, slurm: Slurm) -> None:
    assert set(demo.states(slurm)) == {"COMPLETED"}
    scores = pd.read_csv(demo.folder / "results/tiny/scores.tsv", sep="\t")
    assert set(scores.experiment) == {"sentence", "continued", "trees"}
    assert "<html" in (demo.folder / "results/tiny/report.html").read_text(encoding="utf-8")


def test_small_jobs_share_submissions(demo: Workflow, slurm: Slurm) -> None:
    planned = re.search(r"^total +(\d+)$", demo.output(), re.MULTILINE)
    assert planned is not None
    assert len(demo.states(slurm)) < int(planned[1]) * 2 / 3


def test_jobs_ask_for_their_gpus(demo: Workflow, slurm: Slurm) -> None:
    asked: dict[str, set[int]] = {}
    for job in demo.jobs(slurm):
        shown = slurm.tell("scontrol", "show", "job", job["JobId"])
        gpus = re.search(r"TresPerJob=gres:gpu:(\d+)", shown)
        for rule in ("train_model", "translate_split", "score_contrastive", "learn_alignment", "tokenise"):
            # A group's comment names all its rules.
            if re.search(rf"Comment=\S*{rule}", shown):
                asked.setdefault(rule, set()).add(int(gpus[1]) if gpus else 0)
    expected = {"train_model": 2, "translate_split": 1, "score_contrastive": 1, "learn_alignment": 0, "tokenise": 0}
    assert asked == {rule: {number} for rule, number in expected.items()}


def test_without_slurm_nothing_is_left_to_do(demo: Workflow, tmp_path: Path) -> None:
    """Resources, groups and the time limit of a training are no reason to run anything again."""
    elsewhere = Workflow(demo.folder, *demo.configuration, log=tmp_path / "log.txt")
    text = elsewhere.finish(elsewhere.start(["score", "report"], "--cores", "1", "--dry-run"))
    assert "Nothing to be done" in text


def test_jobs_get_more_memory_when_killed_and_see_their_gpus(probe: Workflow, slurm: Slurm) -> None:
    probe.finish(probe.start_on(slurm, ["all"]))
    assert (probe.folder / "gpus.txt").read_text(encoding="utf-8").strip() == "0,1"
    assert (probe.folder / "memory.txt").read_text(encoding="utf-8").strip() == "1000"
    killed = [job["Tres"] for job in probe.jobs(slurm) if job["JobState"] != "COMPLETED"]
    assert [re.findall(r"mem=(\d+)M", tres) for tres in killed] == [["500"]]


def test_pbs_runs_jobs_and_repeats_killed_ones(probe: Workflow, slurm: Slurm) -> None:
    """Through the PBS commands of Slurm. A job killed for its memory cannot write down its exit status."""
    profile = ["--workflow-profile", str(ROOT / "profiles" / "pbs"), "--cores", str(slurm.cpus), "--latency-wait", "5"]
    before = len(slurm.jobs())
    probe.finish(probe.start(["memory.txt"], *profile, environment=slurm.environment))
    assert (probe.folder / "memory.txt").read_text(encoding="utf-8").strip() == "1000"
    jobs = [(job["Name"], job["TimeLimit"], *job["Tres"].split(",")[:2]) for job in slurm.jobs()[before:]]
    assert jobs == [("sneeds_memory", "5", "cpu=1", f"mem={memory}M") for memory in (500, 1000)]
