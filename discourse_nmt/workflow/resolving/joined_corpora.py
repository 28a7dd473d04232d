"""Corpora that are made of others: in place of their names, the tables of sentences that their imports make."""

from dataclasses import replace

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import Given, nearest
from discourse_nmt.corpus.importing.plan import SplitSettings
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.corpora import splits_of
from discourse_nmt.workflow.sections.files import sentences_pattern


def with_joined_corpora(config: Configuration) -> Configuration:
    """With patterns of tables in place of the names under ``corpora`` in splits of the format ``joined``.

    Raises :class:`InputError` for a corpus that does not exist, has other languages, lacks the split, or joins others
    itself.
    """
    return replace(config, corpora={name: _joining(config, name) for name in config.corpora})


def _joining(config: Configuration, name: str) -> CorpusSection:
    corpus = config.corpora[name]
    splits = {split: _with_tables(config, name, split, section) for split, section in corpus.splits.items()}
    return replace(corpus, splits=splits)


def _with_tables(config: Configuration, name: str, split: str, section: Given[SplitSettings]) -> Given[SplitSettings]:
    joined = section.parsed("splits").corpora
    if not joined:
        return section
    for other in joined:
        _check(config, name, split, other)
    patterns = [sentences_pattern(config.run, other, split) for other in joined]
    return Given(section.kind, {**section, "corpora": patterns})


def _check(config: Configuration, name: str, split: str, other: str) -> None:
    place, corpora = f"corpora.{name}.splits.{split}.corpora", config.corpora
    joinable = [corpus for corpus in corpora if corpus != name and not joined_splits(corpora[corpus])]
    if other not in joinable:
        reason = "joins others itself" if other in corpora else "is not in the configuration"
        raise InputError(f"{place}: {other} {reason}", remedy=nearest(other, joinable))
    if split not in splits_of(corpora[other]):
        raise InputError(f"{place}: {other} has no split {split}", remedy=nearest(split, splits_of(corpora[other])))
    pairs = [(one.source_language, one.target_language) for one in (corpora[name], corpora[other])]
    if pairs[0] != pairs[1]:
        told = " and ".join("-".join(pair) for pair in pairs)
        raise InputError(f"{place}: the languages of {other} differ, {told}", remedy="join corpora of one pair")


def joined_splits(corpus: CorpusSection) -> list[str]:
    """The splits of a corpus that are those of other corpora together."""
    return [split for split, section in corpus.splits.items() if section.get("corpora")]
