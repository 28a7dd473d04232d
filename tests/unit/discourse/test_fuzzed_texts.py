"""Random cuts and joins of real texts are analysed without a fault; ``make fuzz`` has many more."""

import pytest

from discourse_nmt.discourse.pipeline import load_pipeline
from tests.conftest import ROOT
from tests.fuzz.texts import SHIPPED, documents, faults, real_texts


@pytest.mark.parametrize("language", SHIPPED)
def test_cuts_and_joins_of_texts_are_analysed(language: str) -> None:
    pipeline = load_pipeline(ROOT / "resources" / "analysers" / language, language)
    made = list(documents(real_texts(language), "1", 80))
    assert len(set(made)) == len(made)
    assert not list(faults(pipeline, made))
