"""Every key of filters, with a second value, changes what the import of a corpus keeps."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan

PAIRS = ["a\tb", " ".join("abcdefg") + "\tb c", "c d e f g\tx", "a b\tc d"]
SECOND: dict[str, Any] = {
    **{"max_tokens": 6, "max_ratio": 3, "min_sentences": 3, "splits": ["train", "dev"], "gaps": "close"},
}
BESIDE: dict[str, dict[str, Any]] = {"splits": {"max_tokens": 6}, "gaps": {"max_tokens": 6}}
"""Other filters beside which one counts."""


def kept(folder: Path, filters: dict[str, Any]) -> list[Any]:
    """The documents of each split after an import with these filters, and what was left out."""
    splits = {}
    for split, documents in (("train", (4, 2)), ("dev", (4, 3))):
        lines = ["doc_id\tsource\ttarget"] + [
            f"d{split}{number}\t{pair}" for number, count in enumerate(documents) for pair in PAIRS[:count]
        ]
        (folder / f"{split}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        splits[split] = {"files": [str(folder / f"{split}.tsv")]}
    corpus = {"source_language": "en", "target_language": "de", "format": "table", "splits": splits, "shards": 1}
    imported = import_corpus(plan({**corpus, "filters": filters}), folder)
    sizes = {
        split: [(entry.doc_id, entry.sentences) for entry in documents.entries]
        for split, documents in imported.documents.items()
    }
    return [sizes, imported.drops]


def test_no_key_is_left_out() -> None:
    assert set(SECOND) == {entry.name for entry in fields(Filters)}
    assert len(SECOND) == 5


@pytest.mark.parametrize("key", SECOND)
def test_a_key_changes_what_is_kept(tmp_path: Path, key: str) -> None:
    beside = BESIDE.get(key, {})
    assert kept(tmp_path, beside) != kept(tmp_path, {**beside, key: SECOND[key]})
