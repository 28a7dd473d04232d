"""The target caches in the real DAG: which models it shows the caches of, and what that needs."""

from pathlib import Path
from typing import Any

import yaml

from tests.conftest import ROOT
from tests.workflow.test_structure_workflow import CONFIG, plan


def configured(folder: Path, experiments: dict[str, Any]) -> Path:
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["analyses"]["gold"]["themes"] = config["analyses"]["gold"]["edus"]
    config["labellers"] = {"themes": {"analysis": "gold"}}
    config["experiments"] = {"sentence": {"system": "transformer"}, **experiments}
    path = folder / "caches.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path


def test_every_model_with_a_cache_is_shown_on_every_test_set(tmp_path: Path) -> None:
    """Without a translation, or a structure file of train more than training needs."""
    base = {"system": "theme_rheme_cache", "initialised_from": "sentence"}
    experiments = {
        "cache": {**base, "labeller": "themes", "seeds": [1, 2]},
        "continuous": {**base, "settings": {"cache": "continuous"}},
        "none": {**base, "settings": {"cache": "none"}},
        "other": {"system": "continuous_cache", "initialised_from": "sentence"},
    }
    rules = plan(tmp_path, ROOT, configured(tmp_path, experiments), "caches")
    assert rules["show_cache"] == 3
    assert rules["train_model"] == 4  # the sentence model, and three with a cache
    assert rules["train_labeller"] == 1
    assert rules["build_text_structure"] == 3
    assert "translate_split" not in rules


def test_without_a_cache_there_is_nothing_to_show(tmp_path: Path) -> None:
    assert set(plan(tmp_path, ROOT, configured(tmp_path, {}), "caches")) <= {"caches"}
