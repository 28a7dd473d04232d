"""One model decoded in several ways: rows of their own, and no training."""

import re

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.jobs.interface import names_regex
from discourse_nmt.workflow.plan.runs import Run
from discourse_nmt.workflow.sections.switches import differing_switches
from tests.unit.workflow.plan.plan_examples import configured, planned, run

TREES = {
    "system": "rst_transformer",
    "initialised_from": "second",
    "corpora": ["news"],
    "seeds": [1, 2],
    "decoding": {"beam": 2},
    "decodings": {"no_tree": {"use_tree": False}, "greedy": {"beam": 1}},
}
PLAN = planned(experiments={"trees": TREES})
FOLDER = "results/example/news/experiments"


def test_each_decoding_is_a_row_of_each_seed() -> None:
    assert [found for found in PLAN.runs.all() if found.experiment == "trees.no_tree"] == [
        Run("news", "trees.no_tree", 1),
        Run("news", "trees.no_tree", 2),
    ]
    assert f"{FOLDER}/trees.greedy/seed2/scores/test.tsv" in PLAN.runs.scored_files("scores/{split}.tsv")


def test_its_keys_come_on_top_of_those_of_the_experiment() -> None:
    decodings = {
        name: PLAN.parameters.experiments["news", f"trees{name}"].decoding for name in ("", ".no_tree", ".greedy")
    }
    assert [one.beam for one in decodings.values()] == [2, 2, 1]
    assert [one.use_tree for one in decodings.values()] == [True, False, True]


def test_only_the_experiment_is_trained_and_its_decodings_take_its_model() -> None:
    trained, taken = (
        names_regex(names) for names in (PLAN.runs.trained_experiments(), PLAN.runs.decoded_experiments())
    )
    for name in ("trees.no_tree", "trees.greedy"):
        assert re.fullmatch(taken, name) and not re.fullmatch(trained, name)
        model = PLAN.runs.model_of("model.safetensors")(run(name, 2))
        assert model == f"{FOLDER}/trees/seed2/model.safetensors"
    assert re.fullmatch(trained, "trees") and not re.fullmatch(taken, "trees")


def test_decoding_without_trees_needs_no_structure_file() -> None:
    assert PLAN.structures.decoding(run("trees", split="test"))
    assert PLAN.structures.decoding(run("trees.no_tree", split="test")) == []


def test_the_report_shows_in_what_decodings_differ() -> None:
    shown = differing_switches(PLAN.config)
    assert shown["trees.no_tree"]["decoding.use_tree"] is False
    assert (shown["trees.no_tree"]["model_of"], "model_of" in shown["trees"]) == ("trees", False)
    assert not any("decodings" in switches for switches in shown.values())


@pytest.mark.parametrize(
    ("decodings", "message"),
    [
        (
            {"greedy": {"beem": 1}},
            "trees.decodings.greedy: decoding: unknown setting beem; did you mean beam?",
        ),
        ({"greedy": {"beam": 0}}, "experiments.trees.decodings.greedy: decoding: beam is 0; it must be at least 1"),
    ],
)
def test_a_fault_names_the_decoding(decodings: dict[str, dict[str, int]], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        configured(experiments={"trees": {**TREES, "decodings": decodings}})


def test_a_name_that_is_an_experiment_is_refused() -> None:
    with pytest.raises(InputError, match=r"experiments\.trees\.decodings: trees\.greedy is an experiment, too"):
        configured(experiments={"trees": TREES, "trees.greedy": {"system": "transformer"}})
