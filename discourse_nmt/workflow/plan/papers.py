"""The tables of papers as files: what each is made from."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property

from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import Wildcards
from discourse_nmt.workflow.jobs.parameters import canonical
from discourse_nmt.workflow.papers.cells import ADDED, SPEED, PaperCell, paper_rows
from discourse_nmt.workflow.papers.published import PublishedTable
from discourse_nmt.workflow.plan.labellers import Labellers
from discourse_nmt.workflow.plan.runs import Runs

AGREEMENT = ("(edu, predicted)", "(rst_dependencies, gold)")  # ends of metrics of multi-task models as parsers
FILES_OF_METRICS = {ADDED: "model.safetensors", SPEED: "metrics.csv"}


@dataclass(frozen=True)
class PaperTables:
    """The tables under ``paper_tables``."""

    config: Configuration
    files: Files
    runs: Runs
    labellers: Labellers

    @property
    def folder(self) -> str:
        """Folder of the tables."""
        return f"{self.files.results}/tables"

    def made(self, ending: str) -> list[str]:
        """One file for each table: md, tex, or json for the report."""
        return [f"{self.folder}/{name}.{ending}" for name in self.config.paper_tables]

    @cached_property
    def tables(self) -> dict[str, tuple[PublishedTable, dict[str, list[PaperCell]]]]:
        """Published table and cells of each."""
        return {name: paper_rows(self.config, name) for name in self.config.paper_tables}

    def description(self, wildcards: Wildcards) -> str:
        """Params function: the job's table as JSON, with the files from which a cell's numbers are read."""
        table, rows = self.tables[wildcards.table]
        first = next(iter(rows.values()))
        described = {
            "paper": table.paper,
            "source": table.source,
            "title": table.title,
            "note": table.note,
            "size": self.config.size,
            "columns": list(table.columns),
            "rows": [
                {
                    "name": row,
                    "cells": [
                        {
                            **dataclasses.asdict(cell),
                            "files": self._files_of(cell),
                            "beside": self._files_of(first[number]) if cell.metric == ADDED else [],
                        }
                        for number, cell in enumerate(cells)
                    ],
                }
                for row, cells in rows.items()
            ],
        }
        return canonical(described)

    def read(self, wildcards: Wildcards) -> list[str]:
        """Input function: the files of the job's cells that are no tables of scores."""
        _, rows = self.tables[wildcards.table]
        return sorted({path for cells in rows.values() for cell in cells for path in self._files_of(cell)})

    def labeller_scores(self, wildcards: Wildcards) -> list[str]:
        """Input function: the tables of labellers that no experiment uses and the job's table shows."""
        _, rows = self.tables[wildcards.table]
        if not any(" on " in cell.experiment for cells in rows.values() for cell in cells):
            return []
        used = self.labellers.used_tables()
        return [path for path in self.labellers.all_tables() if path not in used]

    def _files_of(self, cell: PaperCell) -> list[str]:
        """The file of each seed of a cell; none where the table of scores has its numbers or nothing is measured."""
        name = FILES_OF_METRICS.get(cell.metric, "")
        if cell.metric.endswith(AGREEMENT):
            name = f"discourse/{cell.test_set}.tsv"
        if not name:
            return []
        seeds = self.runs.seeds(cell.corpus, cell.experiment)
        return [f"{self.files.run(cell.corpus, cell.experiment, seed)}/{name}" for seed in seeds]
