"""Text settings: defaults, values per side, and errors that name the key."""

from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import as_json
from discourse_nmt.text.settings import TextSettings
from discourse_nmt.workflow.configuration.texts import TextSection

LANGUAGES = {"source_language": "en", "target_language": "de"}


def test_configuration_form_with_defaults() -> None:
    settings = TextSettings.from_mapping({**LANGUAGES, "bpe": {"merges": 1000}})
    assert (settings.source.language, settings.target.language) == ("en", "de")
    assert settings.joint and settings.source.truecase and settings.source.tokeniser == "auto"
    assert settings.of("target").bpe.merges == 1000


def test_values_per_side() -> None:
    settings = TextSettings.from_mapping(
        {
            **LANGUAGES,
            "tokeniser": {"source": "spaces", "target": "moses"},
            "bpe": {"joint": False, "merges": {"source": 5, "target": 7}},
        }
    )
    assert [settings.of(side).tokeniser for side in ("source", "target")] == ["spaces", "moses"]
    assert [settings.of(side).bpe.merges for side in ("source", "target")] == [5, 7]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokenizer": "moses"}, "unknown setting tokenizer; did you mean tokeniser"),
        ({"tokeniser": "spacy"}, "text: tokeniser is 'spacy'"),
        ({"lowercase": "yes"}, "text: lowercase is 'yes'; it must be true or false"),
        ({"bpe": {"merge": 1}}, "text.bpe: unknown setting merge; did you mean merges"),
        ({"bpe": {"merges": -1}}, "text.bpe: merges is -1; it must be at least 0"),
        ({"bpe": {"merges": 0, "vocabulary_threshold": 2}}, "needs merges"),
        ({"bpe": {"merges": {"source": 1, "target": 2}}}, "text.bpe.merges differs"),
        ({"bpe": {"joint": {"source": True, "target": False}}}, "text.bpe.joint differs"),
        ({"bpe": 1000}, "text.bpe must be a mapping"),
    ],
)
def test_wrong_settings_are_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TextSettings.from_mapping({**LANGUAGES, **change})


def test_missing_language_is_named() -> None:
    with pytest.raises(InputError, match="language is missing"):
        TextSettings.from_mapping({"source_language": "en"})


def test_words_carry_marks_and_the_source_is_normalised_unless_told_otherwise() -> None:
    """In the configuration as in a program."""
    section = as_json(TextSection())
    assert section["spacing"] == "marks" and section["normalise"] == {"source": True, "target": False}
    for given in (LANGUAGES, {**LANGUAGES, **section}):
        settings = TextSettings.from_mapping(given)
        assert (settings.source.normalise, settings.target.normalise) == (True, False)
        assert settings.source.spacing == settings.target.spacing == "marks"
    assert not TextSettings.from_mapping({**LANGUAGES, "normalise": False}).source.normalise
