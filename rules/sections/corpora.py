"""Sections under ``corpora``: splits, and the settings of each stage."""

from collections.abc import Mapping
from typing import Any

LATER = ("text", "contrastive", "suites", "systems", "where", "data")  # keys that an import does not depend on


def splits_of(corpus: Mapping[str, Any]) -> list[str]:
    """Every split of a corpus, given or held out."""
    return list(dict.fromkeys([*corpus["splits"], *corpus["held_out"]]))


def test_sets_of(corpus: Mapping[str, Any]) -> list[str]:
    """The splits that are translated and scored: all but train and dev, or dev where there is no other."""
    return [split for split in splits_of(corpus) if split not in ("train", "dev")] or ["dev"]


def import_settings(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the import of a corpus depends on."""
    return {key: value for key, value in corpus.items() if key not in LATER}


def text_settings(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the text stage of a corpus depends on: its section ``text`` and its languages."""
    return {**{key: corpus[key] for key in ("source_language", "target_language")}, **corpus["text"]}
