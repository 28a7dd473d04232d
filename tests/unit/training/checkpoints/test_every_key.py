"""Every key of decoding, with a second value, changes what the command that translates writes or computes."""

import json
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.models.core import shortlist
from discourse_nmt.models.core.ctranslate2_engine import CTranslate2Engine
from discourse_nmt.models.core.transformer import EndedHypotheses, Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.training.checkpoints.model_files import save_model
from discourse_nmt.training.checkpoints.subword_translations import save_translations
from discourse_nmt.training.data import units
from discourse_nmt.workflow_scripts.train import translate
from tests.unit.models.switch_examples import SIZES, Seen, first_values, written_structures
from tests.unit.training.run.training_toy import vocabulary

TEXT = {"source_language": "en", "target_language": "de"}
FIRST = {"beam": 3, "max_length_ratio": 0.3, "max_length_offset": 2, "batch_tokens": 300}
SECOND: dict[str, Any] = {
    **{"beam": 1, "length_penalty": 0.0, "n_best": 2, "max_length_ratio": 0.6, "max_length_offset": 4},
    **{
        "batch_tokens": 40,
        "memory": 1,
        "engine": "ctranslate2",
        "precision": "int8",
        "shortlist": 1,
        "search": "sequence",
    },
    **{"whole_documents": True, "sentences": 1, "use_tree": False, "use_context": False},
    "target_context": "references",
}
OF_BATCHES = ("batch_tokens", "memory")
"""Keys that change how many sentences are computed at a time, and no translation."""
ENGINE = "engine"
"""The key that changes what computes, and as good as no translation."""

Translated = tuple[pd.DataFrame, int]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with its structures, models of two systems, and lists of translations."""
    folder = tmp_path_factory.mktemp("data")
    written_structures(folder)
    both = vocabulary(SIZES[0]), vocabulary(SIZES[1])
    for name, symbols in zip(("source", "target"), both):
        symbols.save(folder / f"{name}.json")
    for system in ("transformer", "rst_transformer"):
        one = Seen(folder, system, first_values(system, ""))
        save_model(folder / f"{system}.safetensors", one.network, system, dict(one.values), *both)
    lists = np.random.default_rng(1).integers(6, SIZES[1], (SIZES[0], 3))
    save_translations(folder / "lists.safetensors", lists, both)
    return folder


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The numbers of sentences that the sentence model encodes at a time."""
    counts: list[int] = []
    encode = Transformer.encode

    def noted(self: Transformer, source_ids: torch.Tensor, context: object = None) -> Any:
        counts.append(len(source_ids))
        return encode(self, source_ids, context)

    monkeypatch.setattr(Transformer, "encode", noted)
    yield counts


def translated(folder: Path, monkeypatch: pytest.MonkeyPatch, system: str, settings: dict[str, Any]) -> pd.DataFrame:
    """The table that the command writes."""
    threads = torch.get_num_threads()
    files = {"model": f"{system}.safetensors", "dataset": "data.arrow", "structure": "dependencies.arrow"}
    files |= {"source-vocabulary": "source.json", "target-vocabulary": "target.json", "output": "translations.parquet"}
    files |= {"subword-translations": "lists.safetensors"}
    words = [f"--{name}={folder / file}" for name, file in files.items()]
    options = {"settings": json.dumps(settings), "text-settings": json.dumps(TEXT), "device": "cpu"}
    monkeypatch.setattr(sys, "argv", ["translate", *words, *(f"--{name}={value}" for name, value in options.items())])
    translate.main()
    torch.set_num_threads(threads)
    return read_table(folder / "translations.parquet", "translations")


def test_no_key_is_left_out() -> None:
    assert set(SECOND) == {entry.name for entry in fields(DecodingSettings)}
    assert len(SECOND) == 16


@pytest.mark.parametrize("key", [key for key in SECOND if key not in (*OF_BATCHES, ENGINE)])
def test_a_key_changes_the_translations(folder: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    """Instances are short, so that a document has several, and few symbols are in every shortlist."""
    monkeypatch.setattr(units.instances, "__defaults__", (40,))
    monkeypatch.setattr(shortlist, "FREQUENT", 4)
    first, second = (
        translated(folder, monkeypatch, "rst_transformer", settings)
        for settings in (FIRST, {**FIRST, key: SECOND[key]})
    )
    alike = len(first) == len(second) and np.allclose(first["score"], second["score"], rtol=1e-4)
    assert not (alike and first["hypothesis"].tolist() == second["hypothesis"].tolist())


@pytest.mark.parametrize("key", OF_BATCHES)
def test_a_key_changes_the_batches_and_no_translation(
    folder: Path, encoded: list[int], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    long = {**FIRST, "beam": 40, "max_length_offset": 30}  # so that keys and values take a megabyte
    first = translated(folder, monkeypatch, "transformer", long)
    batches = encoded.copy()
    encoded.clear()
    second = translated(folder, monkeypatch, "transformer", {**long, key: SECOND[key]})
    assert sum(batches) == sum(encoded) == len(first)
    assert len(batches) < len(encoded)
    assert first["hypothesis"].tolist() == second["hypothesis"].tolist()
    np.testing.assert_allclose(first["score"], second["score"], rtol=1e-4)


def test_the_engine_is_asked(folder: Path, encoded: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    search = CTranslate2Engine.search

    def noted(
        self: CTranslate2Engine, sources: Any, limits: Any, settings: DecodingSettings, earlier: Any = ()
    ) -> list[EndedHypotheses | None]:
        asked.append(len(sources))
        return search(self, sources, limits, settings, earlier)

    monkeypatch.setattr(CTranslate2Engine, "search", noted)
    first = translated(folder, monkeypatch, "transformer", FIRST)
    assert sum(encoded) == len(first) and not asked
    second = translated(folder, monkeypatch, "transformer", {**FIRST, ENGINE: SECOND[ENGINE]})
    assert sum(asked) == len(second)
    assert first["hypothesis"].tolist() == second["hypothesis"].tolist()
