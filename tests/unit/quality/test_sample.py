"""The sample of a corpus: bounded, stable, of whole passages."""

import random

import pytest

from discourse_nmt.quality import sample
from discourse_nmt.quality.sample import MOST_SENTENCES, PASSAGE, Sample

DOCUMENTS = {f"d{number}": [f"{number} {line}" for line in range(1 + 37 * number % 90)] for number in range(120)}


def sampled(doc_ids: list[str]) -> Sample:
    chosen = Sample()
    for doc_id in doc_ids:
        chosen.add(doc_id, DOCUMENTS[doc_id], [text.upper() for text in DOCUMENTS[doc_id]])
    return chosen


def test_a_sample_is_bounded_and_nearly_full() -> None:
    assert sum(map(len, DOCUMENTS.values())) > MOST_SENTENCES
    number = sum(len(passage.source) for passage in sampled(list(DOCUMENTS)).passages())
    assert MOST_SENTENCES - PASSAGE < number <= MOST_SENTENCES


def test_a_sample_is_the_same_in_any_order_of_documents() -> None:
    shuffled = random.Random(1).sample(list(DOCUMENTS), len(DOCUMENTS))
    first, second = (sampled(order).passages() for order in (list(DOCUMENTS), shuffled))
    assert [passage.source for passage in first] == [passage.source for passage in second]


def test_passages_are_consecutive_sentences_of_one_document_with_their_translations() -> None:
    for passage in sampled(list(DOCUMENTS)).passages():
        assert 1 <= len(passage.source) <= PASSAGE
        lines = DOCUMENTS[f"d{passage.source[0].split()[0]}"]
        start = lines.index(passage.source[0])
        assert passage.source == lines[start : start + len(passage.source)]
        assert passage.of("target") == [text.upper() for text in passage.of("source")]


def test_a_small_corpus_is_its_own_sample() -> None:
    few = list(DOCUMENTS)[:5]
    sentences = [text for passage in sampled(few).passages() for text in passage.source]
    assert sorted(sentences) == sorted(text for doc_id in few for text in DOCUMENTS[doc_id])


def test_memory_holds_no_more_passages_than_sentences_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "MOST_SENTENCES", 40)
    orders = list(DOCUMENTS), list(DOCUMENTS)[::-1]
    first, second = map(sampled, orders)
    assert len(first._kept) == 40
    assert 0 < len(first.passages()) < 40
    assert [passage.source for passage in first.passages()] == [passage.source for passage in second.passages()]
