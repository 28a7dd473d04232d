"""Checks of the section ``labellers``."""

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.workflow.checks.analyses import check_annotation
from discourse_nmt.workflow.checks.experiments import check_sentence_encoder
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.corpora import splits_of
from discourse_nmt.workflow.sections.experiments import corpora_of
from discourse_nmt.workflow.sections.labellers import imported_words, labeller_switches, labeller_training


def check_labellers(config: Configuration) -> None:
    """Check what the schema cannot: settings, and that experiments and analyses exist.

    ``config`` has the schema's defaults. Raises :class:`InputError`.
    """
    for name, labeller in config.labellers.items():
        settings = labeller_switches(config, name)
        labeller_training(config, name)
        imported = imported_words(config, name)
        if imported is not None and settings.network == "encoder":
            labels, designated = imported.labels, settings.designated
            if designated not in labels:
                message = f"labellers.{name}.settings.designated: {designated} is no label of {imported.format}"
                raise InputError(message, remedy=nearest(designated, labels))
        for experiment in labeller.experiments:
            if experiment not in config.experiments:
                remedy = nearest(experiment, config.experiments)
                raise InputError(f"labellers.{name}.experiments: no experiment {experiment}", remedy=remedy)
            check_sentence_encoder(config, experiment, f"labellers.{name}.experiments")
            if imported is None:
                for corpus in sorted(corpora_of(config, experiment)):
                    check_words(config, name, corpus)


def check_words(config: Configuration, name: str, corpus: str) -> None:
    """Raise :class:`InputError` where a labeller's analysis cannot label the words of a corpus."""
    analysis = config.labellers[name].analysis
    if analysis not in config.analyses:
        remedy = nearest(analysis, config.analyses)
        raise InputError(f"labellers.{name}.analysis: no analysis {analysis}", remedy=remedy)
    if "dev" not in splits_of(config.corpora[corpus]):
        raise InputError(f"labellers.{name}: corpus {corpus} has no split dev", remedy="give it one, or use imported")
    check_annotation(config, corpus, analysis, "source", "themes")
