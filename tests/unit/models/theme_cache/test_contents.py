"""What a cache is shown to hold is what the network uses, word by word, and what a cache carried along would hold."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from discourse_nmt.models.context.host import ContextMemory
from discourse_nmt.models.context.inference import Paragraph, source_of, translate_paragraphs
from discourse_nmt.models.context.paragraphs import ParagraphSource
from discourse_nmt.models.theme_cache.contents import CacheContents, WatchedWords, cache_contents
from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from tests.unit.models.context.context_examples import BEAM, paragraph
from tests.unit.models.theme_cache.cache_examples import DOCUMENTS, cache_network, with_words
from tests.unit.models.theme_cache.cache_reference import Cache, Entry, translated, words_of

SWITCHES: list[dict[str, Any]] = [
    {"cache_size": 4},
    {"cache_size": 3, "dedup_when_not_full": True},
    {"cache_size": 2, "stop_filter": False},
    {"cache_size": 25},
    {"cache": "continuous", "cache_size": 5},
    {"cache": "continuous", "cache_size": 2, "stop_filter": True},
    {"cache_size": 4, "ageing": "fixed", "half_life": 0.7},
]
ALL = 10**6  # tokens: all documents are one batch


def found(model: ThemeRhemeCache, documents: list[Paragraph], batch_tokens: int = ALL) -> list[CacheContents]:
    contents = dict(cache_contents(model, documents, batch_tokens))
    return [contents[number] for number in range(len(documents))]


def held(contents: CacheContents) -> list[list[int]]:
    """The words before each sentence by their place in the document; free places are the last ones."""
    rows = contents.entries.tolist()
    assert all((np.diff(np.array(row) < 0) >= 0).all() for row in rows)
    return [[entry for entry in row if entry >= 0] for row in rows]


def distinct(one: Paragraph) -> Paragraph:
    """The same words, each of a type of its own: its place in the document."""
    words: DocumentWords = one.structure
    types = np.concatenate(
        [np.full(len(places), number) for number, places in enumerate(w[0] for s in words_of(words) for w in s)]
    )
    return replace(one, structure=replace(words, types=types))


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_words_are_those_of_a_cache_that_is_carried_from_sentence_to_sentence(switches: dict[str, Any]) -> None:
    """Both the very words, where each is a type by itself, and types that occur again and replace each other."""
    model = cache_network(**switches).double()
    torch.set_default_dtype(torch.float64)
    try:
        for documents in (DOCUMENTS, [distinct(one) for one in DOCUMENTS]):
            some = 0
            for one, contents in zip(documents, found(model, documents), strict=True):
                types = [kind for sentence in words_of(one.structure) for _, kind, _ in sentence]
                shown = [[types[word] for word in words] for words in held(contents)]
                if model.settings.cache == "continuous":  # the most recent one comes first
                    shown = [words[::-1] for words in shown]
                assert shown == translated(model, one)[1]
                some += sum(map(len, shown))
            assert some > 10
    finally:
        torch.set_default_dtype(torch.float32)


def test_scores_decide_what_is_held() -> None:
    """Entries and places follow from the shown scores alone by the rules of specification 05, section 4."""
    model = cache_network(cache_size=4)
    for one, contents in zip(DOCUMENTS, found(model, DOCUMENTS), strict=True):
        assert contents.scores is not None and ((contents.scores > 0) & (contents.scores < 1)).all()
        cache, word, scores = Cache(4), 0, contents.scores.tolist()
        for words, sentence in zip(held(contents), words_of(one.structure), strict=True):
            assert [scores[each] for each in words] == [entry.score for entry in cache.entries]
            for _, kind, stop in sentence:
                if not stop:
                    cache.store(Entry(scores[word], kind))
                word += 1
        assert word == len(scores)


@pytest.mark.parametrize("cache", ["theme_rheme", "continuous"])
def test_words_know_their_sentence_and_their_subwords(cache: str) -> None:
    model = cache_network(cache=cache)
    for one, contents in zip(DOCUMENTS, found(model, DOCUMENTS), strict=True):
        sentences = words_of(one.structure)
        assert contents.sentences.tolist() == [row for row, words in enumerate(sentences) for _ in words]
        starts = np.cumsum([0, *map(len, one.source)])
        expected = [starts[row] + places[0] for row, words in enumerate(sentences) for places, _, _ in words]
        assert contents.borders.tolist() == [*expected, starts[-1]]
        assert (contents.scores is None) == (cache == "continuous")
        for row, words in enumerate(held(contents)):
            assert all(contents.sentences[word] < row for word in words)


def test_watching_changes_nothing_and_sees_what_the_network_reads() -> None:
    """Another cache would give other states, so that the network reads the entries that are shown."""
    model = cache_network(cache_size=4)
    source = source_of(model, DOCUMENTS)
    watched = WatchedWords(**vars(source.structure))
    with torch.inference_mode():
        states = model.encode_source(source).states
        assert torch.equal(model.encode_source(replace(source, structure=watched)).states, states)

        class Emptied(WatchedWords):
            def cached(self, *arguments: Any) -> Any:
                return np.full_like(super().cached(*arguments), -1)

        emptied = replace(source, structure=Emptied(**vars(source.structure)))
        assert not torch.allclose(model.encode_source(emptied).states, states)
    assert len(watched.recorded) == 1


def test_documents_are_encoded_together_as_for_translation(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that scores are those of translation in every digit, whatever the size of batches."""
    model = cache_network(cache_size=4)
    documents = [with_words(paragraph([3, 6, 2], seed), seed) for seed in range(12)]
    seen: list[list[list[int]]] = []
    encode = model.encode_source

    def watched(source: ParagraphSource) -> ContextMemory:
        seen.append(source.ids.tolist())
        return encode(source)

    monkeypatch.setattr(model, "encode_source", watched)
    numbers = [number for number, _ in cache_contents(model, documents, 10)]
    assert sorted(numbers) == list(range(12)) and len(seen) > 1
    shown = seen.copy()
    seen.clear()
    assert numbers == [number for number, _ in translate_paragraphs(model, documents, replace(BEAM, batch_tokens=10))]
    assert seen == shown
    for one, other in zip(found(model, documents, 10), found(model, documents), strict=True):
        assert (one.entries == other.entries).all()


def test_documents_of_which_nothing_is_stored() -> None:
    model = cache_network()
    silent = with_words(paragraph([4, 4, 4]), 7, stop_share=1.0)
    for documents in ([silent], [DOCUMENTS[1], silent]):
        for contents in found(model, documents):
            assert not any(held(contents))
