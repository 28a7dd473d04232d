"""Configurations with systems and metrics from outside of the project."""

from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import as_json
from discourse_nmt.scoring.external.settings import MetricTextSettings
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.experiments import baseline_of, corpora_of
from tests.unit.workflow.plan.plan_examples import CONFIG, configured

GPT = {"hypotheses": {"test": "gpt.txt"}}


def with_systems(systems: dict[str, Any], **sections: Any) -> Configuration:
    return configured(corpora={"news": {**CONFIG["corpora"]["news"], "systems": systems}}, **sections)


def with_metric(*command: str, name: str = "comet", **keys: Any) -> Configuration:
    return configured(metrics={name: {"command": list(command), **keys}})


def test_defaults() -> None:
    assert as_json(with_systems({"gpt": GPT}).corpora["news"].systems["gpt"]) == {
        **GPT,
        "seeds": [0],
        "compared_with": None,
    }
    metric = as_json(with_metric("comet", "{hypotheses}").metrics["comet"])
    texts = as_json(MetricTextSettings())
    assert metric == {"command": ["comet", "{hypotheses}"], "better": "higher", "time_limit": None, "texts": texts}


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"sentence": GPT}, "corpora.news.systems.sentence: an experiment has this name; rename the system"),
        (
            {"gpt": {"hypotheses": {"tset": "x"}}},
            "corpora.news.systems.gpt.hypotheses: no test set tset; did you mean test",
        ),
        ({"gpt": {"hypotheses": {"dev": "x"}}}, "no test set dev; choose from test, more, deixis, forms"),
        ({"gpt": {"hypotheses": {"dexis": "x"}}}, "no test set dexis; did you mean deixis?"),
        ({"gpt": {**GPT, "compared_with": "sentense"}}, "systems.gpt.compared_with: no experiment sentense; did you"),
        ({"gpt": {**GPT, "compared_with": "gpt"}}, "corpora.news.systems.gpt.compared_with: that is itself"),
        ({"gpt": {"hypothesis": "x"}}, "unknown key hypothesis in corpora.news.systems.gpt"),
        ({"gpt": {"hypotheses": {}}}, "corpora.news.systems.gpt.hypotheses"),
        ({"a b": GPT}, "a b"),
        (
            {"gpt": {**GPT, "seeds": [1, 2]}},
            "corpora.news.systems.gpt.hypotheses.test: gpt.txt is one output of several seeds; write {seed} where",
        ),
        ({"gpt": {**GPT, "seeds": [1, 1]}}, "corpora.news.systems.gpt.seeds"),
        ({"gpt": {**GPT, "seeds": []}}, "corpora.news.systems.gpt.seeds"),
    ],
)
def test_faulty_systems_are_one_line(systems: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        with_systems(systems)
    assert message in str(caught.value)


def test_systems_are_compared_like_experiments() -> None:
    config = with_systems(
        {"gpt": GPT, "engine": {**GPT, "compared_with": "gpt"}},
        significance={"baseline": "sentence"},
        experiments={"trees": {**CONFIG["experiments"]["trees"], "compared_with": "engine"}},
    )
    assert baseline_of(config, "gpt", "news") == "sentence"
    assert baseline_of(config, "engine", "news") == "gpt"
    assert baseline_of(config, "trees", "news") == "engine"
    assert corpora_of(config, "gpt") == {"news"}


def test_a_system_is_a_baseline_on_its_corpora() -> None:
    config = with_systems({"gpt": GPT}, significance={"baseline": "gpt"})
    assert baseline_of(config, "sentence", "news") == "gpt"
    assert baseline_of(config, "sentence", "talks") is None
    assert baseline_of(config, "gpt", "news") is None
    sentence = {**CONFIG["experiments"]["sentence"], "compared_with": "gpt"}
    with pytest.raises(
        InputError, match=r"experiments\.sentence\.compared_with: gpt has no translations of talks; add"
    ):
        with_systems({"gpt": GPT}, experiments={"sentence": sentence})


def test_a_metric_may_know_whose_translations_it_judges() -> None:
    """And need no file of them, as human evaluation."""
    command = ["discourse-nmt", "campaign", "print", "a.json", "--system", "{experiment}.{seed}"]
    assert with_metric(*command).metrics["comet"].command == command


@pytest.mark.parametrize(
    ("command", "name", "message"),
    [
        (["comet"], "comet", r"metrics\.comet\.command has no argument with {hypotheses}"),
        (["comet", "{hypotheses}", "{refrences}"], "comet", "nothing for {refrences}; did you mean references"),
        (["x", "{hypotheses}"], "TER", r"metrics\.TER: the project has a metric of this name"),
        ([], "comet", r"metrics\.comet\.command"),
    ],
)
def test_faulty_metrics_are_one_line(command: list[str], name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_metric(*command, name=name)
