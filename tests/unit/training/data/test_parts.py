"""Parts of a split: whole documents, all of them once, with the results of an undivided job for every system."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import SYSTEMS, build_with, system_named
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.checkpoints.trained import TrainedModel
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.parts import JobPart, stretches_of
from discourse_nmt.training.kinds import STRUCTURES, loaded
from discourse_nmt.training.structures.opening import open_structure
from tests.unit.training.structures.structure_examples import ADDRESSING, generated, sharded, written

SMALL = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "feed_forward_width": 32, "heads": 2, "dropout": 0.0}
SWITCHES: dict[str, dict[str, Any]] = {
    "g_transformer": {"global_layers": 1},
    "rst_transformer": {"rst_layers": 1},
    "multitask": {"relations": ["x"]},
    "document_graph": {"target_graph": "none", "relations": ["lexical"], "graph_layers": 1},
    "theme_rheme_cache": {"cache": "continuous", "cache_size": 5},
    "side_constraint": {"target_language": "de"},
}
SETTINGS = DecodingSettings(beam=2, batch_tokens=60, max_length_ratio=0.0, max_length_offset=3)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> tuple[ParallelDataset, dict[str, Path]]:
    """Six documents with the structure files of all kinds that are built."""
    folder = tmp_path_factory.mktemp("data")
    frame, tables = generated(3, documents=6, sentences=3)
    dataset = written(folder, frame)
    first = tables["tokens"].query("side == 'source'")
    ends = dict.fromkeys(("from_sent", "to_sent"), first["sent_id"]) | {"from_token": 0, "to_token": 0}
    edges = pd.DataFrame({"doc_id": first["doc_id"], "relation": "lexical", **ends})
    tables |= {"subwords": frame, "document_graph": edges.astype({"doc_id": str, "relation": str})}
    files = {}
    for name, kind in STRUCTURES.items():
        if kind.builder and name != "draft_graph":
            files[name] = folder / f"{name}.arrow"
            options = BuilderOptions(language="en") if "language" in kind.options else BuilderOptions()
            inputs = [{key: shard[table] for key, table in kind.inputs.items()} for shard in sharded(tables)]
            loaded(kind.builder)(dataset, inputs, files[name], options)
    return dataset, files


def trained(data: tuple[ParallelDataset, dict[str, Path]], system: str, settings: DecodingSettings) -> TrainedModel:
    dataset, files = data
    torch.manual_seed(1)
    switches = {**SMALL, **SWITCHES.get(system, {})}
    network = build_with(system, switches, ADDRESSING, ADDRESSING)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    network.eval()
    prepare_for_inference(network, settings)
    kind = system_named(system).switches(switches).decoding_structure(settings.use_tree)
    return TrainedModel(network, system_named(system).unit, dataset, open_structure(kind, files.get(kind), dataset))


def of_part(model: TrainedModel, part: JobPart, settings: DecodingSettings) -> list[list[Hypothesis]]:
    """The translations of a part, in order."""
    rows = []
    for first, last in part.of(stretches_of(model.dataset.documents, sentences=3)):
        found = dict(model.task_of(first, last).hypotheses(model.network, settings))
        rows += [found[row] for row in range(last - first)]
    return rows


@pytest.mark.parametrize(
    ("system", "precision"), [*((system, "fp32") for system in SYSTEMS), ("transformer", "int8"), ("concat", "int8")]
)
def test_parts_together_are_the_undivided_translation_to_the_bit(
    data: tuple[ParallelDataset, dict[str, Path]], system: str, precision: Any
) -> None:
    settings = DecodingSettings(**{**vars(SETTINGS), "precision": precision})
    model = trained(data, system, settings)
    undivided = of_part(model, JobPart(0, 1), settings)
    assert len(undivided) == len(model.dataset)
    parts = [of_part(model, JobPart(number, 3), settings) for number in range(3)]
    assert [row for part in parts for row in part] == undivided


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_stretch_is_translated_as_in_the_whole_split(
    data: tuple[ParallelDataset, dict[str, Path]], system: str
) -> None:
    """With the structures of its own rows; only the rounding of other batches differs."""
    model = trained(data, system, SETTINGS)
    whole = dict(model.task.hypotheses(model.network, SETTINGS))
    for row, hypotheses in enumerate(of_part(model, JobPart(0, 1), SETTINGS)):
        assert [one.ids for one in hypotheses] == [one.ids for one in whole[row]]
        assert [one.score for one in hypotheses] == pytest.approx([one.score for one in whole[row]], rel=1e-4)


@pytest.mark.parametrize("sizes", [[3, 3, 3, 3], [1, 9, 1, 1, 1], [20], [4, 4], []])
def test_stretches_are_whole_documents(sizes: list[int]) -> None:
    documents = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    stretches = stretches_of(documents, sentences=4)
    assert [row for first, last in stretches for row in range(first, last)] == list(range(sum(sizes)))
    assert {border for stretch in stretches for border in stretch} <= set(documents.tolist())
    assert all(last - first >= 4 for first, last in stretches[:-1])
    assert all(last - first < 4 + max(sizes) for first, last in stretches)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 12])
def test_every_stretch_is_in_one_part(count: int) -> None:
    stretches = list(range(5))
    parts = [JobPart(number, count).of(stretches) for number in range(count)]
    assert [stretch for part in parts for stretch in part] == stretches
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.parametrize("name", ["4/4", "1", "-1/2", "a/b", "0/0"])
def test_a_part_that_there_is_not_is_told(name: str) -> None:
    with pytest.raises(InputError, match="give NUMBER/COUNT"):
        JobPart.named(name)
