"""Checks of the section ``parsers``."""

from collections.abc import Mapping
from typing import Any

from discourse_nmt.corpus.data.settings import DataSettings, check_data
from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.discourse.coreference.lexicons import lexicon_of
from discourse_nmt.rules.data.names import treebank_patterns


def check_parsers(config: Mapping[str, Any]) -> None:
    """Check what the schema cannot. ``config`` has the schema's defaults. Raises :class:`.InputError`."""
    for language, section in config["parsers"].items():
        if section["coreference"] is not None:
            lexicon_of(language)
        if section["data"] is not None:
            place = f"parsers.{language}.data"
            data = parse_settings(DataSettings, section["data"], place)
            check_data(data, treebank_patterns(section), place, "treebank")
