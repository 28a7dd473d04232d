"""Consistency of address: pairs of a worked example, translations without a verdict, texts without scores."""

import pandas as pd
import pytest

from discourse_nmt.scoring.metrics.address.address_consistency import address_scores
from tests.unit.scoring.metrics.address.address_examples import YOU, table
from tests.unit.scoring.metrics.document_metric_examples import values

SCENES = table(
    [
        ("one", "du", "Ann", 0),
        ("two", "ihr", "Bob", 0),
        ("three", "du", "Ann", 0),
        ("three", "du", "Ann", 0),  # said before: no item
        ("four", "ihr", "Ann", 0),
        ("five", "du", "Ann", 1),
        ("six", "-", "Ann", 1),  # no item
        ("seven", "du", None, 1),
        ("eight", "du", None, 1),
    ],
    [("one", "ihr", "Ann", 0)],
)


def translated(*forms: str) -> pd.DataFrame:
    return SCENES[["doc_id", "sent_id"]].assign(hypothesis=[YOU[form] for form in forms])


def test_consistency_of_a_worked_example() -> None:
    """By one speaker: one-three, three-four. By any: one-two, two-three, three-four; five-seven, seven-eight."""
    hypotheses = translated("du", "du", "ihr", "du", "ihr", "ihr", "du", "-", "+", "ihr")
    assert values(address_scores(SCENES, hypotheses, ("en", "de"))) == {
        "address consistency (same speaker)": pytest.approx(100 * 1 / 2),
        "address consistency of the reference (same speaker)": pytest.approx(100 * 1 / 2),
        "address, pairs (same speaker)": 2,
        "address, pairs without a verdict (same speaker)": 0,
        "address consistency (any speaker)": pytest.approx(100 * 2 / 3),
        "address consistency of the reference (any speaker)": pytest.approx(100 * 2 / 5),
        "address, pairs (any speaker)": 5,
        "address, pairs without a verdict (any speaker)": 2,
    }


def test_without_any_verdict_there_is_no_consistency() -> None:
    found = values(address_scores(SCENES, translated(*["-"] * 10), ("en", "de")))
    assert "address consistency (any speaker)" not in found
    assert found["address, pairs without a verdict (any speaker)"] == found["address, pairs (any speaker)"] == 5


@pytest.mark.parametrize("languages", [("de", "de"), ("en", "it")])
def test_languages_without_forms_have_no_scores(languages: tuple[str, str]) -> None:
    assert address_scores(SCENES, translated(*["du"] * 10), languages) == []


def test_a_text_without_speakers_and_scenes_has_no_scores() -> None:
    hypotheses = translated(*["du"] * 10)
    assert address_scores(SCENES.assign(speaker=None, scene=None), hypotheses, ("en", "de")) == []
    known = values(address_scores(SCENES.assign(speaker=None), hypotheses, ("en", "de")))
    assert known["address, pairs (any speaker)"] == 5 and "address, pairs (same speaker)" not in known
