"""The profiles of clusters fit the rules, which ask for more memory at each attempt."""

import importlib.util
import itertools
import re
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.workflow.sizing.memory import memory
from tests.conftest import ROOT

PROFILES = {path.parent.name: yaml.safe_load(path.read_text()) for path in ROOT.glob("profiles/*/profile.yaml")}
RULES = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.glob("rules/*.smk"))
CLUSTERS = [name for name in PROFILES if name != "default"]


def loaded(profile: str, name: str) -> ModuleType:
    """A script of a profile."""
    description = importlib.util.spec_from_file_location(name, ROOT / "profiles" / profile / f"{name}.py")
    assert description is not None and description.loader is not None
    module = importlib.util.module_from_spec(description)
    description.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", CLUSTERS)
def test_profiles_name_rules_and_groups_that_exist(name: str) -> None:
    profile = PROFILES[name]
    for rule in (*profile["groups"], *profile["set-resources"]):
        assert re.search(rf"^(use rule \w+ as|rule) {rule}\b", RULES, re.MULTILINE), rule
    assert set(profile["group-components"]) <= set(profile["groups"].values())
    limits = profile["set-resources"]["train_model"]
    assert 0 < limits["soft_runtime"] < limits["runtime"]


def test_clusters_stop_every_training_before_its_time_ends() -> None:
    trainings = re.findall(r"^rule (\w+):(?:(?!^rule).)*?runtime=(\d+),\n +soft_runtime=0", RULES, re.M | re.S)
    assert len(trainings) == 9
    for name in CLUSTERS:
        limits = PROFILES[name]["set-resources"]
        for rule, runtime in trainings:
            assert 0 < limits[rule]["soft_runtime"] <= limits[rule].get("runtime", int(runtime)) - 15


def test_profiles_group_the_same_jobs() -> None:
    assert len({str(PROFILES[name]["groups"]) for name in CLUSTERS}) == 1


def test_every_rule_with_a_command_asks_for_memory_and_time() -> None:
    blocks = re.split(r"^ *rule\b", RULES, flags=re.MULTILINE)[1:]
    commands = [block for block in blocks if "shell:" in block]
    assert len(commands) > 20
    for block in commands:
        assert "mem_mb=memory(" in block and re.search(r"\bruntime=\d+", block), block[:60]


sizes = st.integers(1, 10**5)


@given(least=sizes, fixed=sizes, rate=st.floats(0, 100), size=st.floats(0, 1e5), growth=st.integers(1, 9))
def test_memory_grows_with_the_attempt(least: int, fixed: int, rate: float, size: float, growth: int) -> None:
    wanted = memory(least, fixed=fixed, per_megabyte=rate, growth=growth)
    bounded = memory(least, fixed=fixed, per_megabyte=rate, most=least)
    in_shards = memory(least, fixed=fixed, per_megabyte=rate, shards=lambda wildcards: 1 + len(wildcards))
    estimated = memory(least, fixed=fixed, estimated=lambda wildcards, input: len(wildcards) * len(input))
    bytes_of = {"half": size * 2**19, "other half": size * 2**19, "quarter": size * 2**18}
    with patch("os.path.getsize", bytes_of.__getitem__):
        reading = ["half", "other half"]
        first = wanted(None, reading, 1)
        assert first == max(least, int(fixed + rate * size))
        assert [wanted(None, reading, attempt) for attempt in (growth, growth + 1)] == [first * growth] * 2
        assert bounded(None, reading, 2) == 2 * least
        assert estimated("abc", reading, 2) == 2 * max(least, fixed + 3 * 2)
        assert in_shards("abc", reading, 1) == wanted(None, ["quarter"], 1)


def test_memory_without_a_rate_reads_no_sizes() -> None:
    assert memory(7)(None, ["a file that is not there"], 1) == 7


def test_qsub_of_pbs_gets_what_the_rule_asks_for(tmp_path: Path) -> None:
    script = tmp_path / "job's script.sh"
    script.write_text(
        '#!/bin/sh\n# properties = {"type": "single", "rule": "train_model", "jobid": 7, "threads": 4, "resources": '
        '{"mem_mb": 8000, "runtime": 1441, "gpu": 2, "pbs_queue": "long queue", "pbs_account": "a\'b"}}\nexit 1\n'
    )
    words = loaded("pbs", "submit").command(script)
    assert words[0] == "qsub" and words[-1] == str(script)
    options = dict(itertools.pairwise(words))
    assert options["-l"] == "select=1:ncpus=4:mem=8000mb:ngpus=2,walltime=24:01:00"
    assert (options["-q"], options["-A"], options["-N"]) == ("long queue", "a'b", "strain_model")


def test_qsub_of_sge_gets_what_the_rule_asks_for(tmp_path: Path) -> None:
    script = tmp_path / "job's script.sh"
    names = '"sge_pe": "smp", "sge_memory": "mem_free", "sge_gpu": "gpu"'
    script.write_text(
        '#!/bin/sh\n# properties = {"type": "single", "rule": "train_model", "jobid": 7, "threads": 3, "resources": '
        f'{{"mem_mb": 8000, "runtime": 90, "gpu": 2, "sge_queue": "long queue", {names}}}}}\nexit 1\n'
    )
    words = loaded("sge", "submit").command(script)
    assert words[:2] == ["qsub", "-terse"] and words[-1] == str(script)
    options = dict(itertools.pairwise(words))
    assert options["-l"] == "h_rt=5400,mem_free=2667M,gpu=2"
    assert (options["-q"], options["-N"]) == ("long queue", "strain_model")
    assert words[words.index("-pe") :][:3] == ["-pe", "smp", "3"]
    script.write_text(
        script.read_text().replace('"threads": 3', '"threads": 1').replace('"gpu": 2, "sge_queue"', '"x"')
    )
    alone = loaded("sge", "submit").command(script)
    assert not {"-pe", "-q", "-P"} & set(alone) and "h_rt=5400,mem_free=8000M" in alone


GONE = "echo 'Following jobs do not exist or permissions are not sufficient:' >&2; exit 1"


@pytest.mark.parametrize(
    ("profile", "qstat", "file", "expected"),
    [
        ("pbs", "echo '  job_state = R'", None, "running"),
        ("pbs", "echo '  job_state = F'", None, "failed"),
        ("pbs", "exit 153", None, "failed"),
        ("pbs", "echo 'qstat: Unknown Job Id 12.server' >&2; exit 1", None, "failed"),
        ("pbs", "echo 'qstat: cannot connect to server' >&2; exit 1", None, "running"),
        ("pbs", "exit 153", "0", "success"),
        ("pbs", "echo '  job_state = R'", "1", "failed"),
        ("sge", "echo job_number: 12", None, "running"),
        ("sge", GONE, None, "failed"),
        ("sge", "echo 'error: unable to contact qmaster' >&2; exit 1", None, "running"),
        ("sge", GONE, "0", "success"),
        ("sge", "echo job_number: 12", "1", "failed"),
    ],
)
def test_status_of_a_job(
    profile: str, qstat: str, file: str | None, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status = loaded(profile, "status")
    program = tmp_path / "qstat"
    program.write_text(f"#!/bin/sh\n{qstat}\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(status, "SECONDS_TO_WAIT", 0.1)
    if file is not None:
        (tmp_path / status.STATUS).mkdir(parents=True)
        (tmp_path / status.STATUS / "12.server").write_text(f"{file}\n")
    assert status.status("12.server") == expected
