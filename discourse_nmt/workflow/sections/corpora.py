"""Sections under ``corpora``: splits, and the settings of each stage."""

from collections.abc import Mapping
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest

SEED = "{seed}"  # stands for it in names of what comes from outside: files of external systems, model folders
# Keys that an import does not depend on.
LATER = (
    *("text", "contrastive", "suites", "systems", "where", "data", "cut_test_sets_by", "scored", "text_of"),
    "text_pairs",
    *("training", "decoding"),
)


def outputs_of(system: Mapping[str, Any]) -> dict[tuple[int, str], str]:
    """The file or pattern of an external system's translations, by seed and test set."""
    return {
        (seed, test_set): pattern.replace(SEED, str(seed))
        for seed in system["seeds"]
        for test_set, pattern in system["hypotheses"].items()
    }


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


def share_texts(config: Mapping[str, Any]) -> None:
    """Give each corpus with ``text_of`` the text settings of that corpus; ``config`` has the schema's defaults.

    Raises :class:`InputError` for a corpus that does not exist, has other languages or takes its own text over.
    """
    corpora = config["corpora"]
    for name, corpus in corpora.items():
        if (other := corpus["text_of"]) is None:
            continue
        key = f"corpora.{name}.text_of"
        if other not in corpora or other == name:
            known = [one for one in corpora if one != name]
            raise InputError(f"{key}: no other corpus {other}", remedy=nearest(other, known))
        if corpora[other]["text_of"] is not None:
            raise InputError(f"{key}: {other} takes its text over, too", remedy=f"name {corpora[other]['text_of']}")
        languages = [[one[f"{side}_language"] for side in ("source", "target")] for one in (corpus, corpora[other])]
        if languages[0] != languages[1]:
            told = " and ".join("-".join(pair) for pair in languages)
            raise InputError(f"{key}: the languages differ, {told}", remedy="name a corpus of the same languages")
        corpus["text"] = corpora[other]["text"]


def import_settings(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the import of a corpus depends on."""
    return {key: value for key, value in corpus.items() if key not in LATER}


def text_settings(corpus: Mapping[str, Any]) -> dict[str, Any]:
    """Settings that the text stage of a corpus depends on: its section ``text`` and its languages."""
    return {**{key: corpus[key] for key in ("source_language", "target_language")}, **corpus["text"]}
