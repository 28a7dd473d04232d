"""Systems that read documents: translation and scoring read them whole, whatever training cuts."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.models.context.inference import Paragraph
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import build
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks import paragraphs
from discourse_nmt.training.tasks.documents import task
from discourse_nmt.training.tasks.feed import training_feed
from tests.unit.training.run.training_toy import SIZE, dataset
from tests.unit.training.tasks.test_paragraphs import SMALL


def test_a_cache_lives_as_long_as_its_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = dataset(tmp_path, [40, 3])
    network = build("theme_rheme_cache", {**SMALL, "cache": "none"}, SIZE, SIZE, True)
    assert isinstance(network, ThemeRhemeCache)
    read: list[list[int]] = []

    def noted(network: object, texts: Sequence[Paragraph], *rest: Any) -> Iterator[tuple[int, Any]]:
        read.append([len(text.source) for text in texts])
        yield from ()

    monkeypatch.setattr(paragraphs, "translate_paragraphs", noted)
    monkeypatch.setattr(paragraphs, "score_paragraphs", noted)
    made = task(network, data, None)
    list(made.hypotheses(network, DecodingSettings()))
    list(made.scores(network, [0], [[5]], DecodingSettings()))
    assert read == [[40, 3], [40, 3]]
    cut = training_feed(made, "document", TrainingSettings(batch_tokens=100), 1).units
    assert len(cut) > 2
