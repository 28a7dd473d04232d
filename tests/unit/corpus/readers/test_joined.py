"""Corpora that are joined: the tables of sentences of their imports, as documents of one corpus."""

from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.corpus.documents import Document, DocumentSide
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.tables import sentences_table
from tests.unit.corpus.importing.corpus_samples import settings


def document(doc_id: str, *sentences: str, **more: object) -> Document:
    numbers = list(range(len(sentences)))
    source, target = (DocumentSide("", [f"{mark} {one}" for one in sentences], numbers) for mark in ("en", "de"))
    return Document(doc_id, source, target, **more)  # type: ignore[arg-type]


def written(folder: Path, corpus: str, *shards: list[Document], split: str = "train") -> str:
    """The pattern of the tables that an import of these documents would make."""
    tables = folder / "results" / "run" / corpus / "corpus" / split
    for number, documents in enumerate(shards):
        write_shards(map(sentences_table, [documents[:1], documents[1:]]), tables / f"{number}.parquet", "sentences")
    return f"{tables}/*.parquet"


def joined(*patterns: str, split: str = "train", **more: object) -> list[Document]:
    values = settings("joined", {"corpora": list(patterns)}) | more
    return list(import_corpus(plan(values)).documents[split])


def test_all_documents_of_all_tables_come_with_the_name_of_their_corpus(tmp_path: Path) -> None:
    talks = written(tmp_path, "talks", [document("1", "a", "b"), document("2", "c")], [document("3", "d")])
    news = written(tmp_path, "news", [document("1", "e")])
    found = joined(talks, news)
    assert [one.doc_id for one in found] == ["talks/1", "talks/2", "talks/3", "news/1"]
    assert [one.source.sentences for one in found] == [["en a", "en b"], ["en c"], ["en d"], ["en e"]]
    assert found[0].target.sentences == ["de a", "de b"]


def test_speakers_scenes_and_qualities_are_kept(tmp_path: Path) -> None:
    told = document("1", "a", "b", speakers=["Konrad", None], scenes=[0, 1], quality=[0.5, 0.25])
    [spoken, plain] = joined(written(tmp_path, "stories", [told, document("2", "c")]))
    assert (spoken.speakers, spoken.scenes, spoken.quality) == (["Konrad", None], [0, 1], [0.5, 0.25])
    assert (plain.speakers, plain.scenes, plain.quality) == (None, None, None)


def test_documents_are_held_out_by_corpus(tmp_path: Path) -> None:
    tables = [written(tmp_path, name, [document("1", "a"), document("2", "b")]) for name in ("talks", "news")]
    held_out = {"groups": "[^/]+", "held_out_groups": {"test": ["news"]}}
    assert [one.doc_id for one in joined(*tables, split="test", **held_out)] == ["news/1", "news/2"]


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "talks", [document("1", "a")])
    (tmp_path / "results/run/talks/corpus/train/0.parquet").write_text("text", "utf-8")
    with pytest.raises(InputError, match="damaged: its content is not what was written"):
        joined(f"{tmp_path}/results/run/talks/corpus/train/*.parquet")
