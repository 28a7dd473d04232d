"""Sections under ``corpora``: splits, and the settings of each stage."""

from collections.abc import Mapping
from typing import Any

# Keys that an import does not depend on.
LATER = ("text", "contrastive", "suites", "systems", "where", "data", "cut_test_sets_by", "scored")


def splits_of(corpus: Mapping[str, Any]) -> list[str]:
    """Every split of a corpus, given or held out."""
    return list(dict.fromkeys([*corpus["splits"], *corpus["held_out"], *corpus["held_out_groups"]]))


def source_only_of(corpus: Mapping[str, Any]) -> list[str]:
    """The test sets without references, which are translated and not scored."""
    return [split for split, section in corpus["splits"].items() if not section.get("references", True)]


def scored_sets_of(corpus: Mapping[str, Any]) -> list[str]:
    """The test sets with references: those of ``scored``, else all splits but train and dev, or dev without others."""
    if corpus["scored"]:
        return list(corpus["scored"])
    others = ("train", "dev", *source_only_of(corpus))
    return [split for split in splits_of(corpus) if split not in others] or ["dev"]


def test_sets_of(corpus: Mapping[str, Any]) -> list[str]:
    """The splits that are translated: those that are scored, and those without references."""
    return [*scored_sets_of(corpus), *source_only_of(corpus)]


def import_settings(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the import of a corpus depends on."""
    return {key: value for key, value in corpus.items() if key not in LATER}


def text_settings(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the text stage of a corpus depends on: its section ``text`` and its languages."""
    return {**{key: corpus[key] for key in ("source_language", "target_language")}, **corpus["text"]}
