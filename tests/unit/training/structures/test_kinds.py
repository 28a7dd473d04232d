"""Every kind of structure is declared in full, and a new one needs no change but its declaration."""

import ast
import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from torch import Tensor

from discourse_nmt import PACKAGE
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import NUMBER, TABLES, TEXT, write_table
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.paragraphs import ParagraphBatch
from discourse_nmt.models.switches.context import ContextSettings
from discourse_nmt.models.systems import SYSTEMS, System, build
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.builders.rows import lengths_of, text_rows
from discourse_nmt.training.data import dataset
from discourse_nmt.training.data.dataset import KEYS, ParallelDataset, map_rows
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.kinds import (
    COMPANIONS,
    HELD,
    STRUCTURES,
    TREE_TABLES,
    Companion,
    StructureKind,
    companions_of,
    loaded,
)
from discourse_nmt.training.structures.graphs import graph_schema
from discourse_nmt.training.structures.opening import open_structure
from discourse_nmt.training.tasks.protocol import task_for
from discourse_nmt.workflow.reruns.fingerprint import reachable_modules
from discourse_nmt.workflow_scripts.structures import build_structure
from tests.unit.training.structures.structure_examples import Tables as Frames
from tests.unit.training.structures.structure_examples import generated, sharded, written

DECLARED = [kind for kind in STRUCTURES.values() if kind.reader]
BUILT = [kind for kind in DECLARED if kind.builder]


@pytest.mark.parametrize("kind", DECLARED, ids=lambda kind: kind.name)
def test_a_kind_is_declared_in_full(kind: StructureKind) -> None:
    assert hasattr(loaded(kind.reader), "__getitem__")
    assert set(kind.tables) <= set(TABLES)
    assert bool(kind.builder) == bool(kind.tables)
    assert set(kind.options) <= {field.name for field in fields(BuilderOptions)}
    assert kind.tree in {"", *TREE_TABLES}
    assert set(kind.companions) <= COMPANIONS.keys()
    if kind.tree:
        assert kind.annotation[-1] in ("rst", "rst_dependencies")
    if kind.builder:
        assert callable(loaded(kind.builder))


def returned_strings(node: ast.AST) -> set[str]:
    """The possible values of an expression of strings: its literals outside comparisons."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    parts = [] if isinstance(node, ast.Compare) else ast.iter_child_nodes(node)
    return {string for part in parts for string in returned_strings(part)}


def strings_of_switches(*properties: str) -> set[str]:
    """For any values of the switches: all literals that these properties of all classes may return."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (PACKAGE / "models" / "switches").glob("*.py")]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    declaring = [function for function in functions if function.name in properties]
    returns = [node for function in declaring for node in ast.walk(function) if isinstance(node, ast.Return)]
    return {string for node in returns for string in returned_strings(node)}


def test_switches_return_declared_kinds() -> None:
    assert strings_of_switches("structure", "decoding_structure") == STRUCTURES.keys()


def test_switches_return_the_declared_companions_that_networks_hold() -> None:
    assert strings_of_switches("companions") == {companion.name for companion in HELD}


def test_every_companion_is_declared_and_every_declared_one_is_read() -> None:
    read = {companion.name for system in SYSTEMS.values() for companion in companions_of(system.switches({}))}
    assert read == COMPANIONS.keys()


def test_no_column_of_a_file_may_be_null() -> None:
    modules = {importlib.import_module(kind.reader.partition(":")[0]) for kind in DECLARED} | {dataset}
    schemas = [value for module in modules for value in vars(module).values() if isinstance(value, pa.Schema)]
    assert len(schemas) >= 5
    for schema in (*schemas, graph_schema(["source"])):
        assert [field.name for field in schema if field.nullable] == []


@pytest.mark.parametrize("companion", COMPANIONS.values(), ids=lambda companion: companion.name)
def test_a_companion_is_declared_in_full(companion: Companion) -> None:
    """A network has a part of its name, or a kind of structure has inputs that begin with it."""
    assert set(companion.tables) <= set(TABLES)
    assert companion.use.startswith("for ")
    kinds = [kind for kind in STRUCTURES.values() if companion.name in kind.companions]
    assert bool(companion.module) == (not kinds)
    for kind in kinds:
        assert any(name.startswith(f"{companion.name}_") for name in kind.inputs)
    if companion.module:
        assert all(callable(loaded(f"{companion.module}:{function}")) for function in ("sizes", "give"))
        holders = [name for name, system in SYSTEMS.items() if companion.name in system.switches({}).companions]
        small = {"width": 8, "heads": 2, "feed_forward_width": 8, "encoder_layers": 1, "decoder_layers": 1}
        for name in holders:
            parts = dict(build(name, small, 40, 40, True).named_children())
            assert companion.name in parts


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_every_system_reads_a_declared_kind(system: System) -> None:
    switches = system.switches({})
    assert {switches.structure, *map(switches.decoding_structure, (False, True))} <= STRUCTURES.keys()


@pytest.mark.parametrize("kind", DECLARED, ids=lambda kind: kind.name)
def test_a_kind_is_built_and_read_without_the_code_of_another(kind: StructureKind) -> None:
    """No reader or builder is in the fingerprint of another kind, and no network in that of a reader or builder."""
    of_kinds = {reference.partition(":")[0] for other in DECLARED for reference in (other.reader, other.builder)}
    own = {reference.partition(":")[0] for reference in (kind.reader, kind.builder)}
    scripts = ["discourse_nmt.workflow_scripts.structures.build_structure"]
    modules = reachable_modules([*scripts, *filter(None, own)])
    assert not modules & (of_kinds - own)
    for module in modules:
        path = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
        assert not path.is_file() or "import torch" not in path.read_text(encoding="utf-8"), module


def table_files(folder: Path, shards: Sequence[Frames], kind: StructureKind) -> list[str]:
    """The inputs of a kind, written to a file per shard, as the command's arguments."""
    arguments = []
    for name, table in kind.inputs.items():
        for number, shard in enumerate(shards):
            path = folder / f"{name}{number}.parquet"
            write_table(shard[table], path, table)
            arguments.append(f"{name}={path}")
    return arguments


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["build_structure", *map(str, arguments)])
    build_structure.main()


def edges_of(tables: Frames) -> pd.DataFrame:
    """An edge from the first word of each sentence to itself."""
    first = tables["tokens"].query("side == 'source'")
    ends = dict.fromkeys(("from_sent", "to_sent"), first["sent_id"]) | {"from_token": 0, "to_token": 0}
    edges = pd.DataFrame({"doc_id": first["doc_id"], "relation": "lexical", **ends})
    return edges.astype({"doc_id": str, "relation": str})


@pytest.mark.parametrize("kind", BUILT, ids=lambda kind: kind.name)
def test_the_command_writes_what_the_builder_writes(
    kind: StructureKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, tables = generated(3, sentences=20)
    dataset = written(tmp_path, frame)
    tables |= {"subwords": frame, "document_graph": edges_of(tables)}
    shards = sharded(tables)
    given: dict[str, Any] = {"conversion": "hirao13", "debinarise": True, "language": "en"}
    options = {name: given[name] for name in kind.options}
    words = [word for name, value in options.items() for word in (f"--{name}", value) if word is not True]
    command = ["--kind", kind.name, "--dataset", dataset.path, "--output", tmp_path / "command"]
    run_command(monkeypatch, *command, *words, "--tables", *table_files(tmp_path, shards, kind))
    inputs = [{name: shard[table] for name, table in kind.inputs.items()} for shard in shards]
    loaded(kind.builder)(dataset, inputs, tmp_path / "builder", BuilderOptions(**options))
    assert (tmp_path / "command").read_bytes() == (tmp_path / "builder").read_bytes()
    assert open_structure(kind.name, tmp_path / "command", dataset) is not None


@pytest.mark.parametrize(
    ("kind", "changes", "told"),
    [
        (
            "positions",
            ["--tables", "tokens=a", "edus=b"],
            "--tables: no rst; give NAME=FILE for each of tokens, edus, rst",
        ),
        ("positions", ["--tables", "syntax=a"], "--tables: syntax=a is no table of the kind positions; give NAME=FILE"),
        ("positions", ["--tables", "tokens"], "--tables: tokens is no table of the kind positions; give NAME=FILE"),
        ("positions", ["--tables", "tokens=a", "--language", "en"], "--language has no effect on the kind positions"),
        (
            "dependencies",
            ["--tables", "tokens=a", "--debinarise"],
            "--debinarise has no effect on the kind dependencies",
        ),
        ("cache_words", ["--tables", "tokens=a"], "the kind cache_words needs the source language; add --language"),
    ],
)
def test_wrong_arguments_are_told(monkeypatch: pytest.MonkeyPatch, kind: str, changes: list[str], told: str) -> None:
    with pytest.raises(InputError, match=told):
        run_command(monkeypatch, "--kind", kind, "--dataset", "data", "--output", "file", *changes)


TOY_SCHEMA = pa.schema(
    [
        pa.field("doc_id", TEXT, nullable=False),
        pa.field("sent_id", NUMBER, nullable=False),
        pa.field("words", NUMBER, nullable=False),
    ]
)


class ToyFile:
    """How many words each sentence has."""

    def __init__(self, path: Path, dataset: ParallelDataset) -> None:
        self.word_counts = map_rows(path, TOY_SCHEMA, "toy file")["words"].to_numpy()

    def __getitem__(self, rows: slice) -> np.ndarray:
        return self.word_counts[rows]


def write_toy(dataset: ParallelDataset, shards: Shards, path: Path, _: BuilderOptions) -> None:
    def table(part: ParallelDataset, tables: Tables) -> pa.Table:
        counts = lengths_of(text_rows(part, tables["tokens"], "tokens", "source")["tokens"])
        return pa.table({**{key: part.table[key] for key in KEYS}, "words": counts}).cast(TOY_SCHEMA)

    write_split(dataset, shards, table, TOY_SCHEMA, ToyFile, path)


@dataclass(frozen=True)
class ToySettings(ContextSettings):
    """Switches of a system that reads the toy structure."""

    @property
    def structure(self) -> str:
        return "toy"


class ToyTransformer(ContextTransformer):
    """A network that knows how many words each sentence of its paragraph has."""

    def arrange(self, structures: Sequence[np.ndarray], source_ids: Tensor) -> Any:
        return torch.from_numpy(np.concatenate(structures))


def test_a_new_kind_is_built_opened_and_batched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = StructureKind("toy", f"{__name__}:ToyFile", f"{__name__}:write_toy", ("tokens",))
    monkeypatch.setitem(STRUCTURES, "toy", kind)
    monkeypatch.setitem(
        SYSTEMS, "toy", System("toy", __name__, "ToyTransformer", ToySettings, "paragraph", "none", "toys")
    )
    frame, tables = generated(1, sentences=20)
    dataset, path = written(tmp_path, frame), tmp_path / "toy.arrow"
    arguments = ["--kind", "toy", "--dataset", dataset.path, "--output", path, "--tables"]
    run_command(monkeypatch, *arguments, *table_files(tmp_path, sharded(tables), kind))

    small = {"width": 8, "heads": 2, "feed_forward_width": 8, "encoder_layers": 1, "decoder_layers": 1}
    network = build("toy", small, 40, 40, True)
    structures = open_structure(SYSTEMS["toy"].switches(small).structure, path, dataset)
    units = units_of(dataset, "paragraph")
    batch = task_for("paragraph", network, dataset, structures).batch(units, np.array([0, 2]), None)
    assert isinstance(batch, ParagraphBatch)
    sentences = tables["tokens"].query("side == 'source'").sort_values(["doc_id", "sent_id"])["tokens"].map(len)
    rows = units.rows(np.array([0, 2]))
    assert batch.source.structure.tolist() == sentences.to_numpy()[rows].tolist()
