"""A value of decoding that is chosen on dev, in the real DAG: by each model, before anything is translated."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from discourse_nmt.base.storage.files import read_json
from discourse_nmt.training.checkpoints.tuned_decoding import GRIDS, TunedDecoding
from discourse_nmt.translation import load
from tests.workflow.test_structure_workflow import CONFIG
from tests.workflow.test_workflow import NOTHING, planned, snakemake

DRAFTED = {
    "system": "document_graph",
    "settings": {"relations": ["adjacency"]},
    "initialised_from": "sentence",
    "decoding": {"length_penalty": 0.6},
}
EXPERIMENTS: dict[str, Any] = {"sentence": {"system": "transformer", "decodings": {"plain": {"length_penalty": 0.6}}}}


def written(path: Path, experiments: dict[str, Any], penalty: str | float) -> Path:
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["corpora"]["demo"]["shards"] = 1
    config["analyses"] = {"builtin": {"sides": ["source", "target"], "graph": {"relations": ["adjacency"]}}}
    config["decoding"] = {"beam": 2, "max_length_ratio": 0.6, "max_length_offset": 3, "length_penalty": penalty}
    path.write_text(yaml.safe_dump({**config, "experiments": experiments}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory in which one model is decoded with a value of its own and with a number."""
    folder = tmp_path_factory.mktemp("tuned")
    config = written(folder / "tuned.yaml", EXPERIMENTS, "tuned")
    result = snakemake(folder, "--configfile", str(config), "--", "score", "models")
    assert result.returncode == 0, result.stdout
    assert NOTHING in snakemake(folder, "--configfile", str(config), "--", "score", "models").stdout
    return folder


def plan(folder: Path, config: Path, *targets: str) -> set[str]:
    result = snakemake(folder, "--dry-run", "--configfile", str(config), "--", *targets)
    assert result.returncode == 0, result.stdout
    return planned(result.stdout)


def test_the_choice_stands_in_scores_and_model_folder(finished: Path) -> None:
    scores = pd.read_csv(finished / "results/structure/scores.tsv", sep="\t")
    by_name = {name: rows.set_index("metric") for name, rows in scores.groupby("experiment")}
    tuned_rows, plain_rows = by_name["sentence"], by_name["sentence.plain"]
    own, other = (
        finished / f"results/structure/demo/experiments/{name}/seed1" for name in ("sentence", "sentence.plain")
    )
    tuned = TunedDecoding.load(own / "tuned_decoding/dev.json")
    chosen = tuned.chosen["length_penalty"]
    assert len(tuned.trials) == len(GRIDS["length_penalty"])
    assert chosen != 0.6, "or the choice could be the default"
    assert tuned_rows["value"]["length penalty (tuned)"] == chosen
    assert "|tuned:length_penalty" in tuned_rows["signature"]["s-BLEU"]
    assert read_json(own / "model/model.json")["decoding"]["length_penalty"] == chosen
    assert load(own / "model", device="cpu").settings.length_penalty == chosen

    assert not any("tuned" in text for text in [*plain_rows["signature"], *plain_rows.index])
    assert not (other / "tuned_decoding").exists()
    assert read_json(other / "model/model.json")["decoding"]["length_penalty"] == 0.6


def test_another_value_trains_nothing(finished: Path, tmp_path: Path) -> None:
    rules = plan(finished, written(tmp_path / "number.yaml", EXPERIMENTS, 1.0), "score")
    assert "translate_split" in rules and not rules & {"train_model", "take_model", "tune_decoding"}


def test_a_draft_is_translated_with_the_choice(finished: Path, tmp_path: Path) -> None:
    first = {"system": "transformer"}
    config = written(tmp_path / "drafts.yaml", {"sentence": first, "graph": DRAFTED}, "tuned")
    assert {"tune_decoding", "translate_split", "draft_sentences"} <= plan(tmp_path, config, "train")
    # The choice of the finished model is there.
    rules = plan(finished, config, "train")
    assert "translate_split" in rules and "tune_decoding" not in rules
