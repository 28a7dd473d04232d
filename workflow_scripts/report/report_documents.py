"""Reads the tables that the report's document viewer shows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.tables import read_table
from discourse_nmt.discourse.drawings.tables import tree_drawings
from discourse_nmt.scoring.reports.documents import Document, SplitTables, documents
from discourse_nmt.scoring.tables.folders import Annotation, Run, annotation_of, run_of, split_of, tokens_of


@dataclass(frozen=True)
class DocumentFiles:
    """Paths of tables within the folder of results; the tables of ``contrastive`` items by corpus and split."""

    sentences: Sequence[str]
    translations: Sequence[str] = ()
    tokens: Sequence[str] = ()
    annotations: Sequence[str] = ()
    contrastive: Mapping[tuple[str, str], str] = field(default_factory=dict)
    contrastive_scores: Sequence[str] = ()


def read_documents(files: DocumentFiles, number: int) -> Iterator[Document]:
    """``number`` documents of every test set, spread evenly."""
    for corpus, split in dict.fromkeys(map(split_of, files.sentences)):
        tokens = [file for file in files.tokens if tokens_of(file) == (corpus, split)]
        contrastive = files.contrastive.get((corpus, split))
        tables = SplitTables(
            corpus,
            split,
            read_shards([file for file in files.sentences if split_of(file) == (corpus, split)], "sentences"),
            read_runs(files.translations, "translations", corpus, split),
            read_shards(tokens, "tokens").query("side == 'source'") if tokens else None,
            read_analyses(files.annotations, corpus, split),
            read_table(contrastive, "contrastive") if contrastive else None,
            read_runs(files.contrastive_scores, "contrastive_scores", corpus, split),
        )
        yield from documents(tables, number, tree_drawings)


def item_file(argument: str) -> tuple[tuple[str, str], str]:
    """Corpus, split and file of CORPUS/SPLIT=FILE."""
    place, _, file = argument.partition("=")
    corpus, _, split = place.partition("/")
    if not (corpus and split and file):
        raise InputError(f"--contrastive {argument} is not CORPUS/SPLIT=FILE")
    return (corpus, split), file


def read_shards(files: Sequence[str], name: str) -> pd.DataFrame:
    """The shards of a table under each other."""
    return pd.concat([read_table(file, name) for file in files], ignore_index=True)


def read_runs(files: Sequence[str], name: str, corpus: str, split: str) -> dict[Run, pd.DataFrame]:
    """The tables of the runs on a test set: files named after the split, in the folders of the runs."""
    mine = [file for file in files if (run_of(file).corpus, Path(file).stem) == (corpus, split)]
    return {run_of(file): read_table(file, name) for file in mine}


def read_analyses(files: Sequence[str], corpus: str, split: str) -> dict[str, dict[str, pd.DataFrame]]:
    """The tables of the source side of a split by analysis and name."""
    found: dict[str, dict[str, list[str]]] = {}
    for file in files:
        place = annotation_of(file)
        if place == Annotation(corpus, split, place.analysis, "source", place.table):
            found.setdefault(place.analysis, {}).setdefault(place.table, []).append(file)
    return {
        analysis: {table: read_shards(shards, table) for table, shards in tables.items()}
        for analysis, tables in found.items()
    }
