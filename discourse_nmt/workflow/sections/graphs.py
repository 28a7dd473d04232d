"""The section ``graph`` of an analysis: the tables that it needs, and relations that are empty for a language."""

from collections.abc import Mapping

from discourse_nmt.base.relations import Relation
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.builtin.models import has_model, model_folder
from discourse_nmt.discourse.settings import BackendSettings, BuiltinSettings, GraphSettings

# The table of annotation that a relation is made of; adjacency needs the words alone.
TABLES: dict[Relation, Stage] = {"dependency": "syntax", "lexical": "syntax", "coreference": "coreference"}


def graph_tables(settings: GraphSettings) -> list[Stage]:
    """The tables of annotation that the graph is made of, beside the tokens."""
    return list(dict.fromkeys(TABLES[name] for name in settings.relations if name in TABLES))


def missing_models(settings: GraphSettings, language: str, backends: Mapping[Stage, BackendSettings]) -> list[str]:
    """One line for each relation or filter without effect, as a builtin analyser has no model for the language."""
    lines: list[str] = []
    models: dict[Stage, tuple[str, Relation]] = {
        "syntax": ("joint", "dependency"),
        "coreference": ("coreference", "coreference"),
    }
    for stage, (model, relation) in models.items():
        backend = backends.get(stage)
        if not isinstance(backend, BuiltinSettings) or has_model(model_folder(backend, language), model):
            continue
        if relation in settings.relations:
            lines.append(f"no builtin {stage} for the language {language}: the graph's relation {relation} is empty")
        if stage == "syntax" and settings.lexical_filter == "stopwords" and "lexical" in settings.relations:
            lines.append(f"no builtin syntax for the language {language}: lexical_filter stopwords leaves out no word")
    return lines
