"""Every profile is accepted by Snakemake and its plugin, and plans the whole run."""

import os
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from tests.cloud.conftest import Bucket, output, start
from tests.conftest import ROOT

PROFILES = {path.parent.name: yaml.safe_load(path.read_text()) for path in ROOT.glob("profiles/*/profile.yaml")}
# The command line names these, as they are the user's own.
ARN = "arn:aws:batch:eu-west-1:123456789012:job-queue/queue"
OPTIONS = {
    "htcondor": ["--htcondor-shared-fs-prefixes", "/shared"],
    "kubernetes": ["--default-storage-prefix", "s3://bucket/profiles", "--container-image", "image"],
    "aws-batch": [
        *("--aws-batch-region", "eu-west-1", "--aws-batch-job-queue", ARN, "--aws-batch-job-role", ARN),
        *("--default-storage-prefix", "s3://bucket/profiles", "--container-image", "image"),
        *("--set-resources", "train_model:_gpus=1"),
    ],
}
# Google's libraries forbid the project's version of protobuf, so that the plugin cannot be installed beside it.
WITHOUT_PLUGIN = {"googlebatch"}


def plugin_of(profile: dict[str, object]) -> str:
    return f"snakemake_executor_plugin_{str(profile['executor']).replace('-', '_')}"


def test_every_other_plugin_is_installed() -> None:
    assert {name for name, profile in PROFILES.items() if not find_spec(plugin_of(profile))} <= WITHOUT_PLUGIN


@pytest.mark.parametrize("name", sorted(PROFILES.keys() - WITHOUT_PLUGIN))
def test_a_profile_plans_the_whole_run(name: str, bucket: Bucket, tmp_path: Path) -> None:
    profile = ["--workflow-profile", str(ROOT / "profiles" / name), *OPTIONS.get(name, [])]
    planned = start(tmp_path, bucket.environment, "--dry-run", *profile, "--", "score")
    assert planned.wait() == 0, output(tmp_path)
    jobs = re.findall(r"^(\w+) +\d+$", output(tmp_path), re.MULTILINE)
    assert {"train_model", "translate_split", "score_run", "total"} <= set(jobs)


def test_the_profile_without_its_plugin_is_right_in_all_other_keys(bucket: Bucket, tmp_path: Path) -> None:
    [name] = WITHOUT_PLUGIN
    others = {
        key: value for key, value in PROFILES[name].items() if not key.startswith(("executor", name, "default-s"))
    }
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "profile.yaml").write_text(yaml.safe_dump(others), encoding="utf-8")
    planned = start(
        tmp_path / "run", dict(os.environ), "--dry-run", "--workflow-profile", str(tmp_path / "profile"), "--", "score"
    )
    assert planned.wait() == 0, output(tmp_path / "run")
    assert PROFILES[name].keys() - others.keys() == {
        *("executor", "default-storage-provider"),
        *("googlebatch-cpu-milli", "googlebatch-memory", "googlebatch-max-run-duration"),
    }
