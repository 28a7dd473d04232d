"""``decoding.use_context: false``: every system translates and scores each sentence as if it were a document; with
``target_context: references`` it translates each sentence given the references of the earlier ones. Scores can leave
out one side of the context.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings
from discourse_nmt.models.systems import SYSTEMS, build, system_named
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.checkpoints.trained import TrainedModel, open_trained
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.parts import StructuresFrom
from discourse_nmt.training.kinds import STRUCTURES, loaded
from discourse_nmt.training.structures.opening import open_structure
from discourse_nmt.training.tasks.protocol import Task, task_for
from discourse_nmt.translation.translator import Translator
from tests.unit.training.structures.structure_examples import ADDRESSING, generated, sharded, written
from tests.unit.translation.folders import make_folder

SMALL = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "feed_forward_width": 32, "heads": 2, "dropout": 0.0}
SWITCHES: dict[str, dict[str, Any]] = {
    "g_transformer": {"global_layers": 1},
    "rst_transformer": {"rst_layers": 1},
    "multitask": {"relations": ["x"]},
    "selective": {"sides": "both"},
    "document_graph": {"target_graph": "none", "relations": ["lexical"], "graph_layers": 1},
    "theme_rheme_cache": {"cache": "continuous", "cache_size": 5},
    "side_constraint": {"target_language": "de"},
}
WITH = DecodingSettings(beam=2, max_length_ratio=0.0, max_length_offset=3)
WITHOUT = replace(WITH, use_context=False)
GIVEN = replace(WITH, target_context="references")
READ_SOURCE_ALONE = {
    *("transformer", "multitask", "document_graph", "flat_transformer", "doc_transformer", "hm_gdc"),
    "theme_rheme_cache",
}
BOTH = (ADDRESSING, ADDRESSING)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five documents with the structure files of all kinds that are built."""
    folder = tmp_path_factory.mktemp("data")
    frame, tables = generated(3, documents=5, sentences=4)
    dataset = written(folder, frame)
    first = tables["tokens"].query("side == 'source'")
    ends = dict.fromkeys(("from_sent", "to_sent"), first["sent_id"]) | {"from_token": 0, "to_token": 0}
    edges = pd.DataFrame({"doc_id": first["doc_id"], "relation": "lexical", **ends})
    tables |= {"subwords": frame, "document_graph": edges.astype({"doc_id": str, "relation": str})}
    for name, kind in STRUCTURES.items():
        if kind.builder and name != "draft_graph":
            options = BuilderOptions(language="en") if "language" in kind.options else BuilderOptions()
            inputs = [{key: shard[table] for key, table in kind.inputs.items()} for shard in sharded(tables)]
            loaded(kind.builder)(dataset, inputs, folder / f"{name}.arrow", options)
    return folder


def model(folder: Path, system: str, settings: DecodingSettings) -> tuple[TrainedModel, str, Path | None]:
    """An untrained model, the kind of structure that it decodes with, and its file."""
    torch.manual_seed(1)
    switches = {**SMALL, **SWITCHES.get(system, {})}
    network = build(system, switches, 40, 40, True)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    path = folder / f"{system}.safetensors"
    save_model(path, network, system, switches, *BOTH)
    kind = system_named(system).switches(switches).decoding_structure(settings.use_tree)
    structure = folder / f"{kind}.arrow" if STRUCTURES[kind].builder else None
    return open_trained(path, folder / "data.arrow", structure, BOTH, settings, torch.device("cpu")), kind, structure


def rows_alone(model: TrainedModel, kind: str, structure: Path | None) -> Iterator[Task]:
    """The task of each row as the only one of its dataset."""
    whole = ParallelDataset(model.dataset.path)
    structures = open_structure(kind, structure, whole)
    for row in range(len(whole)):
        one = ParallelDataset(whole.path, whole.table.slice(row, 1))
        read: StructuresFrom[object] | None = None if structures is None else StructuresFrom(structures, row)
        yield task_for(model.unit, model.network, one, read)


def same(first: list[Hypothesis], second: list[Hypothesis]) -> bool:
    scores = [one.score for one in second]
    return [one.ids for one in first] == [one.ids for one in second] and (
        [one.score for one in first] == pytest.approx(scores, rel=1e-4)
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_sentence_is_translated_and_scored_as_a_document_by_itself(folder: Path, system: str) -> None:
    trained, kind, structure = model(folder, system, WITHOUT)
    rows = list(range(len(trained.dataset)))
    found = dict(trained.task.hypotheses(trained.network, WITHOUT))
    in_part = dict(trained.task_of(rows[0], rows[-1] + 1).hypotheses(trained.network, WITHOUT))
    targets = trained.dataset.target.sentences()
    scores = dict(trained.task.scores(trained.network, rows, targets, WITHOUT))
    for row, task in enumerate(rows_alone(trained, kind, structure)):
        assert same(found[row], dict(task.hypotheses(trained.network, WITHOUT))[0])
        assert same(in_part[row], found[row])
        alone = dict(task.scores(trained.network, [0], [targets[row]], WITHOUT))[0]
        assert scores[row] == pytest.approx(alone, rel=1e-4)
    read, _, _ = model(folder, system, WITH)
    with_context = dict(read.task.hypotheses(read.network, WITH))
    changed = [row for row in rows if not same(with_context[row], found[row])]
    assert bool(changed) == (system != "transformer"), changed


def test_no_tree_is_read_without_context() -> None:
    assert WITH.use_tree and not WITHOUT.use_tree


def test_a_new_text_is_translated_sentence_by_sentence(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "model", "g_transformer", global_layers=1)
    translator = Translator(folder, device="cpu", use_context=False)
    sentences = ["The cat sat on the mat.", "It ran.", "The dog saw it."]
    found = translator.translate(sentences)
    assert found.lines == [translator.translate([one]).lines[0] for one in sentences]
    # The translations of an untrained model may be alike; their scores are not.
    scores = [candidates[0].score for candidates in found.candidates]
    assert scores == pytest.approx([translator.translate([one]).candidates[0][0].score for one in sentences], rel=1e-4)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_translation_given_references_has_the_score_that_it_is_given_after_them(folder: Path, system: str) -> None:
    trained, _, _ = model(folder, system, GIVEN)
    rows = list(range(len(trained.dataset)))
    found = {row: best[0] for row, best in trained.task.hypotheses(trained.network, GIVEN)}
    assert sorted(found) == rows
    targets = [found[row].ids for row in rows]
    scores = dict(trained.task.scores(trained.network, rows, targets, GIVEN))
    for row in rows:
        assert found[row].log_probability == pytest.approx(scores[row], rel=2e-5), row
    own = {row: best[0] for row, best in trained.task.hypotheses(trained.network, WITH)}
    changed = any(own[row].score != pytest.approx(found[row].score, rel=2e-5) for row in rows)
    assert changed == (system not in READ_SOURCE_ALONE)


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_translated_given_references_does_not_depend_on_the_batch(folder: Path, system: str) -> None:
    trained, _, _ = model(folder, system, GIVEN)
    whole, one_at_a_time = (
        dict(trained.task.hypotheses(trained.network, replace(GIVEN, batch_tokens=tokens))) for tokens in (4000, 1)
    )
    assert all(same(whole[row], one_at_a_time[row]) for row in whole)


@pytest.mark.parametrize("settings", [WITH, WITHOUT, GIVEN, replace(WITH, search="sequence", sentences=0)])
@pytest.mark.parametrize("system", SYSTEMS)
def test_what_is_asked_for_is_translated_as_among_all(folder: Path, system: str, settings: DecodingSettings) -> None:
    """The last sentence of the second document and the second of the fourth; documents have four sentences or fewer."""
    trained, _, _ = model(folder, system, settings)
    whole = dict(trained.task.hypotheses(trained.network, settings))
    documents = ParallelDataset(trained.dataset.path).documents
    asked = np.zeros(len(whole), bool)
    asked[[documents[2] - 1, documents[3] + 1]] = True
    found = dict(trained.task.hypotheses(trained.network, settings, asked))
    assert set(np.flatnonzero(asked)) <= set(found)
    assert all(same(found[row], whole[row]) for row in found)
    if settings is not WITH and settings.search == "waves":
        assert len(found) == 2
    read = {*range(*documents[1:3]), *range(*documents[3:5])}
    assert set(found) <= read


@pytest.mark.parametrize(("position", "expected"), [(0, {0}), (1, {0, 1}), (3, {0, 1, 2, 3})])
def test_of_own_translations_those_that_are_read_are_made(folder: Path, position: int, expected: set[int]) -> None:
    trained, _, _ = model(folder, "hybrid_context", WITH)
    asked = np.zeros(len(trained.dataset), bool)
    asked[position] = True
    assert set(dict(trained.task.hypotheses(trained.network, WITH, asked))) == expected


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_score_may_leave_out_one_side_of_the_context(folder: Path, system: str) -> None:
    """What reads the source alone loses all with it, and nothing without the target."""
    treeless = replace(WITH, use_tree=False)
    opened = {settings: model(folder, system, settings)[0] for settings in (WITH, WITHOUT, treeless)}
    rows, targets = [*range(len(opened[WITH].dataset))], opened[WITH].dataset.target.sentences()

    def scores(settings: DecodingSettings, context: ContextRead = "both") -> list[float]:
        trained = opened[settings]
        found = dict(trained.task.scores(trained.network, rows, targets, settings, context))
        return [found[row] for row in rows]

    whole, alone = scores(WITH), scores(WITHOUT)
    of_source, of_target = scores(WITH, "source"), scores(treeless, "target")
    if system in READ_SOURCE_ALONE:
        assert of_source == pytest.approx(whole, rel=1e-5) and of_target == pytest.approx(alone, rel=1e-5)
        return
    first = opened[WITH].dataset.documents[:-1]
    assert [of_source[row] for row in first] == pytest.approx([whole[row] for row in first], rel=1e-4)
    assert [of_target[row] for row in first] == pytest.approx([alone[row] for row in first], rel=1e-4)
    assert of_source != pytest.approx(whole, rel=1e-4) and of_target != pytest.approx(alone, rel=1e-4)
    if system not in ("continuous_cache", "side_constraint"):  # which read the target alone
        assert of_source != pytest.approx(alone, rel=1e-4)


def test_references_are_refused_where_there_are_none(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "model", "g_transformer", global_layers=1)
    with pytest.raises(InputError, match="a new text has no references"):
        Translator(folder, device="cpu", target_context="references")


def test_references_are_refused_for_one_search_of_an_instance() -> None:
    with pytest.raises(InputError, match="set search to waves"):
        DecodingSettings(search="sequence", target_context="references")
