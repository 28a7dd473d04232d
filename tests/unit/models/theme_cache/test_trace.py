"""Which words are cached: the worked traces of specification 05, and random documents side by side."""

import numpy as np
import pytest

from discourse_nmt.models.theme_cache.trace import EMPTY, aged, recent_trace, scored_trace
from tests.unit.models.theme_cache.cache_reference import Cache, Entry

EVENTS = """
stamp .90: stamp .90
the .95: stamp .90
sheet .60: stamp .90, sheet .60
how .20: stamp .90, sheet .60, how .20
going .10: stamp .90, sheet .60, how .20
stamp .50: stamp .50, sheet .60, how .20
means .80: stamp .50, sheet .60, how .20
set .30: stamp .50, sheet .60, set .30
discount .70: stamp .50, sheet .60, discount .70
sheet .75: stamp .50, sheet .75, discount .70
<UNK> .99: stamp .50, sheet .75, discount .70
going .60: going .60, sheet .75, discount .70
stamp .65: stamp .65, sheet .75, discount .70
stamp .70: stamp .70, sheet .75, discount .70
this .70: this .70, sheet .75, discount .70
"""
STOP_WORDS = {"the", "means", "<UNK>"}


def worked(text: str) -> tuple[list[tuple[str, float]], list[list[tuple[str, float]]]]:
    """Events and the cache after each."""
    lines = [line.split(": ") for line in text.strip().split("\n")]
    read = [
        [(word, float(score)) for word, score in map(str.split, part.split(", "))] for line in lines for part in line
    ]
    return [event for (event,) in read[::2]], read[1::2]


def trace(events: list[tuple[str, float]], size: int, dedup: bool = False) -> list[list[tuple[str, float]]]:
    """The cache after each event, of stored words alone."""
    names = sorted({word for word, _ in events})
    types = np.array([[names.index(word)] for word, _ in events])
    scores = np.array([[score] for _, score in events])
    history = scored_trace(types, scores, np.array([len(events)]), size, dedup)[:, 0]
    return [[events[word] for word in row if word != EMPTY] for row in history.tolist()]


def test_T05_1_update_trace() -> None:
    events, after = worked(EVENTS)
    stored = [number for number, (word, _) in enumerate(events) if word not in STOP_WORDS]
    found = trace([events[number] for number in stored], 3)
    assert found == [[], *(after[number] for number in stored)]
    kept = [after[number] for number, (word, _) in enumerate(events) if word in STOP_WORDS]
    assert kept == [after[number - 1] for number, (word, _) in enumerate(events) if word in STOP_WORDS]


@pytest.mark.parametrize(
    ("dedup", "wanted"),
    [
        (False, [[], [("a", 0.5)], [("a", 0.5), ("a", 0.4)], [("a", 0.5), ("a", 0.4), ("b", 0.3)]]),
        (True, [[], [("a", 0.5)], [("a", 0.4)], [("a", 0.4), ("b", 0.3)]]),
    ],
)
def test_T05_2_duplicates_before_the_cache_is_full(dedup: bool, wanted: list[list[tuple[str, float]]]) -> None:
    events = [("a", 0.5), ("a", 0.4), ("b", 0.3), ("a", 0.9)]
    last = [("a", 0.9), ("b", 0.3)] if dedup else [("a", 0.5), ("a", 0.9), ("b", 0.3)]
    assert trace(events, 3, dedup) == [*wanted, last]


def test_the_reference_traces_T05_1() -> None:
    events, after = worked(EVENTS)
    cache = Cache(3, STOP_WORDS)
    for (word, score), wanted in zip(events, after, strict=True):
        cache.store(Entry(score, word))
        assert [(entry.type, entry.score) for entry in cache.entries] == wanted


@pytest.mark.parametrize("dedup", [False, True])
@pytest.mark.parametrize("size", [1, 3, 25])
def test_documents_side_by_side_are_traced_as_one_by_one(size: int, dedup: bool) -> None:
    """Few types and scores, so that types recur and scores tie."""
    rng = np.random.default_rng(size)
    lengths = np.array([40, 0, 7, 60, 60, 1])
    types, scores = rng.integers(0, 8, (60, 6)), rng.integers(0, 6, (60, 6)) / 5
    history = scored_trace(types, scores, lengths, size, dedup)
    assert history.shape == (61, 6, size)
    for document, length in enumerate(lengths):
        cache = Cache(size, dedup=dedup)
        for step in range(length + 1):
            found = [word for word in history[step, document].tolist() if word != EMPTY]
            assert history[step, document, len(found) :].tolist() == [EMPTY] * (size - len(found))
            assert [types[word, document] for word in found] == [entry.type for entry in cache.entries]
            assert [scores[word, document] for word in found] == [entry.score for entry in cache.entries]
            if step < length:
                cache.store(Entry(scores[step, document], types[step, document]))


@pytest.mark.parametrize("half_life", [0.5, 3.0, 1000.0])
def test_words_that_age_are_ranked_by_score_times_recency(half_life: float) -> None:
    rng = np.random.default_rng(1)
    types, scores, sentences = rng.integers(0, 8, 60), rng.random(60), np.sort(rng.integers(0, 12, 60))
    ranks = aged(scores, sentences, half_life)
    history = scored_trace(types[:, None], ranks[:, None], np.array([60]), 5, False)[:, 0]
    cache = Cache(5, half_life=half_life)
    for step in range(60):
        assert [word for word in history[step].tolist() if word != EMPTY] == [entry.state for entry in cache.entries]
        cache.store(Entry(scores[step], types[step], step, sentences[step]))  # type: ignore[arg-type]


def test_a_word_of_the_highest_score_leaves_in_the_end_only_if_it_ages() -> None:
    types, scores, sentences = np.arange(30), np.append(1.0, np.full(29, 0.5)), np.arange(30)
    held = [
        scored_trace(types[:, None], ranks[:, None], np.array([30]), 3, False)[-1, 0].tolist()
        for ranks in (scores, aged(scores, sentences, 4.0))
    ]
    assert 0 in held[0] and 0 not in held[1]


def test_the_continuous_cache_has_the_most_recent_words() -> None:
    history = recent_trace(4, 2, 3)
    assert history.shape == (5, 2, 3)
    assert [sorted(row) for row in history[:, 1].tolist()] == [
        [-1, -1, -1],
        [-1, -1, 0],
        [-1, 0, 1],
        [0, 1, 2],
        [1, 2, 3],
    ]
