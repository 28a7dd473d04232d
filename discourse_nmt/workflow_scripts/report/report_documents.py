"""Reads the tables that the report's document viewer shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.scoring.reports.documents import SplitTables
from discourse_nmt.scoring.reports.runs import ReportRun

Names = tuple[str, ...]
"""Corpus and split, or corpus, split, analysis and table."""
RUN = "CORPUS/EXPERIMENT/SEED=FOLDER"


@dataclass(frozen=True)
class DocumentFiles:
    """Paths of tables of test sets.

    Files of ``sentences``, ``tokens`` and ``contrastive`` items are by corpus and split, those of ``annotations`` by
    corpus, split, analysis and table. ``runs`` has the folder of each training run, ``external`` that of each external
    system, which may lack a test set.
    """

    sentences: Mapping[Names, Sequence[str]]
    tokens: Mapping[Names, Sequence[str]] = field(default_factory=dict)
    annotations: Mapping[Names, Sequence[str]] = field(default_factory=dict)
    contrastive: Mapping[Names, Sequence[str]] = field(default_factory=dict)
    runs: Mapping[ReportRun, Path] = field(default_factory=dict)
    external: Mapping[ReportRun, Path] = field(default_factory=dict)


def read_split(files: DocumentFiles, corpus: str, split: str) -> SplitTables:
    """The tables of a test set."""
    runs = {run: folder for run, folder in files.runs.items() if run.corpus == corpus}
    external = {
        run: folder
        for run, folder in files.external.items()
        if run.corpus == corpus and table_of(folder, "translations", split).is_file()
    }
    tokens, contrastive = files.tokens.get((corpus, split)), files.contrastive.get((corpus, split))
    return SplitTables(
        corpus,
        split,
        read_shards(files.sentences[corpus, split], "sentences"),
        read_runs(runs | external, "translations", split, "translations"),
        read_shards(tokens, "tokens").query("side == 'source'") if tokens else None,
        read_analyses(files.annotations, corpus, split),
        read_shards(contrastive, "contrastive") if contrastive else None,
        read_runs(runs, "contrastive", split, "contrastive_scores") if contrastive else {},
        output_alignments=read_runs(external, "output_alignment", split, "output_alignment"),
    )


def files_by_names(arguments: Sequence[str], option: str, form: str) -> dict[Names, list[str]]:
    """The files of an option's arguments by their names; ``form`` is that of an argument, such as CORPUS/SPLIT=FILE.

    Raises :class:`InputError`: an argument has another form.
    """
    files: dict[Names, list[str]] = {}
    for argument in arguments:
        label, _, file = argument.partition("=")
        names = tuple(label.split("/"))
        if not file or not all(names) or len(names) != len(form.split("/")):
            raise InputError(f"{option} {argument} is not {form}")
        files.setdefault(names, []).append(file)
    return files


def run_folders(arguments: Sequence[str], option: str) -> dict[ReportRun, Path]:
    """The folder of each run of arguments CORPUS/EXPERIMENT/SEED=FOLDER; other ones are an :class:`InputError`."""
    folders = {}
    for (corpus, experiment, seed), paths in files_by_names(arguments, option, RUN).items():
        if not seed.isdecimal():
            raise InputError(f"{option} {corpus}/{experiment}/{seed}={paths[0]}: the seed is not a whole number")
        folders[ReportRun(corpus, experiment, int(seed))] = Path(paths[0])
    return folders


def read_shards(files: Sequence[str], name: str) -> pd.DataFrame:
    """One table of all shards."""
    return pd.concat([read_table(file, name) for file in files], ignore_index=True)


def read_runs(runs: Mapping[ReportRun, Path], folder: str, split: str, name: str) -> dict[ReportRun, pd.DataFrame]:
    """The tables of the runs on a test set, from a folder of each run."""
    return {run: read_table(table_of(path, folder, split), name) for run, path in runs.items()}


def table_of(run: Path, folder: str, split: str) -> Path:
    """The table of a run on a test set, in a folder of the run."""
    return run / folder / f"{split}.parquet"


def read_analyses(files: Mapping[Names, Sequence[str]], corpus: str, split: str) -> dict[str, dict[str, pd.DataFrame]]:
    """The tables of a split by analysis and name."""
    tables: dict[str, dict[str, pd.DataFrame]] = {}
    for (of_corpus, of_split, analysis, table), shards in files.items():
        if (of_corpus, of_split) == (corpus, split):
            tables.setdefault(analysis, {})[table] = read_shards(shards, table)
    return tables
