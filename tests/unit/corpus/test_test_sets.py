"""Translations of a test set, found by its sentences."""

from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.test_sets import translations_of

SENTENCES = pd.DataFrame({"doc_id": ["b", "a", "a"], "sent_id": [0, 1, 0]})


def written(folder: Path, texts: list[str]) -> Path:
    """Translations of as many sentences, from the last one on, each with a second-best one."""
    path = folder / "translations.parquet"
    best = SENTENCES.iloc[: -len(texts) - 1 : -1].assign(hypothesis=texts, rank=0, score=-1.0)
    both = pd.concat([best, best.assign(hypothesis="other", rank=1)], ignore_index=True)
    write_table(both.assign(tokens=both["hypothesis"].map(lambda text: [text])), path, "translations")
    return path


def test_translations_come_in_the_order_of_the_sentences(tmp_path: Path) -> None:
    assert translations_of(SENTENCES, written(tmp_path, ["a0", "a1", "b0"])) == ["b0", "a1", "a0"]


def test_a_suite_has_no_translations_of_all_its_sentences(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no translation of sentence 0 of document b.*of a suite only the sentences"):
        translations_of(SENTENCES, written(tmp_path, ["a0", "a1"]))
