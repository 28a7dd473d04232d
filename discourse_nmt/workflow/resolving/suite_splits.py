"""Suites that are made from splits of their corpus: in place of their names, the tables of sentences."""

from dataclasses import replace

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.corpora import source_only_of, splits_of
from discourse_nmt.workflow.sections.files import sentences_pattern


def with_suite_splits(config: Configuration) -> Configuration:
    """With patterns of tables in place of the names under ``splits`` in suites.

    Raises :class:`InputError` for a split that does not exist, is trained on, or has no references.
    """
    corpora = {}
    for name, corpus in config.corpora.items():
        usable = [split for split in splits_of(corpus) if split not in ("train", *source_only_of(corpus))]
        suites = {}
        for suite, section in corpus.suites.items():
            for split in section.splits:
                if split not in usable:
                    reason = f"{split} is no split with references beside train"
                    raise InputError(f"corpora.{name}.suites.{suite}.splits: {reason}", remedy=nearest(split, usable))
            tables = [sentences_pattern(config.run, name, split) for split in section.splits]
            suites[suite] = replace(section, splits=tables)
        corpora[name] = replace(corpus, suites=suites)
    return replace(config, corpora=corpora)
