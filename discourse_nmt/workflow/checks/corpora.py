"""Checks of the section ``corpora``."""

from collections.abc import Mapping
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import check_language
from discourse_nmt.base.settings import as_json, nearest
from discourse_nmt.corpus.data.settings import check_data
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.suites.plan import plan as suite_plan
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.text.tokenisers import check_installed
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.corpora import (
    SEED,
    import_settings,
    scored_sets_of,
    source_only_of,
    splits_of,
    test_sets_of,
    text_settings,
)
from discourse_nmt.workflow.sections.files import patterns_of

# Folders of results/<run>/ that are no corpus.
FOLDERS = ("benchmarks", "documents", "generated", "logs", "parsers", "tables")


def check_corpora(config: Configuration) -> None:
    """Check what the schema cannot: options of formats, held-out splits, values per side, contrastive items.

    ``config`` has the schema's defaults. Raises :class:`InputError`.
    """
    if not config.corpora and not config.parsers:
        raise InputError("no corpora", remedy="name a corpus under corpora, or treebanks under parsers")
    for name, corpus in config.corpora.items():
        if name in FOLDERS:
            raise InputError(f"corpora.{name}: results/<run>/{name} is another folder", remedy="rename the corpus")
        for side in ("source", "target"):
            check_language(corpus.language(side), f"corpora.{name}.{side}_language")
        plan(import_settings(corpus), f"corpora.{name}")
        try:
            text = TextSettings.from_mapping(text_settings(corpus))
            for side in SIDES:
                check_installed(text.of(side).tokeniser)
        except InputError as error:
            raise InputError(f"corpora.{name}: {error}") from None
        for split in corpus.scored:
            if split == "train" or split in source_only_of(corpus) or split not in splits_of(corpus):
                known = [one for one in splits_of(corpus) if one not in ("train", *source_only_of(corpus))]
                reason = f"{split} is no test set with references"
                raise InputError(f"corpora.{name}.scored: {reason}", remedy=nearest(split, known))
        for split in corpus.contrastive:
            if split in source_only_of(corpus):
                remedy = "take its contrastive items away, or give it a target side"
                raise InputError(f"corpora.{name}.contrastive: the test set {split} has no references", remedy=remedy)
            if split not in scored_sets_of(corpus):
                remedy = nearest(split, scored_sets_of(corpus))
                raise InputError(f"corpora.{name}.contrastive: no test set {split}", remedy=remedy)
        check_suites(name, corpus)
        check_systems(config, name)
        if corpus.data is not None:
            place = f"corpora.{name}.data"
            check_data(corpus.data, patterns_of(corpus.splits), place)


def check_suites(name: str, corpus: CorpusSection) -> None:
    """Raise :class:`InputError` where a suite has the name of a split, or settings that do not fit its format."""
    for suite, section in corpus.suites.items():
        if suite in splits_of(corpus):
            raise InputError(f"corpora.{name}.suites.{suite}: a split has this name", remedy="rename the suite")
        try:
            suite_plan(as_json(section), (corpus.source_language, corpus.target_language))
        except InputError as error:
            raise InputError(f"corpora.{name}.suites.{suite}: {error}") from None


def check_systems(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where an external system has the name of an experiment, or an unknown test set."""
    corpus = config.corpora[name]
    translated = [*test_sets_of(corpus), *corpus.suites]
    for system, section in corpus.systems.items():
        place = f"corpora.{name}.systems.{system}"
        if system in config.experiments:
            raise InputError(f"{place}: an experiment has this name", remedy="rename the system")
        for test_set, pattern in section.hypotheses.items():
            if len(section.seeds) > 1 and SEED not in pattern:
                remedy = f"write {SEED} where the names of the outputs differ"
                raise InputError(
                    f"{place}.hypotheses.{test_set}: {pattern} is one output of several seeds", remedy=remedy
                )
            if test_set not in translated:
                remedy = nearest(test_set, translated)
                raise InputError(f"{place}.hypotheses: no test set {test_set}", remedy=remedy)


def check_own_texts(given: Mapping[str, Any], filled: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` for a section ``text`` that ``text_of`` would replace by another one.

    ``given`` is the configuration as it is written, which alone tells a default that was written from an absent key;
    ``filled`` has the schema's defaults. A copy of the other corpus's section, as an anchor of YAML makes it, is no
    fault.
    """
    corpora = filled["corpora"]
    for name, corpus in corpora.items():
        other = corpora.get(corpus["text_of"])
        if other and given["corpora"][name].get("text") and corpus["text"] != other["text"]:
            raise InputError(
                f"corpora.{name}.text: its text_of takes that of {corpus['text_of']} in its place",
                remedy="leave text out, or set text_of to null",
            )
