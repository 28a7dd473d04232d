"""The shipped weights are those that config/parsers.yaml makes: sizes, members and thresholds that it states."""

import json
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

LANGUAGES: dict[str, Any] = yaml.safe_load((ROOT / "config" / "parsers.yaml").read_text(encoding="utf-8"))["parsers"]
STATED = {
    "network": "joint.network",
    "rst.settings": "rst.network",
    "rst.training.members": "rst.members",
    "coreference.settings": "coreference.network",
    "coreference.resolving": "coreference.resolver",
    "units.threshold": "units.threshold",
}
"""Settings of a language, and where its weights say the same: the file and its key."""


def value_at(path: str, values: Any) -> Any:
    """The value under the keys of ``path``; None where one is absent."""
    for key in path.split("."):
        values = (values or {}).get(key)
    return values


@pytest.mark.parametrize("language", LANGUAGES)
def test_shipped_weights_have_what_the_configuration_states(language: str) -> None:
    folder = ROOT / "resources" / "analysers" / language
    shipped = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")}
    values = {setting: value_at(setting, LANGUAGES[language]) for setting in STATED}
    stated = {setting: value for setting, value in values.items() if value is not None}
    assert stated
    for setting, wanted in stated.items():
        found = value_at(STATED[setting], shipped)
        if isinstance(wanted, dict):
            found = {name: found.get(name) for name in wanted}
        assert found == wanted, setting
