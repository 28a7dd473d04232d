"""Translating and scoring instances: in any batches, of a dataset, and by the command line."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.models.core.int8_linear import Int8Linear, Int8Product
from discourse_nmt.models.packed.decoding.inference import _pieces, score_candidates, translate_instances
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance, SourceInstance
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import build
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.checkpoints.trained import open_trained
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.structures.dependencies import SCHEMA
from discourse_nmt.training.tasks.instances import InstanceTask
from discourse_nmt.training.tasks.protocol import Task
from discourse_nmt.workflow_scripts.train import translate
from tests.unit.models.packed.packed_examples import BEAM, FEWER, GREEDY, SMALL, instance, network
from tests.unit.training.run.training_toy import SIZE, dataset, vocabulary

ROWS = 75
LENGTHS = [[4, 0, 6], [7], [2, 2, 3, 5, 1], [3, 3]]
INSTANCES = [instance(lengths, number) for number, lengths in enumerate(LENGTHS)]


def with_target(source: SourceInstance, seed: int = 1) -> Instance:
    rng = np.random.default_rng(seed)
    targets = [rng.integers(7, 23, rng.integers(0, 6)) for _ in source.source]
    return Instance(source.source, targets, source.edus, source.heads, source.tree)


@pytest.mark.parametrize("settings", [BEAM, replace(BEAM, search="sequence")], ids=["waves", "sequence"])
def test_instances_alone_or_together_give_the_same(settings: DecodingSettings) -> None:
    model = network()
    together = dict(translate_instances(model, INSTANCES, settings))
    assert list(together) == [2, 0, 3, 1]  # the longest first
    for number, one in enumerate(INSTANCES):
        alone = dict(translate_instances(model, [one], replace(settings, batch_tokens=1)))[0]
        assert [[h.ids for h in found] for found in alone] == [[h.ids for h in found] for found in together[number]]


def literal_scores(model: PackedTransformer, one: Instance) -> list[float]:
    """The log-probability of each target sentence of an instance, from the forward pass of training."""
    with torch.no_grad():
        batch = model.pack([one])
        values = model(batch).log_softmax(-1).gather(1, batch.target_output[0][:, None])[:, 0]
        return [part.sum().item() for part in values.split([len(ids) + 1 for ids in one.target])]


def all_items(instances: Sequence[Instance]) -> list[tuple[int, int, list[int]]]:
    """Every target sentence as a candidate."""
    return [
        (number, sentence, ids.tolist())
        for number, one in enumerate(instances)
        for sentence, ids in enumerate(one.target)
    ]


SWITCHES: list[dict[str, str | bool]] = [
    {},
    {"target_positions": "running"},
    {"position_reset": True},
    {"target_positions": "running", "position_reset": True},
    {"target_tree": "none"},
    {"system": "concat"},
    {"system": "g_transformer"},
    {"system": "flat_transformer"},
    {"system": "hybrid_context"},
]


@pytest.mark.parametrize("switches", SWITCHES[:2] + SWITCHES[-1:], ids=str)
def test_forced_scores_are_those_of_the_search(switches: dict[str, str]) -> None:
    model = network(**switches)  # type: ignore[arg-type]
    translated = dict(translate_instances(model, INSTANCES, GREEDY))
    targets = [
        Instance(one.source, [np.array(h[0].ids) for h in translated[number]], one.edus, one.heads)
        for number, one in enumerate(INSTANCES)
    ]
    items = all_items(targets)
    for index, found in score_candidates(model, targets, items, batch_tokens=40):
        number, sentence, _ = items[index]
        assert found == pytest.approx(translated[number][sentence][0].log_probability, rel=1e-4)


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
@pytest.mark.parametrize("batch_tokens", [1, 35, 1000])
def test_candidates_score_as_in_an_instance_of_their_own(switches: dict[str, str], batch_tokens: int) -> None:
    """In any batches, and the sentences after a candidate do not affect its score."""
    model, rng = network(**switches), np.random.default_rng(3)  # type: ignore[arg-type]
    instances = [with_target(one, seed) for seed, one in enumerate(INSTANCES)]
    items = [(index, row, rng.integers(7, 23, rng.integers(0, 6)).tolist()) for index, row, _ in all_items(instances)]
    items = [*all_items(instances)[::2], *items[::-1]]
    found = dict(score_candidates(model, instances, items, batch_tokens))
    assert sorted(found) == list(range(len(items)))
    for index, (number, sentence, ids) in enumerate(items):
        one = instances[number]
        target = [*one.target[:sentence], np.array(ids, np.int64), *one.target[sentence + 1 :]]
        assert found[index] == pytest.approx(literal_scores(model, replace(one, target=target))[sentence], rel=1e-4)


def test_candidates_of_an_instance_share_its_source_and_earlier_sentences() -> None:
    model, instances = network(), [with_target(one, seed) for seed, one in enumerate(INSTANCES)]
    items = [(2, 3, [8, 9]), (2, 3, [9]), (0, 1, []), (2, 1, [7])]
    tokens: dict[str, list[int]] = {"source": [], "target": []}
    for side in tokens:
        embedding = getattr(model, f"{side}_embedding")
        embedding.register_forward_pre_hook(lambda _, ids, side=side: tokens[side].append(ids[0].numel()))
    assert len(dict(score_candidates(model, instances, items, batch_tokens=1000))) == 4
    source = sum(len(ids) + 2 for one in (instances[2], instances[0]) for ids in one.source)
    earlier = sum(len(ids) + 1 for ids in [*instances[2].target[:3], instances[0].target[0]])
    assert tokens == {"source": [source], "target": [earlier + 3 + 2 + 1 + 2]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A test set of two documents, the first of several instances, its structure, and an untrained model."""
    results = tmp_path_factory.mktemp("results")
    data = dataset(results, [ROWS - 5, 5], name="test")
    lengths = data.source.lengths.tolist()
    numbers = [*range(ROWS - 5), *range(5)]  # one unit for each sentence, whose head is the one before
    columns = {
        "edus": [[number] * length for number, length in zip(numbers, lengths)],
        "edu_heads": [[number - 1] for number in numbers],
    }
    keys = {name: data.table[name] for name in ("doc_id", "sent_id")}
    write_rows(pa.table({**keys, **columns}, schema=SCHEMA), results / "structure.arrow")
    for system in ("rst_transformer", "concat"):
        torch.manual_seed(1)
        switches = {**SMALL, **FEWER.get(system, {})}
        model = build(system, switches, SIZE, SIZE, True)
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=0.3)
        save_model(results / f"{system}.safetensors", model, system, switches, vocabulary(), vocabulary())
    vocabulary().save(results / "vocabulary.json")
    return results


SHORT = DecodingSettings(beam=1, max_length_ratio=0.0, max_length_offset=2)
UNCUT, TREE_FREE = replace(SHORT, whole_documents=True), replace(SHORT, use_tree=False)


def opened(folder: Path, settings: DecodingSettings, system: str = "rst_transformer") -> tuple[PackedTransformer, Task]:
    files = (folder / f"{system}.safetensors", folder / "test.arrow", folder / "structure.arrow")
    trained = open_trained(*files, (vocabulary(), vocabulary()), settings, torch.device("cpu"))
    assert isinstance(trained.network, PackedTransformer)
    return trained.network, trained.task


def probabilities(folder: Path, settings: DecodingSettings, system: str = "rst_transformer") -> list[float]:
    """The log-probability of the translation of every row."""
    model, task = opened(folder, settings, system)
    found = dict(task.hypotheses(model, settings))
    assert sorted(found) == list(range(ROWS))
    return [found[row][0].log_probability for row in range(ROWS)]


def test_settings_choose_what_is_read(folder: Path) -> None:
    """The last document is one instance in any case; the tree of a system that has none changes nothing."""
    usual, uncut, tree_free = (probabilities(folder, settings) for settings in (SHORT, UNCUT, TREE_FREE))
    assert uncut[-5:] == pytest.approx(usual[-5:], rel=1e-4) and uncut != pytest.approx(usual, rel=1e-4)
    assert tree_free[-5:] != pytest.approx(usual[-5:], rel=1e-4)
    concat = [probabilities(folder, settings, "concat") for settings in (SHORT, TREE_FREE)]
    assert concat[0] == pytest.approx(concat[1], rel=1e-5)


@pytest.mark.parametrize("settings", [SHORT, UNCUT, TREE_FREE], ids=["usual", "uncut", "tree-free"])
def test_candidates_are_scored_within_their_documents(folder: Path, settings: DecodingSettings) -> None:
    """A reference scores as in its whole instance, another candidate does not."""
    model, task = opened(folder, settings)
    assert isinstance(task, InstanceTask)
    rows = [0, 44, ROWS - 6, ROWS - 3, ROWS - 3]
    references = task.dataset.target.sentences()
    targets = [*(references[row] for row in rows[:-1]), [*references[ROWS - 3], 9]]
    found = dict(task.scores(model, rows, targets, settings))
    expected = literal_scores(model, task.instance(ROWS - 5, ROWS, settings.use_tree))
    assert sorted(found) == list(range(5))
    assert found[3] == pytest.approx(expected[2], rel=1e-5) and found[4] != found[3]


def test_a_structure_file_is_asked_for_where_trees_are_read(folder: Path) -> None:
    files = (folder / "rst_transformer.safetensors", folder / "test.arrow", None)
    both = (vocabulary(), vocabulary())
    with pytest.raises(InputError, match="reads discourse structure"):
        open_trained(*files, both, SHORT, torch.device("cpu"))
    open_trained(*files, both, replace(SHORT, use_tree=False), torch.device("cpu"))


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_the_command_writes_a_row_for_every_sentence(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, precision: str
) -> None:
    kernels = Mock(wraps=Int8Product)
    monkeypatch.setattr(Int8Linear, "kind", kernels)
    beam = {"beam": 2, "n_best": 2, "max_length_ratio": 0.0, "max_length_offset": 2}
    options = {
        "model": folder / "rst_transformer.safetensors",
        "dataset": folder / "test.arrow",
        "structure": folder / "structure.arrow",
        "source-vocabulary": folder / "vocabulary.json",
        "target-vocabulary": folder / "vocabulary.json",
        "settings": json.dumps({**beam, "precision": precision}),
        "text-settings": json.dumps({"source_language": "en", "target_language": "de"}),
        "output": tmp_path / "output.parquet",
    }
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    monkeypatch.setattr(sys, "argv", ["translate", *words])
    translate.main()
    table = read_table(tmp_path / "output.parquet", "translations")
    assert len(table) == 2 * ROWS and table["rank"].tolist() == [0, 1] * ROWS
    assert kernels.called == (precision == "int8")


@pytest.mark.parametrize("batch_tokens", [1, 12, 20, 1000])
def test_items_that_are_scored_together_fill_a_batch_with_all_their_tokens(batch_tokens: int) -> None:
    """Beside each other they stand after the sentences before them, each with a beginning of its own."""
    whole = with_target(INSTANCES[2])
    items = [(0, sentence, [7] * length) for sentence in (1, 3) for length in (2, 5, 3)]
    source_tokens = sum(len(ids) + 2 for ids in whole.source)
    earlier = [sum(len(ids) + 1 for ids in whole.target[:sentence]) for sentence in range(len(whole.target))]
    pieces = list(_pieces([whole], items, batch_tokens))
    assert sorted(item for _, piece, _ in pieces for item in piece) == list(range(len(items)))
    for number, (_, piece, size) in enumerate(pieces):
        own = sum(len(items[item][2]) + 1 for item in piece)
        first = sum(len(items[item][2]) + 1 for item in piece[:-1])
        last = items[piece[-1]]
        assert size == max(source_tokens, earlier[last[1]] + first + len(last[2]) + 1)
        assert len(piece) == 1 or size <= max(batch_tokens, source_tokens)
        if number + 1 < len(pieces):
            _, sentence, ids = items[pieces[number + 1][1][0]]
            assert earlier[sentence] + own + len(ids) + 1 > max(batch_tokens, source_tokens)
