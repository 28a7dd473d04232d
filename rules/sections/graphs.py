"""The section ``graph`` of a set of analysers: what it needs, and what is missing for a language."""

from collections.abc import Mapping
from typing import Any

from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.corpus.storage.tables import Relation
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.builtin.models import has_model, model_folder
from discourse_nmt.discourse.settings import BackendSettings, BuiltinSettings, GraphSettings

# The table of annotation that a relation is made of; adjacency needs the words alone.
TABLES: dict[Relation, Stage] = {"dependency": "syntax", "lexical": "syntax", "coreference": "coreference"}


def graph_settings(analysis: Mapping[str, Any]) -> GraphSettings:
    """What words are linked, with every default. Raises :class:`.InputError`."""
    return parse_settings(GraphSettings, analysis["graph"], "graph")


def graph_tables(settings: GraphSettings) -> list[Stage]:
    """The tables of annotation that the graph is made of, beside the tokens."""
    return list(dict.fromkeys(TABLES[name] for name in settings.relations if name in TABLES))


def what_is_missing(settings: GraphSettings, language: str, backends: Mapping[Stage, BackendSettings]) -> list[str]:
    """What a graph lacks where the builtin analysers among ``backends`` have no model for the language, in lines."""
    lines: list[str] = []
    needed: dict[Stage, str] = {"syntax": "joint", "coreference": "coreference"}
    for stage, model in needed.items():
        chosen = backends.get(stage)
        if not isinstance(chosen, BuiltinSettings) or has_model(model_folder(chosen, language), model):
            continue
        lost: Relation = "dependency" if stage == "syntax" else "coreference"
        if lost in settings.relations:
            lines.append(f"no builtin {stage} for the language {language}: the graph's relation {lost} is empty")
        if stage == "syntax" and settings.lexical_filter == "stopwords" and "lexical" in settings.relations:
            lines.append(f"no builtin syntax for the language {language}: lexical_filter stopwords leaves out no word")
    return lines
