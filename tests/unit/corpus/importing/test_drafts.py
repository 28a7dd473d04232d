"""Drafts: translations in the place of the target, and the graph file that holds both."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table, write_table
from discourse_nmt.corpus.importing.drafts import draft
from discourse_nmt.workflow_scripts.text import draft_sentences

SENTENCES = pd.DataFrame(
    [("b", 0, "un", "one"), ("b", 1, "deux", "two"), ("a", 0, "trois", "three")],
    columns=["doc_id", "sent_id", "source", "target"],
)
TRANSLATIONS = pd.DataFrame(
    [("a", 0, 0, "a0"), ("b", 0, 0, " b0 "), ("b", 0, 1, "worse"), ("b", 1, 0, " "), ("c", 0, 0, "of another shard")],
    columns=["doc_id", "sent_id", "rank", "hypothesis"],
).assign(score=-1.0, tokens=pd.Series([["x"]] * 5))


def test_the_best_translation_takes_the_place_of_the_target() -> None:
    """Sentences stay in their order, and none is empty."""
    found = draft(SENTENCES, TRANSLATIONS)
    assert found["target"].tolist() == ["b0", ".", "a0"]
    assert found[["doc_id", "sent_id", "source"]].equals(SENTENCES[["doc_id", "sent_id", "source"]])


def test_a_sentence_without_translation_is_refused() -> None:
    with pytest.raises(InputError, match="document b, sentence 1: no translation"):
        draft(SENTENCES, TRANSLATIONS.drop(index=3))


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(SENTENCES, tmp_path / "sentences", "sentences")
    write_table(TRANSLATIONS, tmp_path / "translations", "translations")
    names = ("sentences", "translations", "output")
    given = [word for name in names for word in (f"--{name}", str(tmp_path / name))]
    monkeypatch.setattr(sys, "argv", ["command", *given])
    draft_sentences.main()
    assert read_table(tmp_path / "output", "sentences")["target"].tolist() == ["b0", ".", "a0"]
