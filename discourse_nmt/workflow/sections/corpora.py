"""Sections under ``corpora``: splits, and the settings of each stage."""

from typing import Any

from discourse_nmt.base.settings import as_json
from discourse_nmt.corpus.suites import FORMATS as SUITE_FORMATS
from discourse_nmt.workflow.configuration.corpora import CorpusSection, ExternalSystemSettings

SEED = "{seed}"  # stands for it in names of what comes from outside: files of external systems, model folders
# Keys that an import does not depend on.
LATER = (
    *("licence", "text", "contrastive", "suites", "systems", "where", "data", "cut_test_sets_by", "scored", "text_of"),
    "text_pairs",
    *("training", "decoding"),
)


def outputs_of(system: ExternalSystemSettings) -> dict[tuple[int, str], str]:
    """The file or pattern of an external system's translations, by seed and test set."""
    return {
        (seed, test_set): pattern.replace(SEED, str(seed))
        for seed in system.seeds
        for test_set, pattern in system.hypotheses.items()
    }


def splits_of(corpus: CorpusSection) -> list[str]:
    """Every split of a corpus, given or held out."""
    return list(dict.fromkeys([*corpus.splits, *corpus.held_out, *corpus.held_out_groups]))


def source_only_of(corpus: CorpusSection) -> list[str]:
    """The test sets without references, which are translated and not scored."""
    return [split for split, section in corpus.splits.items() if not section.get("references", True)]


def scored_sets_of(corpus: CorpusSection) -> list[str]:
    """The test sets with references: those of ``scored``, else all splits but train and dev, or dev without others."""
    if corpus.scored:
        return list(corpus.scored)
    others = ("train", "dev", *source_only_of(corpus))
    return [split for split in splits_of(corpus) if split not in others] or ["dev"]


def test_sets_of(corpus: CorpusSection) -> list[str]:
    """The splits that are translated: those that are scored, and those without references."""
    return [*scored_sets_of(corpus), *source_only_of(corpus)]


def translated_suites_of(corpus: CorpusSection) -> list[str]:
    """The suites of a corpus whose translations are looked at."""
    return [name for name, one in corpus.suites.items() if SUITE_FORMATS[one.format].generated or one.generation]


def import_settings(corpus: CorpusSection) -> dict[str, Any]:
    """Settings that the import of a corpus depends on, as JSON."""
    return {key: value for key, value in as_json(corpus).items() if key not in LATER}


def text_settings(corpus: CorpusSection) -> dict[str, object]:
    """Settings that the text stage of a corpus depends on, as JSON: its section ``text`` and its languages."""
    languages = {f"{side}_language": corpus.language(side) for side in ("source", "target")}
    return {**languages, **as_json(corpus.text)}
