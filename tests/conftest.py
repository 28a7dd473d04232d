"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Idle OpenMP threads must sleep, not spin: two test processes on two cores would otherwise stall each other.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The development corpora beside the checkout; tests that need them are skipped elsewhere."""
    folder = Path(os.environ.get("DISCOURSE_NMT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("development data absent: set DISCOURSE_NMT_DATA to the folder that holds parallel/")
    return folder
