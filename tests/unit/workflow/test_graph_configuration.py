"""The section graph of a set of analysers: which tables it needs, what a language lacks, faults in one line."""

from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.settings import BackendSettings, BuiltinSettings, GraphSettings, ImportSettings
from discourse_nmt.workflow.checks.analyses import check_analyses, check_annotation
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.sections.analyses import stages_of
from discourse_nmt.workflow.sections.graphs import graph_tables, missing_models
from discourse_nmt.workflow.sections.models import analysis_of_model
from tests.unit.workflow.plan.plan_examples import read
from tests.unit.workflow.test_analyses_configuration import SCHEMA, configured

BUILTIN: dict[Stage, BackendSettings] = {"syntax": BuiltinSettings(), "coreference": BuiltinSettings()}


@pytest.mark.parametrize(
    ("relations", "tables"),
    [
        (list(RELATIONS), ["syntax", "coreference"]),
        (["adjacency"], []),
        (["dependency"], ["syntax"]),
        (["coreference", "lexical"], ["coreference", "syntax"]),
        ([], []),
    ],
)
def test_only_the_tables_of_the_relations_are_needed(relations: Any, tables: list[str]) -> None:
    assert graph_tables(GraphSettings(relations=relations)) == tables
    config = configured({"own": {"graph": {"relations": relations}}})
    assert stages_of(read(config).analyses["own"], "document_graph") == tables
    assert set(check_annotation(read(config), "demo", "own", "source", "document_graph")) == set(tables) | (
        {"syntax"} if tables else set()
    )


def test_a_model_folder_names_the_analysers_of_its_relations_and_no_other() -> None:
    """Of those, too, that these read."""
    config = configured({"own": {"graph": {"relations": ["coreference"]}}})
    config["experiments"] = {"graph": {"system": "document_graph", "analysis": "own"}}
    source = analysis_of_model(read(check_schema(config, SCHEMA)), "graph")["source"]
    assert isinstance(source, dict) and list(source) == ["syntax", "coreference"]


def test_schema_and_settings_agree() -> None:
    keys = SCHEMA["$defs"]["graph"]["properties"]
    assert {name: key["default"] for name, key in keys.items()} == vars(GraphSettings())
    assert keys["relations"]["items"]["enum"] == list(RELATIONS)


def test_what_a_language_lacks() -> None:
    for language in ("de", "en", "fr", "ru", "zh"):
        assert missing_models(GraphSettings(), language, BUILTIN) == []
    assert missing_models(GraphSettings(), "it", BUILTIN) == [
        "no builtin syntax for the language it: the graph's relation dependency is empty",
        "no builtin coreference for the language it: the graph's relation coreference is empty",
    ]
    filtered = GraphSettings(relations=["lexical"], lexical_filter="stopwords")
    assert missing_models(filtered, "it", BUILTIN) == [
        "no builtin syntax for the language it: lexical_filter stopwords leaves out no word"
    ]
    own = ImportSettings(files="x", format="conllu")
    assert missing_models(GraphSettings(), "it", {"syntax": own, "coreference": own}) == []


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ({"relations": ["lexicl"]}, "'lexicl' is not one of its values; did you mean lexical?"),
        ({"lexical_filter": 1}, "analyses.own.graph.lexical_filter"),
        ({"lexical_filter": "some"}, "analyses.own.graph.lexical_filter"),
        ({"filter": "none"}, "unknown key filter in analyses.own.graph"),
    ],
)
def test_faults_are_told_in_one_line(graph: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_analyses(read(configured({"own": {"graph": graph}})))
    assert message in str(caught.value)


GOLD = {"backend": "import", "format": "table", "files": "{split}.parquet"}


@pytest.mark.parametrize(
    ("analysis", "experiment", "message"),
    [
        (
            {"graph": {"relations": ["adjacency"]}},
            {"settings": {"relations": ["adjacency", "lexical"], "target_graph": "none"}},
            "experiments.graph.settings.relations: graphs of the analysis own have no relation lexical; "
            "leave it out, or add it to analyses.own.graph.relations",
        ),
        (
            {},
            {},
            "experiments.graph: the graph of the target is that of a draft, and there is no first stage to make it; "
            "name an experiment as initialised_from, or set target_graph: none",
        ),
        (
            {"coreference": GOLD},
            {"initialised_from": "sentence"},
            "experiments.graph: coreference of a draft cannot be imported; "
            "name another backend as analyses.own.target.coreference",
        ),
    ],
)
def test_faults_of_experiments_with_graphs(analysis: dict[str, Any], experiment: dict[str, Any], message: str) -> None:
    config = configured({"own": analysis})
    default = config["experiments"]["sentence"]
    config["experiments"]["graph"] = {**default, "system": "document_graph", "analysis": "own", **experiment}
    with pytest.raises(InputError) as caught:
        check_analyses(read(config))
    assert str(caught.value) == message


def test_experiments_with_graphs_that_are_complete() -> None:
    config = configured({"own": {"coreference": GOLD, "target": {"coreference": {"backend": "builtin"}}}})
    default = {**config["experiments"]["sentence"], "system": "document_graph", "analysis": "own"}
    config["experiments"]["both"] = {**default, "initialised_from": "sentence"}
    config["experiments"]["source"] = {**default, "settings": {"target_graph": "none"}}
    check_analyses(read(config))
