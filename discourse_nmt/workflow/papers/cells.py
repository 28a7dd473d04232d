"""The section ``paper_tables``: which score stands beside each published number."""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.workflow.configuration.papers import PaperColumnSettings, PaperTableSettings
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.papers.published import NOT_PRINTED, PublishedTable, published_table
from discourse_nmt.workflow.sections.experiments import corpora_of

ADDED, SPEED = "added parameters", "speed"  # metrics that no table of scores has


@dataclass(frozen=True)
class PaperCell:
    """A published number, and what is measured beside it: empty names where nothing is.

    ``experiment`` is a name in the table of scores; ``mean_of`` are the numbers of the columns that it averages.
    """

    published: str
    corpus: str = ""
    experiment: str = ""
    test_set: str = ""
    metric: str = ""
    mean_of: tuple[int, ...] = ()


def paper_rows(config: Configuration, name: str) -> tuple[PublishedTable, dict[str, list[PaperCell]]]:
    """The published table of ``paper_tables.NAME``, and the cells of its rows and of the project's own.

    ``config`` is checked and has every default.
    """
    section = config.paper_tables[name]
    table = published_table(section.published)
    unprinted = [NOT_PRINTED] * len(table.columns)
    rows = {row: _cells(config, section, table, row, values) for row, values in table.rows.items()}
    own = {row: _cells(config, section, table, row, unprinted) for row in section.own_rows}
    return table, rows | own


def experiments_of_row(section: PaperTableSettings, row: str) -> dict[str, str]:
    """By column, what the configuration names for a row; columns without an experiment are left out."""
    named = section.own_rows.get(row, section.rows.get(row))
    columns = list(section.columns)
    if not isinstance(named, list):
        named = [named] * len(columns)
    return {column: one for column, one in zip(columns, named) if one is not None}


def place_of(config: Configuration, named: str, column: PaperColumnSettings) -> tuple[str, str]:
    """Corpus and experiment of a cell; the corpus is empty where it is not said and there are several."""
    corpus, _, experiment = named.rpartition("/")
    only = next(iter(config.corpora)) if len(config.corpora) == 1 else ""
    return corpus or column.corpus or only, experiment


def _cells(
    config: Configuration, section: PaperTableSettings, table: PublishedTable, row: str, values: Sequence[str]
) -> list[PaperCell]:
    named = experiments_of_row(section, row)
    cells = []
    for column, published in zip(table.columns, values):
        settings = section.columns.get(column)
        if settings is None or column not in named:
            cells.append(PaperCell(published))
        elif settings.mean_of:
            cells.append(PaperCell(published, mean_of=tuple(map(table.columns.index, settings.mean_of))))
        else:
            corpus, experiment = place_of(config, named[column], settings)
            trained = corpus in corpora_of(config, experiment.rpartition(" on ")[2])
            of_score = (corpus, experiment, settings.test_set, settings.metric)
            cells.append(PaperCell(published, *of_score) if trained else PaperCell(published))
    return cells
