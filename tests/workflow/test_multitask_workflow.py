"""The multi-task system in the real DAG: what is analysed for training, for decoding, and by the model itself."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT
from tests.workflow.test_structure_workflow import CONFIG, plan

MULTITASK = {"system": "multitask", "analysis": "gold", "initialised_from": "sentence"}
PARSER = {**MULTITASK, "settings": {"test_structure": "multitask+parser"}}
SCORES = "results/structure/demo/experiments/multitask/seed1/discourse/test.tsv"


@pytest.mark.parametrize(
    ("experiment", "decoding", "splits"),
    [(MULTITASK, {}, 2), (PARSER, {}, 3), (PARSER, {"use_tree": False}, 2)],
)
def test_a_parser_is_needed_for_training_alone(
    tmp_path: Path, experiment: dict[str, Any], decoding: dict[str, Any], splits: int
) -> None:
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["experiments"] = {"sentence": {"system": "transformer"}, "multitask": {**experiment, "decoding": decoding}}
    path = tmp_path / "multitask.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    rules = plan(tmp_path, ROOT, path, "score")
    assert rules["build_structure"] == splits
    assert rules["translate_split"] == 2
    if experiment is MULTITASK:
        own = plan(tmp_path, ROOT, path, SCORES)
        assert own["build_structure"] == 3 and own["predict_discourse"] == 1
