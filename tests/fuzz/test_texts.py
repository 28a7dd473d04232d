"""Many documents of random cuts and joins of real texts, other ones in each run: no analysis fails."""

import secrets

import pytest

from discourse_nmt.discourse.pipeline import load_pipeline
from tests.conftest import ROOT
from tests.fuzz.texts import SHIPPED, documents, faults, real_texts


@pytest.mark.parametrize("language", SHIPPED)
def test_no_document_fails(language: str, request: pytest.FixtureRequest) -> None:
    parallel = ROOT.parent / "shared" / "data" / "parallel"
    texts = real_texts(language, parallel if parallel.is_dir() else None)
    seed = secrets.token_hex(4)
    pipeline = load_pipeline(ROOT / "resources" / "analysers" / language, language)
    made = list(documents(texts, seed, request.config.getoption("--inputs")))
    assert not list(faults(pipeline, made)), f"seed {seed}"
