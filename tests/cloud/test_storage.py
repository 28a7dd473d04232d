"""A run in an S3 bucket: a machine is lost in the middle of a training, and another one goes on from its checkpoint."""

import os
import re
import signal
import time
from pathlib import Path

import pandas as pd

from tests.cloud.conftest import CONFIG, STORAGE, Bucket, output, start
from tests.faults.identical import differences


def test_a_run_goes_on_on_an_empty_machine_and_ends_as_an_undisturbed_one(bucket: Bucket, tmp_path: Path) -> None:
    prefix = "runs/first/"
    stored = (*STORAGE, f"s3://bucket/{prefix}", "--", "score")

    undisturbed = start(tmp_path / "undisturbed", {}, "--", "score")
    assert undisturbed.wait() == 0, output(tmp_path / "undisturbed")

    lost = start(tmp_path / "lost", bucket.environment, *stored)
    while not (states := [name for name in bucket.names(f"{prefix}work/") if name.endswith(".json")]):
        assert lost.poll() is None, output(tmp_path / "lost")
        time.sleep(0.02)
    os.killpg(lost.pid, signal.SIGKILL)
    lost.wait()
    assert not [name for name in bucket.names(prefix) if name.endswith("model.safetensors")]

    other = start(tmp_path / "other", bucket.environment, *stored)
    assert other.wait() == 0, output(tmp_path / "other")
    [continued] = re.findall(r"continuing after update (\d+)", output(tmp_path / "other"))
    assert int(continued) >= min(int(re.findall(r"update-0*(\d+)\.json", name)[0]) for name in states)

    bucket.download(f"{prefix}results/", tmp_path / "stored" / "results")
    files = {path.relative_to(tmp_path / "stored") for path in (tmp_path / "stored").rglob("*") if path.is_file()}
    names = [str(path) for path in files if path.parts[2] not in ("logs", "benchmarks")]
    assert "results/small/scores.tsv" in names and any(name.endswith("model.safetensors") for name in names)
    assert not differences(tmp_path / "undisturbed", tmp_path / "stored", names)


def test_a_corpus_that_only_the_storage_has_is_imported(bucket: Bucket, tmp_path: Path) -> None:
    rows = "".join(f"letter\tA letter, number {n}.\tEin Brief, Nummer {n}.\n" for n in range(9))
    for split in ("train", "dev", "test"):
        bucket.upload("doc_id\tsource\ttarget\n" + rows.replace("letter\t", f"{split}\t"), f"own/texts/{split}.tsv")
    text = CONFIG.read_text(encoding="utf-8").replace("results/small/generated/", "texts/")
    own = tmp_path / "own.yaml"
    own.write_text(text, encoding="utf-8")
    stored = (*STORAGE, "s3://bucket/own", "--", "corpus")
    imported = start(tmp_path / "machine", bucket.environment, *stored, configuration=own)
    assert imported.wait() == 0, output(tmp_path / "machine")
    bucket.download("own/results/", tmp_path / "stored")
    assert len(pd.read_parquet(tmp_path / "stored" / "small" / "demo" / "corpus" / "train" / "0.parquet")) == 9


def test_a_bucket_that_is_not_there_is_one_line_before_any_job(bucket: Bucket, tmp_path: Path) -> None:
    refused = start(tmp_path, bucket.environment, *STORAGE, "s3://nothing/run", "--", "score")
    assert refused.wait() != 0
    assert re.search(
        r"^error: s3://nothing/run: nothing can be kept there \(.*bucket.*\); check the address", output(tmp_path), re.M
    )
    assert "Traceback" not in output(tmp_path) and "rule " not in output(tmp_path)


def test_absent_credentials_are_one_line_before_any_job(bucket: Bucket, tmp_path: Path) -> None:
    endpoint = {name: value for name, value in bucket.environment.items() if "KEY" not in name}
    refused = start(tmp_path, {**endpoint, "HOME": str(tmp_path)}, *STORAGE, "s3://bucket/run", "--", "score")
    assert refused.wait() != 0
    assert re.search(
        r"^error: s3://bucket/run: nothing can be kept there \(.*credentials\); check", output(tmp_path), re.M
    )
    assert "Traceback" not in output(tmp_path) and "rule " not in output(tmp_path)


def test_results_of_another_run_in_the_folder_are_not_taken_for_the_stored_ones(bucket: Bucket, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    refused = start(tmp_path, bucket.environment, *STORAGE, "s3://bucket/run", "--", "score")
    assert refused.wait() != 0
    assert "results: a folder of a run without remote storage; start in another folder" in output(tmp_path)
