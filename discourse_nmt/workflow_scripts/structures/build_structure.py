"""Build the structure file of one kind for one split, beside its dataset, from the tables of all its shards."""

import argparse
from pathlib import Path
from typing import get_args

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import replacing
from discourse_nmt.base.storage.shard_files import read_split
from discourse_nmt.training.builders.options import Builder, BuilderOptions, Conversion
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.kinds import STRUCTURES, StructureKind, loaded
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read the tables shard by shard, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    kinds = [name for name, kind in STRUCTURES.items() if kind.builder]
    add("--kind", required=True, choices=kinds, help="kind of structure, as in training/kinds.py")
    add("--dataset", required=True, type=Path, help="dataset of the split, an Arrow IPC file")
    add("--tables", required=True, nargs="+", metavar="NAME=FILE", help="the kind's tables, each of all shards")
    add("--conversion", choices=get_args(Conversion), help="rule that makes dependencies of trees (default: li14)")
    add("--debinarise", action="store_true", default=None, help="first merge chains of one multinuclear relation")
    add("--language", help="source language, whose stop words are in resources/stop_words")
    add("--output", required=True, type=Path, help="structure file to write, an Arrow IPC file")
    given = parser.parse_args()

    kind = STRUCTURES[given.kind]
    options = builder_options(kind, given)
    shards = read_split(table_files(kind, given.tables), kind.inputs)
    build: Builder = loaded(kind.builder)
    with replacing(given.output) as temporary:
        build(ParallelDataset(given.dataset), shards, temporary, options)


def builder_options(kind: StructureKind, given: argparse.Namespace) -> BuilderOptions:
    """The options of the command; :class:`.InputError` for one that the builder does not read."""
    names = BuilderOptions.__dataclass_fields__
    options = {name: value for name in names if (value := getattr(given, name)) is not None}
    if foreign := sorted(options.keys() - set(kind.options)):
        raise InputError(f"--{foreign[0]} has no effect on the kind {kind.name}", remedy="leave it out")
    if "language" in kind.options and "language" not in options:
        raise InputError(f"the kind {kind.name} needs the source language", remedy="add --language")
    return BuilderOptions(**options)


def table_files(kind: StructureKind, given: list[str]) -> dict[str, list[str]]:
    """The files of each input of a kind, given as ``NAME=FILE``; :class:`.InputError` for a wrong or missing name."""
    files: dict[str, list[str]] = {name: [] for name in kind.inputs}
    remedy = f"give NAME=FILE for each of {', '.join(files)}"
    for entry in given:
        name, equals, path = entry.partition("=")
        if not equals or name not in files:
            raise InputError(f"--tables: {entry} is no table of the kind {kind.name}", remedy=remedy)
        files[name].append(path)
    if missing := [name for name, paths in files.items() if not paths]:
        raise InputError(f"--tables: no {missing[0]}", remedy=remedy)
    return files


if __name__ == "__main__":
    run(main)
