"""Figures of analysers in the table of scores, and the rules that put them there."""

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.evaluation.figures import Figure, write_figures
from discourse_nmt.scoring.tables.analyses import SHOWN, analysis_scores, summarise_analyses
from discourse_nmt.scoring.tables.scores import parse, score_table
from discourse_nmt.scoring.tables.summary import markdown, summarise
from discourse_nmt.workflow.checks.analyses import check_analyses
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.schema.validator import parsed_schema
from discourse_nmt.workflow.sections.analyses import compared_sides, compared_tables_of
from tests.conftest import ROOT

FIGURES = [
    Figure("edu", "EDU precision", 50.0, "predicted"),
    Figure("edu", "EDU F1", 62.5, "predicted"),
    Figure("rst_parseval", "Full F1", 41.25, "predicted"),
    Figure("rst_parseval", "Full F1", 55.0, "gold"),
]


def test_figures_become_scores() -> None:
    scores = analysis_scores(write_figures(FIGURES), "gold", file="f.tsv")
    assert [score.metric for score in scores] == [
        "EDU precision (edu, predicted)",
        "EDU F1 (edu, predicted)",
        "Full F1 (rst_parseval, predicted)",
        "Full F1 (rst_parseval, gold)",
    ]
    assert [score.value for score in scores] == [50, 62.5, 41.25, 55]
    assert {score.signature for score in scores} == {"against:gold|average:micro"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpus\tvalue\n", "f.tsv:1: not a table of figures"),
        ("task\tmetric\tvalue\tsetting\nedu\tEDU F1\tmuch\tgold\n", "f.tsv:2: not a figure"),
        ("task\tmetric\tvalue\tsetting\nedu\tEDU F1\n", "f.tsv:2: not a figure"),
    ],
)
def test_other_figures_are_input_errors(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        analysis_scores(text, "gold", file="f.tsv")


def test_the_summary_has_a_row_per_analysis_and_input() -> None:
    scores = analysis_scores(write_figures(FIGURES), "gold", file="f.tsv")
    names = {"corpus": "demo", "experiment": "builtin", "system": "source analysis", "test_set": "test"}
    table = score_table(scores, seed=0, **names)
    assert summarise_analyses(table).to_dict("records") == [
        {
            "corpus": "demo",
            "test set": "test",
            "analysis": "builtin",
            "of": "source analysis",
            "input": setting,
            "EDU F1": units,
            "RST-Parseval Full": trees,
        }
        for setting, units, trees in (("predicted", "62.50", "41.25"), ("gold", "–", "55.00"))
    ]
    assert summarise(table).empty
    assert "62.50" in markdown(table)


def test_shown_figures_are_those_of_the_evaluation() -> None:
    pages = ("analysers/evaluation.md", "systems/theme-labeller.md")
    documented = "\n".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in pages)
    for task, metric in SHOWN.values():
        assert f"`{task}`" in documented
        assert f"`{metric.removesuffix(' F1')}`" in documented or f"`{metric}`" in documented


def test_the_command_writes_a_table_of_scores(tmp_path: Path) -> None:
    (tmp_path / "figures.tsv").write_text(write_figures(FIGURES), encoding="utf-8")
    names = ["--corpus", "demo", "--analysis", "builtin", "--of", "source analysis", "--test-set", "test"]
    command = [sys.executable, "-m", "discourse_nmt.workflow_scripts.score.score_analysis", *names, "--against", "gold"]
    files = ["--figures", str(tmp_path / "figures.tsv"), "--output", str(tmp_path / "scores.tsv")]
    subprocess.run([*command, *files], cwd=ROOT, check=True)
    table = parse((tmp_path / "scores.tsv").read_text(encoding="utf-8"), file="scores.tsv")
    assert table["experiment"].unique().tolist() == ["builtin"]
    assert len(table) == len(FIGURES)


def configured(**changed: Any) -> Configuration:
    """The demo's configuration with ``changed`` keys of the analysis builtin."""
    config = copy.deepcopy(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))
    config["analyses"]["builtin"].update(changed)
    schema = parsed_schema((ROOT / "config.schema.yaml").read_text(encoding="utf-8"))
    return Configuration.read(check_schema(config, schema))


def test_the_demo_scores_its_analysers_against_the_generator() -> None:
    config = configured()
    check_analyses(config)
    assert compared_sides(config, "builtin") == [("demo", "source")]
    assert compared_sides(config, "gold") == []
    wanted = ["syntax", "edus", "rst", "rst_dependencies", "coreference", "themes"]
    assert compared_tables_of(config, "builtin", "gold") == wanted
    config = configured(tables=["syntax", "rst", "coreference", "edus"])
    assert compared_tables_of(config, "builtin", "gold") == ["edus", "rst", "coreference"]
    assert compared_tables_of(configured(tables=["rst", "themes", "coreference"]), "builtin", "gold") == ["coreference"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"compared_with": "gald"}, "analyses.builtin.compared_with: no other analysis gald; did you mean gold?"),
        ({"compared_with": "builtin"}, "analyses.builtin.compared_with: no other analysis builtin"),
        ({"tables": ["syntax", "rst"]}, "analyses.builtin.compared_with: gold has no table of the same text"),
        ({"sides": ["target"], "tables": []}, "analyses.builtin.compared_with: gold has no table of the same text"),
    ],
)
def test_analyses_that_cannot_be_compared_are_told(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_analyses(configured(**changed))
    assert message in str(caught.value) and "\n" not in str(caught.value)
