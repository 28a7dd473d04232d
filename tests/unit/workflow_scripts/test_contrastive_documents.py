"""Each wrong variant is scored in its own document, each right translation in its item's."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.workflow_scripts.score import score_contrastive

ROWS = [("right", 0), ("right", 1), ("wrong", 0), ("wrong", 1)]


class Task:
    """Scores a text by its row alone: -100 for the first one, -101 for the next."""

    dataset = SimpleNamespace(
        rows_of=lambda documents, sentences: np.array([ROWS.index(key) for key in zip(documents, sentences)]),
        target=SimpleNamespace(sentences=lambda: [[7, row] for row in range(len(ROWS))]),
        path="test.arrow",
    )

    def scores(
        self, network: object, rows: Sequence[int], targets: Sequence[Sequence[int]], settings: object
    ) -> Iterator[tuple[int, float]]:
        """The score of each of ``targets``."""
        yield from ((index, -100.0 - row) for index, row in enumerate(rows))


def test_a_wrong_variant_with_a_document_of_its_own_is_scored_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The earlier sentences that a document system reads are then those of the variant, not of the reference."""
    items = pd.DataFrame(
        {
            "item_id": ["own", "same"],
            "doc_id": ["right", "right"],
            "sent_id": [1, 1],
            "phenomenon": ["tense", "tense"],
            "distance": [1, 1],
            "wrong": ["x", "y"],
            "variant": [None, None],
            "wrong_doc_id": ["wrong", None],
        }
    )
    write_table(items, tmp_path / "items.parquet", "contrastive")
    stubs: dict[str, Any] = {
        "Vocabulary": SimpleNamespace(load=lambda path: None),
        "load_casing": lambda path: None,
        "encoder": lambda settings, casing, codes, vocabulary: SimpleNamespace(encode=lambda words: ([9], [0])),
        "open_trained": lambda *args: SimpleNamespace(network=None, task=Task()),
    }
    for name, stub in stubs.items():
        monkeypatch.setattr(score_contrastive, name, stub)
    text = json.dumps({"source_language": "en", "target_language": "de", "tokeniser": "spaces"})
    given = {"items": tmp_path / "items.parquet", "output": tmp_path / "scores.parquet", "text-settings": text}
    unread = ("model", "dataset", "source-vocabulary", "target-vocabulary", "target-truecaser", "target-codes")
    words = [
        word for key, value in {**dict.fromkeys(unread, "x"), **given}.items() for word in (f"--{key}", str(value))
    ]
    monkeypatch.setattr(sys, "argv", ["score_contrastive", *words])
    score_contrastive.main()
    scores = read_table(tmp_path / "scores.parquet", "contrastive_scores").set_index("item_id")
    assert scores["right_score"].to_dict() == {"own": -101.0, "same": -101.0}
    assert scores["wrong_score"].to_dict() == {"own": -103.0, "same": -101.0}
