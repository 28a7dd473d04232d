"""The section labellers of the configuration: what a labeller resolves to, and faults in one line, before any job."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.workflow.checks.labellers import check_labellers
from discourse_nmt.workflow.sections.labellers import imported_words, labeller_switches, labeller_training
from tests.conftest import ROOT
from tests.unit.workflow.plan.plan_examples import read
from tests.unit.workflow.test_analyses_configuration import configured
from tests.unit.workflow.test_configuration import PRESETS, load, resolved

SECTION: dict[str, Any] = {"experiments": [], "analysis": "builtin", "imported": None, "settings": {}, "training": {}}
CTRD = {"format": "ctrd", "files": ["ctrd/*.xml"]}


def labelled(corpus: dict[str, Any] | None = None, **section: Any) -> dict[str, Any]:
    config = configured(**(corpus or {}))
    return {**config, "labellers": {"themes": {**SECTION, **section}}}


def test_defaults_and_given_values() -> None:
    config = labelled(settings={"layers": 1}, training={"learning_rate": 1})
    check_labellers(read(config))
    assert labeller_switches(read(config), "themes") == LabellerSettings(layers=1)
    assert labeller_training(read(config), "themes") == LabellerTrainingSettings(learning_rate=1.0)
    assert imported_words(read(config), "themes") is None
    imported = imported_words(read(labelled(imported=CTRD)), "themes")
    assert imported is not None
    assert (imported.dev, imported.test, imported.omitted) == (45, 45, False)


def test_the_demo_names_every_common_switch_with_its_default() -> None:
    section = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))["labellers"]["themes"]
    assert section["training"] == dataclasses.asdict(LabellerTrainingSettings())
    defaults = dataclasses.asdict(LabellerSettings())
    assert section["settings"] == {name: defaults[name] for name in section["settings"]}
    assert all(field.metadata["meaning"] for field in dataclasses.fields(LabellerSettings))


@pytest.mark.parametrize("path", [path for path in PRESETS if "labellers" in load(path)], ids=lambda path: path.name)
def test_presets_are_valid(path: Path) -> None:
    config = resolved(load(path))
    check_labellers(config)
    assert config.labellers


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"settings": {"layer": 1}}, "labellers.themes: settings: unknown setting layer; did you mean layers?"),
        ({"settings": {"network": "encodr"}}, "network is 'encodr'; did you mean encoder?"),
        ({"training": {"epochs": 0}}, "labellers.themes: training: epochs is 0; it must be at least 1"),
        ({"experiments": ["sentense"]}, "no experiment sentense; did you mean sentence?"),
        ({"experiments": ["sentence"], "analysis": "own"}, "labellers.themes.analysis: no analysis own"),
        ({"imported": {"format": "ctrd"}}, "labellers.themes: imported: files is missing"),
        ({"imported": {**CTRD, "format": "ctd"}}, "format is 'ctd'; did you mean ctrd?"),
        (
            {"imported": {**CTRD, "files": []}},
            "themes: imported: files is empty; name the files of the corpus",
        ),
        ({"settings": {"network": "characters", "window": 2}}, "settings: window is 2; it must be odd"),
        (
            {"imported": CTRD, "settings": {"designated": "theme-topic"}},
            "labellers.themes.settings.designated: theme-topic is no label of ctrd; did you mean theme-topical?",
        ),
        ({"imported": CTRD, "settings": {"designated": "rheme-omitted"}}, "rheme-omitted is no label of ctrd"),
        ({"imported": {**CTRD, "test": 0}}, "test is 0; it must be at least 1"),
    ],
)
def test_faults_are_told_in_one_line(section: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        config = labelled(**section)
        check_labellers(read(config))
        imported_words(read(config), "themes")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_omitted_rhemes_are_a_label_where_they_are_kept_apart() -> None:
    check_labellers(read(labelled(imported={**CTRD, "omitted": True}, settings={"designated": "rheme-omitted"})))


def test_a_language_without_themes_needs_imported_words() -> None:
    german = {"source_language": "de", "target_language": "en"}
    with pytest.raises(InputError, match="themes"):
        check_labellers(read(labelled(german, experiments=["sentence"])))
    check_labellers(read(labelled(german, experiments=["sentence"], imported=CTRD)))


def test_a_system_that_encodes_instances_is_refused() -> None:
    config = labelled(experiments=["packed"])
    config["experiments"]["packed"] = {**config["experiments"]["sentence"], "system": "concat"}
    with pytest.raises(InputError, match="packed does not encode sentences by themselves"):
        check_labellers(read(config))
