"""Labellers of themes in the real DAG: what labels their words, and what they read."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.workflow.test_structure_workflow import CONFIG, plan
from tests.workflow.test_workflow import snakemake

THEMES = {"backend": "import", "format": "table", "files": "results/structure/generated/gold/themes/{split}.parquet"}
CTRD = {"format": "ctrd", "files": ["ctrd/*.xml"], "where": "get CTRD"}


def configured(folder: Path, **labeller: Any) -> Path:
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["analyses"]["gold"]["themes"] = THEMES
    config["experiments"] = {"sentence": {"system": "transformer", "seeds": [1, 2]}}
    config["labellers"] = {"themes": {"experiments": ["sentence"], **labeller}}
    path = folder / "labellers.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


@pytest.mark.parametrize(("network", "models"), [("encoder", 2), ("characters", None)])
def test_words_of_an_analysis(tmp_path: Path, network: str, models: int | None) -> None:
    rules = plan(tmp_path, ROOT, configured(tmp_path, analysis="gold", settings={"network": network}), "labellers")
    assert rules["label_words"] >= 3
    assert rules["train_labeller"] == 2
    assert rules.get("train_model") == models
    assert "import_labelled_words" not in rules


def test_words_of_a_labelled_corpus(tmp_path: Path) -> None:
    path = configured(tmp_path, imported=CTRD)
    result = snakemake(tmp_path, "--dry-run", "--configfile", str(path), "--", "labellers")
    assert result.returncode
    assert "labeller themes: no file ctrd/*.xml; get CTRD" in result.stdout
    (tmp_path / "ctrd").mkdir()
    (tmp_path / "ctrd" / "a.xml").touch()
    rules = plan(tmp_path, ROOT, path, "labellers")
    assert (rules["import_labelled_words"], rules["train_labeller"], rules["train_model"]) == (1, 2, 2)
    assert "label_words" not in rules and "label_themes" not in rules
