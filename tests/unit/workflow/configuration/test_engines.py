"""The engine of decoding is checked with the configuration: CTranslate2 cannot express every network."""

from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from tests.conftest import ROOT
from tests.unit.workflow.test_configuration import load, resolved


@pytest.mark.parametrize(
    ("experiment", "decoding", "reason"),
    [
        ({"system": "transformer"}, {}, ""),
        ({"system": "concat", "settings": {"sentences": 1}}, {}, ""),
        ({"system": "concat"}, {"sentences": 1}, ""),
        ({"system": "concat", "settings": {"sentences": 1}}, {"sentences": 2}, "target_positions is source"),
        ({"system": "concat"}, {}, "target_positions is source"),
        ({"system": "concat", "settings": {"target_positions": "running"}}, {}, ""),
        (
            {"system": "concat", "settings": {"target_positions": "running"}},
            {"search": "sequence"},
            "search is sequence",
        ),
        ({"system": "rst_transformer"}, {}, "its system is more than a sentence model"),
        ({"system": "rst_transformer"}, {"engine": "own"}, ""),
        ({"system": "transformer"}, {"shortlist": 20}, "shortlist is 20"),
    ],
)
def test_an_engine_that_cannot_translate_as_a_network_is_told_before_any_job(
    experiment: dict[str, Any], decoding: dict[str, Any], reason: str
) -> None:
    config = load(ROOT / "config.yaml")
    config["experiments"] = {"one": {"system": "transformer"}, "other": {**experiment, "decoding": decoding}}
    config["labellers"], config["significance"] = {}, {}
    config["decoding"]["engine"] = "ctranslate2"
    if not reason:
        resolved(config)
        return
    with pytest.raises(InputError) as caught:
        resolved(config)
    assert str(caught.value).startswith(f"experiments.other: decoding.engine is ctranslate2, but {reason}")
    assert str(caught.value).endswith("set experiments.other.decoding: {engine: own}")


def test_lengths_are_decoded_by_systems_of_instances_alone() -> None:
    config = load(ROOT / "config.yaml")
    config["experiments"] = {"one": {"system": "concat", "decodings": {"two": {"sentences": 2}}}}
    config["labellers"], config["significance"] = {}, {}
    resolved(config)
    config["experiments"]["one"]["system"] = "hybrid_context"
    resolved(config)
    config["experiments"]["one"]["system"] = "han"
    with pytest.raises(
        InputError,
        match=r"experiments\.one\.decodings\.two: decoding\.sentences is 2, but its system reads no instances; set it",
    ):
        resolved(config)


def test_an_engine_is_checked_for_further_decodings_and_corpora() -> None:
    config = load(ROOT / "config.yaml")
    config["experiments"] = {"one": {"system": "han", "decodings": {"fast": {"engine": "ctranslate2"}}}}
    config["labellers"], config["significance"] = {}, {}
    with pytest.raises(InputError, match=r"experiments\.one\.decodings\.fast: decoding\.engine is ctranslate2"):
        resolved(config)
    del config["experiments"]["one"]["decodings"]
    resolved(config)
    config["corpora"]["demo"]["decoding"] = {"engine": "ctranslate2"}
    with pytest.raises(InputError, match=r"experiments\.one: decoding\.engine is ctranslate2"):
        resolved(config)
