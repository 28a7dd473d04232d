"""Trivial units and trees, worked out by hand for the sample treebank."""

import csv
from pathlib import Path

import pytest

from discourse_nmt.command_line import parser
from discourse_nmt.discourse.evaluation.baselines import baseline_scores, right_branching
from discourse_nmt.discourse.evaluation.figures import figures
from discourse_nmt.discourse.evaluation.treebank import read_treebank
from discourse_nmt.discourse.structures.conversions import li14
from tests.unit.discourse.evaluation.evaluation_samples import NAMES, write_treebank


@pytest.mark.parametrize(
    ("sentence_of_edu", "spans", "heads"),
    [
        ([0], [(0, 0)], (-1,)),
        ([0, 0, 0], [(0, 2), (0, 0), (1, 2), (1, 1), (2, 2)], (-1, 0, 1)),
        ([0, 0, 1], [(0, 2), (0, 1), (0, 0), (1, 1), (2, 2)], (-1, 0, 0)),
        ([0, 1, 1, 2], [(0, 3), (0, 0), (1, 3), (1, 2), (1, 1), (2, 2), (3, 3)], (-1, 0, 1, 1)),
    ],
)
def test_trees_branch_to_the_right_and_keep_sentences_whole(
    sentence_of_edu: list[int], spans: list[tuple[int, int]], heads: tuple[int, ...]
) -> None:
    tree = right_branching(sentence_of_edu)
    assert [(node.first_edu, node.last_edu) for node in tree.nodes] == spans
    assert li14(tree).heads == heads


def test_the_command_writes_the_figures_of_trivial_analyses(tmp_path: Path) -> None:
    """Gold: *Rain came.* is a satellite of *They left, + because it was cold.*, of which the second is one."""
    bank, baselines = write_treebank(tmp_path / "bank"), tmp_path / "baselines.tsv"
    options = ["--language", "en", "--output", str(tmp_path / "scores.tsv"), "--baselines", str(baselines)]
    arguments = parser().parse_args(["evaluate-analysers", "--treebank", str(bank), *options])
    assert arguments.run(arguments) == 0
    with baselines.open(encoding="utf-8", newline="") as handle:
        rows = {
            (row["task"], row["metric"], row["setting"]): row["value"]
            for row in csv.DictReader(handle, dialect="excel-tab")
        }
    expected = {
        ("edu", "EDU precision", "gold"): 100,
        ("edu", "EDU recall", "gold"): 200 / 3,
        ("edu", "exact EDU F1", "gold"): 40,  # one unit of two and of three
        ("rst_parseval_original", "Span F1", "gold"): 100,
        ("rst_parseval_original", "Nuclearity F1", "gold"): 50,
        ("rst_parseval_original", "Relation F1", "gold"): 0,
        ("rst_parseval_original", "Span F1", "predicted"): 200 / 3,  # the root, of one node and of two
        ("rst_dependencies", "UAS", "gold"): 100 / 3,  # only the last unit
        ("rst_dependencies", "UAS", "predicted"): 0,
    }
    assert {key: float(rows[key]) for key in expected} == pytest.approx(expected, abs=1e-3)


def test_a_layer_without_gold_has_no_figures(tmp_path: Path) -> None:
    units_only = write_treebank(tmp_path / "units", {f"rs4/{name}.rs4": None for name in NAMES})
    rows = figures([baseline_scores(document) for document in read_treebank(str(units_only))])
    assert not rows
