"""Checks of the section ``parsers``."""

from collections.abc import Mapping
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.corpus.data.settings import DataSettings, check_data
from discourse_nmt.discourse.backends.builtin.models import SHIPPED, has_model
from discourse_nmt.discourse.coreference.lexicons import lexicon_of
from discourse_nmt.workflow.data.names import treebank_patterns
from discourse_nmt.workflow.schema.parser_sections import ProjectionSettings


def check_parsers(config: Mapping[str, Any]) -> None:
    """Check what the schema cannot. ``config`` has the schema's defaults. Raises :class:`.InputError`."""
    for language, section in config["parsers"].items():
        if section["coreference"] is not None:
            lexicon_of(language)
        for analyser in ("rst", "coreference"):
            projected = (section[analyser] or {}).get("projected")
            if projected is not None:
                place = f"parsers.{language}.{analyser}.projected"
                check_projection(parse_settings(ProjectionSettings, projected, place), analyser, language, place)
        if section["data"] is not None:
            place = f"parsers.{language}.data"
            data = parse_settings(DataSettings, section["data"], place)
            check_data(data, treebank_patterns(section), place, "treebank")


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
