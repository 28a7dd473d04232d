"""The forms of address that a system keeps are checked with the configuration: they are those of its corpora."""

from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from tests.conftest import ROOT
from tests.unit.workflow.test_configuration import load, resolved


def keeping(settings: dict[str, Any], source: str = "en", target: str = "de") -> dict[str, Any]:
    config = load(ROOT / "config.yaml")
    config["experiments"] = {"kept": {"system": "side_constraint", "corpora": ["demo"], "settings": settings}}
    config["labellers"], config["significance"] = {}, {}
    config["corpora"]["demo"] |= {"source_language": source, "target_language": target}
    return config


def test_the_language_of_the_corpus_is_kept() -> None:
    resolved(keeping({"target_language": "de"}))
    resolved(keeping({"target_language": "es"}, target="es"))


@pytest.mark.parametrize(
    ("settings", "languages", "message"),
    [
        ({}, {}, 'target_language is "", corpus demo is of de; set experiments.kept.settings.target_language to de'),
        (
            {"target_language": "de"},
            {"target": "es"},
            'target_language is "de", corpus demo is of es; set experiments.kept.settings.target_language to es',
        ),
        (
            {"target_language": "de"},
            {"target": "zh"},
            "words of address are not known for corpus demo, en to zh; "
            "use a corpus of en to de, es, fr, ru, or another system",
        ),
        (
            {"target_language": "de"},
            {"source": "fr"},
            "words of address are not known for corpus demo, fr to de; "
            "use a corpus of en to de, es, fr, ru, or another system",
        ),
    ],
)
def test_another_language_is_told_in_one_line(
    settings: dict[str, Any], languages: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        resolved(keeping(settings, **languages))
    assert str(caught.value) == f"experiments.kept: {message}"
