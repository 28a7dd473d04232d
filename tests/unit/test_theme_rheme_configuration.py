"""Experiments with a theme-rheme cache: which labeller they need, faults in one line."""

from typing import Any

import pytest

from corpus.errors import InputError
from rules.configuration import check_experiments, structure_of
from tests.unit.test_discourse_stages_configuration import configured


def with_cache(**experiment: Any) -> dict[str, Any]:
    config: dict[str, Any] = configured({})
    labeller: dict[str, Any] = {
        "experiments": [],
        "analysis": "builtin",
        "imported": None,
        "settings": {},
        "training": {},
    }
    config["labellers"] = {"themes": labeller, "letters": {**labeller, "settings": {"network": "characters"}}}
    default = config["experiments"]["sentence"]
    config["experiments"]["cache"] = {
        **default,
        "system": "theme_rheme_cache",
        "initialised_from": "sentence",
        "labeller": "themes",
        **experiment,
    }
    return config


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        (
            {"labeller": None},
            "experiments.cache: its cache needs a labeller; name one of labellers, or set settings.cache to continuous",
        ),
        (
            {"settings": {"cache": "continuous"}},
            "experiments.cache.labeller: its system has no use for one; set it to null",
        ),
        ({"labeller": "teams"}, "experiments.cache.labeller: no labeller teams; did you mean themes?"),
        (
            {"labeller": "letters"},
            "experiments.cache.labeller: letters reads characters and has no scores; name one with network: encoder",
        ),
        (
            {"initialised_from": None},
            "experiments.cache.labeller: it starts from no experiment; "
            "set initialised_from to the experiment whose encoder it is to read",
        ),
    ],
)
def test_faults_are_told_in_one_line(experiment: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_experiments(with_cache(**experiment))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("experiment", "kind"),
    [
        ({}, "cache_words"),
        ({"labeller": None, "settings": {"cache": "continuous"}}, "cache_words"),
        ({"labeller": None, "settings": {"cache": "none"}}, ""),
        ({"labeller": None, "settings": {"cache_size": 0}}, ""),
    ],
)
def test_experiments_that_are_complete(experiment: dict[str, Any], kind: str) -> None:
    config = with_cache(**experiment)
    check_experiments(config)
    assert structure_of(config, "cache") == kind
