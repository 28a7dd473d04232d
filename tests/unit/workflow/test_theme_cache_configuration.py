"""Experiments with a theme-rheme cache: which labeller they need, faults in one line."""

from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.checks.experiments import check_experiments
from discourse_nmt.workflow.sections.experiments import structure_of
from tests.unit.workflow.plan.plan_examples import read
from tests.unit.workflow.test_analyses_configuration import configured


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
        (
            {"settings": {"lstm_dir_width": 77}},
            "experiments.cache.settings.lstm_dir_width: it is what the labeller has; "
            "set labellers.themes.settings.direction_width",
        ),
        ({"settings": {"labels": 7}}, "experiments.cache.settings.labels: it is what the labeller has; leave it out"),
    ],
)
def test_faults_are_told_in_one_line(experiment: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_experiments(read(with_cache(**experiment)))
    assert str(caught.value) == message


def test_a_labeller_reads_an_encoder_of_sentences() -> None:
    config = with_cache(initialised_from="packed")
    config["experiments"]["packed"] = {**config["experiments"]["sentence"], "system": "concat"}
    with pytest.raises(InputError, match=r"experiments\.cache\.initialised_from: packed does not encode sentences"):
        check_experiments(read(config))


def test_defaults_are_those_of_section_9() -> None:
    switches = ThemeRhemeCacheSettings()
    assert (switches.cache, switches.cache_size, switches.ctx_residual) == ("theme_rheme", 25, "ffn")
    assert switches.filters and not switches.dedup_when_not_full
    assert not ThemeRhemeCacheSettings(cache="continuous").filters
    assert ThemeRhemeCacheSettings(cache="continuous", stop_filter=True).filters
    assert not ThemeRhemeCacheSettings(stop_filter=False).filters
    labeller = LabellerSettings()
    assert (labeller.network, labeller.designated) == ("encoder", "theme-topical")
    training = LabellerTrainingSettings()
    assert (training.learning_rate, training.epochs, training.batch_sentences) == (0.001, 5, 256)
    step_3 = TrainingSettings()
    assert step_3.initialised_rate == 1 and not step_3.rates  # freeze_transformer false, ctx_lr_scale 1


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
    check_experiments(read(config))
    assert structure_of(read(config), "cache") == kind
