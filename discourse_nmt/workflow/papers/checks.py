"""Checks of the section ``paper_tables``."""

from collections.abc import Iterable

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.workflow.configuration.papers import PaperTableSettings
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.papers.cells import ADDED, SPEED, experiments_of_row, place_of
from discourse_nmt.workflow.papers.published import PublishedTable, published_table
from discourse_nmt.workflow.sections.corpora import scored_sets_of


def check_paper_tables(config: Configuration) -> None:
    """Check tables, rows, columns, experiments, corpora and test sets. ``config`` has every default.

    Raises :class:`InputError`.
    """
    for name, section in config.paper_tables.items():
        key = f"paper_tables.{name}"
        try:
            table = published_table(section.published)
        except InputError as error:
            raise InputError(f"{key}.published: {error}") from None
        _check_names(f"{key}.rows", section.rows, table.rows, "row")
        _check_names(f"{key}.columns", section.columns, table.columns, "column")
        if twice := sorted(section.own_rows.keys() & table.rows.keys()):
            raise InputError(f"{key}.own_rows: the paper has a row {twice[0]}", remedy="name it under rows")
        _check_columns(key, section, table)
        for row in (*section.rows, *section.own_rows):
            _check_row(config, key, section, row)


def _check_names(key: str, given: Iterable[str], known: Iterable[str], what: str) -> None:
    known = list(known)
    for name in given:
        if name not in known:
            raise InputError(f"{key}: the paper's table has no {what} {name}", remedy=nearest(name, known))


def _check_columns(key: str, section: PaperTableSettings, table: PublishedTable) -> None:
    columns = section.columns
    for name, column in columns.items():
        place = f"{key}.columns.{name}"
        measured = [other for other in columns if not columns[other].mean_of]
        _check_names(f"{place}.mean_of", column.mean_of, measured, "measured column")
        first = next(iter(table.rows))
        if column.metric == ADDED and first not in section.rows:
            raise InputError(f"{place}: parameters are added to those of {first}", remedy=f"name it in {key}.rows")


def _check_row(config: Configuration, key: str, section: PaperTableSettings, row: str) -> None:
    place = f"{key}.{'rows' if row in section.rows else 'own_rows'}.{row}"
    named = section.rows.get(row)
    if isinstance(named, list) and len(named) != len(section.columns):
        raise InputError(f"{place}: {len(named)} experiments for {len(section.columns)} columns", remedy="name each")
    for name, experiment in experiments_of_row(section, row).items():
        column = section.columns[name]
        corpus, experiment = place_of(config, experiment, column)
        _check_experiment(config, place, experiment)
        if column.mean_of:
            continue
        if not corpus:
            raise InputError(f"{key}.columns.{name}: no corpus, but there are several", remedy="name one")
        _check_names_of_corpus(config, place, corpus)
        section_of_corpus = config.corpora[corpus]
        known = [*scored_sets_of(section_of_corpus), *section_of_corpus.suites]
        of_labeller = " on " in experiment
        if column.test_set not in known and column.metric not in (ADDED, SPEED) and not of_labeller:
            raise InputError(
                f"{key}.columns.{name}: {column.test_set} is not scored on {corpus}",
                remedy=nearest(column.test_set, known),
            )


def _check_experiment(config: Configuration, place: str, experiment: str) -> None:
    """``experiment`` may also be LABELLER on EXPERIMENT, the name of a labeller in tables of scores."""
    labeller, on, encoder = experiment.rpartition(" on ")
    if on and labeller not in config.labellers:
        raise InputError(f"{place}: no labeller {labeller}", remedy=nearest(labeller, config.labellers))
    if encoder not in config.experiments:
        raise InputError(f"{place}: no experiment {encoder}", remedy=nearest(encoder, config.experiments))


def _check_names_of_corpus(config: Configuration, place: str, corpus: str) -> None:
    if corpus not in config.corpora:
        raise InputError(f"{place}: no corpus {corpus}", remedy=nearest(corpus, config.corpora))
