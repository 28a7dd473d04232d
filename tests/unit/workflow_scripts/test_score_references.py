"""The command score_references: values by hand, differences of forced scores, controls that a system does not have."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest
import torch

from discourse_nmt.base.storage.tables import TABLES, read_table
from discourse_nmt.base.vocabulary import END
from discourse_nmt.models.core.inference import padded
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings
from discourse_nmt.models.systems import build
from discourse_nmt.scoring.alignment.settings import DocumentMetricsSettings
from discourse_nmt.scoring.comparison.cxmi import cxmi_scores
from discourse_nmt.scoring.metrics.score import CXMI
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.checkpoints.model_files import load_model, save_model
from discourse_nmt.training.checkpoints.trained import open_trained
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.kinds import STRUCTURES, loaded
from discourse_nmt.workflow_scripts.train import score_references
from tests.unit.training.run.training_toy import vocabulary
from tests.unit.training.structures.structure_examples import generated, sharded, written

SMALL = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "feed_forward_width": 32, "heads": 2, "dropout": 0.0}
SWITCHES: dict[str, dict[str, Any]] = {
    "transformer": {},
    "g_transformer": {"global_layers": 1},
    "rst_transformer": {"rst_layers": 1},
    "selective": {},
}
BOTH = (vocabulary(40), vocabulary(40))
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six documents with their structure files, vocabularies, and an untrained model of each system."""
    folder = tmp_path_factory.mktemp("data")
    frame, tables = generated(3, documents=6, sentences=4)
    dataset = written(folder, frame)
    for name in ("dependencies", "positions"):
        inputs = [{key: shard[table] for key, table in STRUCTURES[name].inputs.items()} for shard in sharded(tables)]
        loaded(STRUCTURES[name].builder)(dataset, inputs, folder / f"{name}.arrow", BuilderOptions())
    for system, switches in SWITCHES.items():
        save(folder / f"{system}.safetensors", system, switches)
    BOTH[0].save(folder / "vocabulary.json")
    return folder


def save(path: Path, system: str, switches: dict[str, Any]) -> None:
    """An untrained model whose choices differ clearly."""
    torch.manual_seed(1)
    network = build(system, {**SMALL, **switches}, 40, 40, True)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    save_model(path, network, system, {**SMALL, **switches}, *BOTH)


def structure_of(system: str) -> str | None:
    return {"rst_transformer": "dependencies", "selective": "positions"}.get(system)


def scored(folder: Path, system: str, controls: list[str], monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Any:
    """The table of the command."""
    kind = structure_of(system)
    words = ["--model", f"{folder}/{system}.safetensors", "--dataset", f"{folder}/data.arrow"]
    words += ["--structure", f"{folder}/{kind}.arrow"] if kind else []
    words += ["--source-vocabulary", f"{folder}/vocabulary.json", "--target-vocabulary", f"{folder}/vocabulary.json"]
    words += ["--settings", json.dumps(settings), "--controls", *controls]
    monkeypatch.setattr(sys, "argv", ["score_references", *words, "--output", str(folder / "scores.parquet")])
    score_references.main()
    return read_table(folder / "scores.parquet", "reference_scores")


def forced(folder: Path, system: str, settings: DecodingSettings, context: ContextRead = "both") -> np.ndarray:
    """The scores of :meth:`.Task.scores` for the whole dataset at once."""
    kind = structure_of(system)
    path = folder / f"{kind}.arrow" if kind else None
    trained = open_trained(folder / f"{system}.safetensors", folder / "data.arrow", path, BOTH, settings, CPU)
    rows = list(range(len(trained.dataset)))
    found = dict(trained.task.scores(trained.network, rows, trained.dataset.target.sentences(), settings, context))
    return np.array([found[row] for row in rows])


def test_names_of_controls_agree() -> None:
    hint = get_args(get_args(get_type_hints(DocumentMetricsSettings)["cxmi"])[0])
    assert hint == score_references.CONTROLS == tuple(CXMI) == tuple(list(TABLES["reference_scores"])[-5:])


def test_a_sentence_model_has_the_sum_of_its_log_probabilities_and_takes_nothing_from_context(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = scored(folder, "transformer", list(score_references.CONTROLS), monkeypatch)
    data = ParallelDataset(folder / "data.arrow")
    network: Any = load_model(folder / "transformer.safetensors", *BOTH, device=CPU)
    for row, (source, target) in enumerate(zip(data.source.sentences(), data.target.sentences())):
        with torch.no_grad():
            logits = network(padded([source], network), padded([target], network)[:, :-1])[0]
        chosen = torch.log_softmax(logits, dim=-1)[range(len(target) + 1), [*target, END]]
        assert found["score"][row] == pytest.approx(float(chosen.sum()), rel=1e-5)
    assert found["words"].tolist() == [len(set(words)) for words in data.table["target_words"].to_pylist()]
    for control in ("without_context", "without_source_context", "without_target_context"):
        assert found[control].tolist() == found["score"].tolist()
    assert found[["without_trees", "shuffled_trees"]].isna().all(axis=None)
    assert [(score.metric, score.value) for score in cxmi_scores(found)] == [
        (f"CXMI (without {side}){bound}", 0)
        for side in ("context", "source context", "target context")
        for bound in ("", ", lower bound", ", upper bound")
    ]


@pytest.mark.parametrize("system", ["g_transformer", "rst_transformer", "selective"])
def test_controls_are_forced_scores_of_the_same_model(
    system: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = scored(folder, system, list(score_references.CONTROLS), monkeypatch)
    read = DecodingSettings()
    treeless = replace(read, use_tree=False)
    expected = {"score": read, "without_context": replace(read, use_context=False)}
    if structure_of(system):
        expected["without_trees"] = treeless
    values = {column: forced(folder, system, settings) for column, settings in expected.items()}
    values["without_source_context"] = forced(folder, system, treeless, "target")
    values["without_target_context"] = forced(folder, system, read, "source")
    for column, value in values.items():
        assert found[column].tolist() == pytest.approx(value.tolist(), rel=1e-5), column
        reads_nothing = column == "score" or (column, system) == ("without_target_context", "selective")
        assert (found[column] != found["score"]).any() != reads_nothing, column
    (metric, *_) = cxmi_scores(found)
    gained = forced(folder, system, expected["score"]) - forced(folder, system, expected["without_context"])
    assert metric.value == pytest.approx(gained.sum() / np.log(2) / found["words"].sum(), rel=1e-3)


def test_shuffled_trees_are_those_of_the_control_in_training(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = scored(folder, "rst_transformer", ["shuffled_trees"], monkeypatch)
    assert found["without_context"].isna().all() and found["without_trees"].isna().all()
    assert (found["shuffled_trees"] != found["score"]).any()
    # The same weights, declared as trained with shuffled trees: they read these, and have no other control.
    save(folder / "shuffled.safetensors", "rst_transformer", {"rst_layers": 1, "shuffled_trees": True})
    monkeypatch.setitem(SWITCHES, "shuffled", {})
    monkeypatch.setattr(f"{__name__}.structure_of", lambda system: "dependencies")
    other = scored(folder, "shuffled", ["shuffled_trees"], monkeypatch)
    assert other["score"].tolist() == pytest.approx(found["shuffled_trees"].tolist(), rel=1e-5)
    assert other["shuffled_trees"].isna().all()


def test_settings_of_decoding_tell_what_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = scored(folder, "rst_transformer", ["without_context", "without_trees"], monkeypatch, use_tree=False)
    settings = DecodingSettings(use_tree=False)
    assert found["score"].tolist() == pytest.approx(forced(folder, "rst_transformer", settings).tolist(), rel=1e-5)
    assert found["without_trees"].isna().all()


def test_stretches_change_no_score(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = scored(folder, "rst_transformer", list(score_references.CONTROLS), monkeypatch)
    stretches = score_references.stretches_of
    monkeypatch.setattr(score_references, "stretches_of", lambda documents: stretches(documents, sentences=1))
    divided = scored(folder, "rst_transformer", list(score_references.CONTROLS), monkeypatch)
    pd.testing.assert_frame_equal(divided, whole, rtol=1e-5)
