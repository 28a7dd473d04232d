"""Checks of the section ``parsers``."""

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.data.settings import check_data
from discourse_nmt.discourse.backends.builtin.models import SHIPPED, has_model
from discourse_nmt.discourse.coreference.lexicons import lexicon_of
from discourse_nmt.workflow.configuration.parsers import ProjectionSettings
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.files import treebank_patterns


def check_parsers(config: Configuration) -> None:
    """Check what the schema cannot. ``config`` has the schema's defaults. Raises :class:`.InputError`."""
    for language, section in config.parsers.items():
        if section.coreference is not None:
            lexicon_of(language)
        for analyser in ("rst", "coreference"):
            if projection := section.projection(analyser):
                check_projection(projection, analyser, language, f"parsers.{language}.{analyser}.projected")
        if section.data is not None:
            place = f"parsers.{language}.data"
            check_data(section.data, treebank_patterns(section), place, "treebank")


def check_projection(projection: ProjectionSettings, analyser: str, language: str, place: str) -> None:
    """Check that the other language is another one, and that its analyser ships."""
    if projection.language == language:
        raise InputError(f"{place}.language is {language} itself", remedy="name another language")
    if not has_model(SHIPPED / projection.language, analyser):
        having = sorted(folder.name for folder in SHIPPED.iterdir() if has_model(folder, analyser))
        raise InputError(
            f"{place}.language: no {analyser} weights ship for {projection.language}",
            remedy=f"choose from {', '.join(having)}",
        )
