"""The rules that train the builtin analysers again: what they would do, and what a missing treebank says."""

from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT
from tests.workflow.test_workflow import planned, snakemake


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with empty files in place of the treebanks that config/parsers.yaml names."""
    config = yaml.safe_load((ROOT / "config" / "parsers.yaml").read_text(encoding="utf-8"))
    for language in config["parsers"].values():
        for treebank in language["treebanks"].values():
            for layer in ("conllu", "rst", "coreference"):
                for pattern in treebank.get(layer, []):
                    file = tmp_path / "work" / pattern.partition("::")[0]
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.touch()
    return tmp_path / "work"


def test_every_shipped_model_is_trained_and_scored(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    result = snakemake(folder, "--configfile", str(ROOT / "config" / "parsers.yaml"), "--dry-run", "--", "parsers")
    assert result.returncode == 0, result.stdout
    jobs = {
        "prepare_treebank", "train_segmenter", "train_joint_network", "annotate_fold", "train_rst_parser",
        "train_coreference", "evaluate_parsers", "parsers",
    }  # fmt: skip
    assert planned(result.stdout) == jobs
    for weights in (ROOT / "resources" / "analysers").glob("*/*.safetensors"):
        assert f"results/builtin/parsers/{weights.parent.name}/weights/{weights.name}" in result.stdout


def test_one_language_alone(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    target = "results/builtin/parsers/de/scores/pud.tsv"
    result = snakemake(folder, "--configfile", str(ROOT / "config" / "parsers.yaml"), "--dry-run", "--", target)
    assert result.returncode == 0, result.stdout
    assert planned(result.stdout) == {
        "prepare_treebank", "train_segmenter", "train_joint_network", "evaluate_parsers",
    }  # fmt: skip


def test_a_missing_treebank_is_named_with_where_to_get_it(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for file in (folder.parent / "shared").rglob("gcdt_train_dev.tar.xz"):
        file.unlink()
    result = snakemake(folder, "--configfile", str(ROOT / "config" / "parsers.yaml"), "--dry-run", "--", "parsers")
    assert result.returncode != 0
    [line] = [line for line in result.stdout.splitlines() if "no file" in line]
    assert "parsers.zh.treebanks" in line and "github.com/logan-siyao-peng/GCDT" in line
    assert "Job stats" not in result.stdout


def test_the_demo_has_no_treebanks(tmp_path: Path) -> None:
    result = snakemake(tmp_path, "--dry-run", "--", "parsers")
    assert result.returncode != 0
    assert "config/parsers.yaml" in result.stdout
