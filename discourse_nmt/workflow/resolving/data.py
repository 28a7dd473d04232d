"""The section ``data`` of corpora: placeholders of languages, and the folder of data for development."""

from collections.abc import Mapping
from dataclasses import replace

from discourse_nmt.base.settings import Given, as_json, parse_settings
from discourse_nmt.corpus.data.settings import DataSettings, with_names
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.resolving.texts import moved
from discourse_nmt.workflow.sections.files import ROLES

VARIABLE = "DISCOURSE_NMT_DATA"
FOLDER = "data/"


def language_names(corpus: CorpusSection) -> dict[str, str]:
    """The names of both languages in file names and packages: those under ``data.names``, else the codes."""
    names = corpus.data.names if corpus.data else {}
    return {side: names.get(corpus.language(side), corpus.language(side)) for side in ("source", "target")}


def with_language_names(config: Configuration) -> Configuration:
    """With ``{source}`` and ``{target}`` replaced in the file names and the sections ``data`` of corpora."""
    return replace(config, corpora={name: _named(corpus) for name, corpus in config.corpora.items()})


def _named(corpus: CorpusSection) -> CorpusSection:
    if corpus.data is None:
        return corpus
    names = language_names(corpus)
    data = {**with_names(as_json(corpus.data), names), "names": corpus.data.names}
    suites = {
        name: replace(suite, **{role: with_names(patterns, names) for role, patterns in suite.roles.items()})
        for name, suite in corpus.suites.items()
    }
    splits = {
        name: Given(split.kind, {role: with_names(split[role], names) for role in ROLES & split.keys()}).over(split)
        for name, split in corpus.splits.items()
    }
    return replace(corpus, data=parse_settings(DataSettings, data, "data"), splits=splits, suites=suites)


def with_data(config: Configuration, environment: Mapping[str, str]) -> Configuration:
    """With placeholders filled, and ``data/`` read from the folder of the variable DISCOURSE_NMT_DATA where it is set.

    The one place where names of files are changed.
    """
    named, folder = with_language_names(config), environment.get(VARIABLE, "")
    return moved(named, FOLDER, folder) if folder else named
