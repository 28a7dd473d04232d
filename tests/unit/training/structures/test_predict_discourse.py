"""The multi-task model as a discourse parser: trees, tables that other systems read, and scores."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.discourse.evaluation.measures.dependencies import attachment
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.projective import best_projective_tree
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.models.multitask.network import Multitask
from discourse_nmt.models.multitask.paragraph_analysis import ParagraphAnalysis
from discourse_nmt.models.multitask.parsing import ParsedParagraph, parse_paragraphs
from discourse_nmt.models.systems import build
from discourse_nmt.training.builders.dependencies import write_dependencies
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.builders.paragraph_dependencies import write_paragraph_dependencies
from discourse_nmt.training.builders.positions import write_positions
from discourse_nmt.training.builders.predicted_analysis import attachment_counts, segmentation_counts
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.structures.dependencies import DependencyFile
from discourse_nmt.training.structures.paragraph_dependencies import ParagraphDependencyFile
from discourse_nmt.training.structures.positions import PositionFile
from discourse_nmt.workflow_scripts.discourse import predict_discourse
from tests.unit.models.multitask.multitask_examples import PARAGRAPHS, RELATIONS, multitask, without_parser
from tests.unit.training.run.training_toy import vocabulary
from tests.unit.training.structures.structure_examples import generated, written


def test_t04_8_attachment() -> None:
    labels = (["ROOT", "a", "b", "c"], ["ROOT", "a", "b", "d"])
    counts = attachment_counts(([0, 0, 0, 2], labels[0]), ([0, 0, 1, 2], labels[1]))
    assert {name: count.f1 for name, count in counts.items()} == {"UAS": 75, "LAS": 50, "LAS without roles": 50}
    gold, predicted = (
        Dependencies(heads, tuple(names)) for heads, names in zip([(-1, 0, 0, 2), (-1, 0, 1, 2)], labels)
    )
    assert {name: count.f1 for name, count in attachment(gold, predicted).items()} == {"UAS": 75, "LAS": 50}
    with_roles = attachment_counts(([0, -1, 0], ["ROOT", "", "a_m"]), ([0, 0, 0], ["ROOT", "a_r", "a_r"]))
    assert [(count.right, count.gold) for count in with_roles.values()] == [(2, 2), (1, 2), (2, 2)]


def test_t04_8_span_f1() -> None:
    words = [np.arange(6), np.arange(4)]
    gold = ParagraphAnalysis(words, [np.array([0, 0, 0, 1, 1, 1]), np.array([2, 2, 2, 2])])
    nothing = np.zeros((4, 4))
    found = ParsedParagraph([np.array([0, 0, 0, 1, 1, 2]), np.array([3, 3, 3, 3])], nothing, nothing, nothing)
    counts = segmentation_counts(gold, found)["exact EDU"]
    assert (counts.precision, counts.recall, counts.f1) == pytest.approx((50, 66.6667, 57.1429), abs=1e-3)


def test_units_of_several_subwords_are_compared_as_words() -> None:
    gold = ParagraphAnalysis([np.array([0, 0, 1, 1, 2])], [np.array([0, 0, 0, 0, 1])])
    found = ParsedParagraph([np.array([0, 0, 1, 1, 1])], *[np.zeros((2, 2))] * 3)
    assert segmentation_counts(gold, found)["exact EDU"].right == 0
    assert segmentation_counts(gold, found)["EDU"].f1 == 50


@pytest.mark.parametrize("seed", range(8))
def test_no_projective_tree_has_a_higher_score(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 1 + seed % 5
    scores = rng.normal(size=(count, count))

    def value(heads: tuple[int, ...]) -> float:
        return sum(scores[unit, unit if head < 0 else head] for unit, head in enumerate(heads))

    found = tuple(best_projective_tree(scores))
    best = -np.inf
    for heads in itertools.product(range(-1, count), repeat=count):
        try:
            tree = Dependencies(heads, tuple("ROOT" if head < 0 else "x" for head in heads))
        except StructureError:
            continue
        if len(tree.roots) == 1 and not tree.gaps:
            best = max(best, value(heads))
    assert value(found) == pytest.approx(best)
    tree = Dependencies(found, tuple("ROOT" if head < 0 else "x" for head in found))
    assert len(tree.roots) == 1 and not tree.gaps


def test_parses_agree_with_the_network() -> None:
    model = multitask().double()
    for given in (False, True):
        found = dict(parse_paragraphs(model, PARAGRAPHS, 20, given))
        together = dict(parse_paragraphs(model, PARAGRAPHS if given else without_parser(PARAGRAPHS), 1000, given))
        for number, one in enumerate(PARAGRAPHS):
            units = [each.tolist() for each in found[number].units]
            assert units == [each.tolist() for each in together[number].units]
            if given:
                assert units == [each.tolist() for each in one.structure.units]
            np.testing.assert_allclose(found[number].heads, together[number].heads, atol=1e-9)
            np.testing.assert_allclose(np.exp(found[number].heads).sum(axis=1), 1, atol=1e-9)
            heads = list(range(len(found[number].heads)))
            assert set(found[number].relations(heads).tolist()) == {0}
            heads[-1] = 0
            assert len(heads) == 1 or found[number].relations(heads)[-1] > 0


SMALL = {"width": 8, "heads": 2, "feed_forward_width": 16, "encoder_layers": 1, "decoder_layers": 1}


@pytest.mark.parametrize(
    "switches", [{"context": "none"}, {"edu_attn": "mhsa"}, {"paragraph_len": 15}], ids=lambda one: next(iter(one))
)
def test_a_model_that_parses_no_whole_paragraph_is_refused(switches: dict[str, Any], tmp_path: Path) -> None:
    words = vocabulary()
    words.save(tmp_path / "vocabulary.json")
    network = build("multitask", {**SMALL, **switches, "relations": RELATIONS}, len(words), len(words), True)
    assert isinstance(network, Multitask)
    save_model(tmp_path / "model.safetensors", network, "multitask", network.settings, words, words)
    model, vocabularies = tmp_path / "model.safetensors", tmp_path / "vocabulary.json"
    with pytest.raises(InputError, match="does not parse paragraphs of 16 sentences"):
        predict_discourse.opened(model, vocabularies, vocabularies, "cpu")


@pytest.fixture
def predicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the predictions of a random model for documents of up to 40 sentences."""
    frame, tables = generated(3, sentences=40)
    data = written(tmp_path, frame)
    write_paragraph_dependencies(data, [tables], tmp_path / "gold.arrow", BuilderOptions())
    write_table(tables["tokens"], tmp_path / "tokens.parquet", "tokens")
    words = vocabulary(1 + max(data.source.largest, data.target.largest))
    words.save(tmp_path / "vocabulary.json")
    torch.manual_seed(1)
    network = build("multitask", {**SMALL, "relations": RELATIONS}, len(words), len(words), True)
    assert isinstance(network, Multitask)
    save_model(tmp_path / "model.safetensors", network, "multitask", network.settings, words, words)
    outputs = [f"--{name.replace('_', '-')}={tmp_path / name}.parquet" for name in ("edus", "rst", "rst_dependencies")]
    inputs = {
        "model": "model.safetensors",
        "dataset": "data.arrow",
        "tokens": "tokens.parquet",
        "source-vocabulary": "vocabulary.json",
        "target-vocabulary": "vocabulary.json",
        "against": "gold.arrow",
        "scores": "scores.tsv",
    }
    arguments = [f"--{name}={tmp_path / file}" for name, file in inputs.items()]
    monkeypatch.setattr("sys.argv", ["predict_discourse", "--device=cpu", *arguments, *outputs])
    predict_discourse.main()
    return tmp_path


def test_other_systems_read_the_tables(predicted: Path) -> None:
    data = ParallelDataset(predicted / "data.arrow")
    names = ("tokens", "edus", "rst", "rst_dependencies")
    shards = [{name: read_table(predicted / f"{name}.parquet", name) for name in names}]
    write_dependencies(data, shards, predicted / "structure.arrow", BuilderOptions())
    write_positions(data, shards, predicted / "positions.arrow", BuilderOptions())
    write_paragraph_dependencies(data, shards, predicted / "again.arrow", BuilderOptions())
    structure = DependencyFile(predicted / "structure.arrow", data)
    PositionFile(predicted / "positions.arrow", data)
    again = ParagraphDependencyFile(predicted / "again.arrow", data)
    for start, stop in zip(again.borders[:-1].tolist(), again.borders[1:].tolist()):
        units, heads = structure[start:stop]
        one = again[start:stop]
        assert one.units is not None
        assert [each.tolist() for each in units] == [each.tolist() for each in one.units]
        assert [unit if head < 0 else head for unit, head in enumerate(heads.tolist())] == list(one.heads)
        assert heads.tolist().count(-1) == 1


def test_scores_are_written(predicted: Path) -> None:
    scores = pd.read_csv(predicted / "scores.tsv", sep="\t")
    metrics = dict(zip(scores["metric"], scores["value"]))
    assert {"exact EDU F1", "UAS", "LAS", "LAS without roles"} <= metrics.keys()
    assert all(0 <= value <= 100 for value in metrics.values())
    assert metrics["LAS"] <= metrics["LAS without roles"] <= metrics["UAS"]
