"""The best cut of a text into the translations of given sentences, by dynamic programming.

The text may be cut between any two words; marks between them, and how the sentence ends, say how probable a border is
there. Sentences may have no translation, and text may be added between the translations of two. In a long text only
places near those that are safely beside a sentence are tried.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from discourse_nmt.base.arrays import Booleans, Integers, Reals
from discourse_nmt.sentence_alignment.evidence import WEIGHTS, Evidence
from discourse_nmt.sentence_alignment.lexicon import Lexicon
from discourse_nmt.sentence_alignment.reordering import OMITTED, Reordering, TextPart
from discourse_nmt.sentence_alignment.words import Gap, Words, echoes, end_of

ADDED, ADDED_WORD = -9.0, -0.14  # of added text, and of each of its words
SPREAD = {False: 0.2, True: 0.3}  # standard deviation of the logarithm of a length, without and with reference
LONGEST = 3  # times as long as expected, at most
SLACK = 20  # and as many words more

# Log-probability ratio of a border at each gap, by how the source sentence ends: counted in WMT22's outputs.
BORDERS = {
    #            inside nothing capital clause end line
    Gap.NOTHING: [-16.0, -4.5, -1.9, -6.5, 1.7, 2.5],
    Gap.CLAUSE: [-16.0, -8.0, -6.8, -1.0, 1.0, 2.5],
    Gap.END: [-16.0, -10.1, -8.0, -4.2, 3.6, 3.5],
}
AFTER_ADDED = -0.5  # of the end of added text beside that of a sentence that ends with an end mark
ECHOED = -2.0  # of each word that is said again where the source says nothing twice
COHESION = -1.4  # of a border between two words that stand together elsewhere, too

BAND = 16  # sentences whose places are tried in the same stretch of the text
SAFE = 8  # safe places that lie between a sentence and the ends of its stretch
MARGIN = 200  # words beyond them
WIDEST = 2_000  # words of a stretch

Step = tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32]]
"""First place of a stretch, words of a sentence and words of added text that end at each of its places."""


def cut(
    source: Sequence[str], words: Words, lexicon: Lexicon | None, reference: Sequence[str] | None = None
) -> list[TextPart]:
    """A part for each sentence, empty for an omitted one, and added text: in order, with each word in one part.

    The translation of a sentence may stand among those of its neighbours, in another order.
    """
    length = len(words.forms)
    if not length or not source:
        return [TextPart(sentence, 0, 0) for sentence in range(len(source))] + [TextPart(-1, 0, length)] * (length > 0)
    evidence = Evidence(source, words.forms, lexicon, reference)
    expected = _expected(evidence, length, lexicon)
    ends = [end_of(text) for text in (source if reference is None else reference)]
    phrases = COHESION * evidence.phrases
    echoed, unique = echoes(evidence.numbers), _unique(source)
    borders = {end: np.array(row)[words.gaps] + phrases for end, row in BORDERS.items()}
    free = borders[Gap.END] + AFTER_ADDED
    for row in (free, *borders.values()):
        row[[0, length]] = 0

    low, best = 0, np.zeros(1)
    steps: list[Step] = []  # first place, words of a sentence and of added text by their end
    for first, stop, start, end in _stretches(evidence, len(source), length):
        best = np.concatenate([best[start - low :], np.full(end - low - len(best) + 1, -np.inf)])
        low = start
        if not first:
            best, added = _with_added(best, free[start : end + 1])
            steps.append((start, np.zeros(len(best), np.int32), added.astype(np.int32)))
        ratios = evidence.ratios(first, stop, start, end)
        scores = np.log(ratios[0])
        if echoed[start:end].any():
            again = echoed[None, start:end] & unique[first:stop, None]
            scores = np.where(again, np.minimum(scores, ECHOED), scores)
        edges = np.log(1 - WEIGHTS.edge + WEIGHTS.edge * ratios[1:] / ratios[0])
        sums = np.concatenate([np.zeros((stop - first, 1)), np.cumsum(scores, axis=1)], axis=1)
        opening, ending = sums.copy(), sums
        opening[:, :-1] -= edges[0]
        ending[:, 1:] += edges[1]
        ending += np.stack([borders[one][start : end + 1] for one in ends[first:stop]])
        for row, sentence in enumerate(range(first, stop)):
            penalties = _penalties(expected[sentence], end - start, SPREAD[reference is not None])
            after, taken = _with_sentence(best, opening[row], ending[row], penalties)
            best, added = _with_added(after, free[start : end + 1])
            # Half of the memory of what a long text needs.
            steps.append((start, taken.astype(np.int32), added.astype(np.int32)))
    reordering = Reordering(evidence, expected, SPREAD[reference is not None], free)
    return reordering.exchanged(reordering.moved(_parts(steps, length)))


def _unique(source: Sequence[str]) -> Booleans:
    times = Counter(source)
    return np.array([times[sentence] == 1 for sentence in source], bool)


def _expected(evidence: Evidence, length: int, lexicon: Lexicon | None) -> list[float]:
    """Words that the translation of each sentence is expected to have."""
    if evidence.reference_lengths is not None:
        return evidence.reference_lengths.astype(float).tolist()
    known = lexicon.ratio if lexicon is not None else None
    ratio = known or length / max(1, evidence.source_lengths.sum())
    return (evidence.source_lengths * ratio).tolist()


def _stretches(evidence: Evidence, count: int, length: int) -> Iterator[tuple[int, int, int, int]]:
    """Sentences ``first … stop - 1`` and the places ``start … end`` of the text where their translations may end."""
    sentences, places = evidence.safe_places()
    shares = np.cumsum(evidence.source_lengths) / max(1, evidence.source_lengths.sum())
    low = high = 0
    for first in range(0, count, BAND):
        stop = min(count, first + BAND)
        before = np.searchsorted(sentences, first) - SAFE
        after = np.searchsorted(sentences, stop, side="right") + SAFE - 1
        start = max(0, int(places[before]) - MARGIN) if before >= 0 else 0
        end = min(length, int(places[after]) + MARGIN) if after < len(places) else length
        if end - start > WIDEST:
            middle = int(length * shares[(first + stop) // 2])
            start = min(max(start, middle - WIDEST // 2), max(0, end - WIDEST))
            end = min(end, start + WIDEST)
        low = max(low, min(start, high))
        high = length if stop == count else max(high, low, end)
        yield first, stop, low, high


def _penalties(expected: float, most: int, spread: float) -> Reals:
    """The log-probability of each length of a translation, from the longest to one word."""
    longest = min(most, int(LONGEST * expected) + SLACK)
    lengths = np.arange(longest, 0, -1)
    penalties = -0.5 * (np.log((lengths + 1) / (expected + 1)) / spread) ** 2
    return penalties.astype(np.float32)


def _with_sentence(best: Reals, opening: Reals, ending: Reals, penalties: Reals) -> tuple[Reals, Integers]:
    """The best scores after one more sentence, and how many words its translation has by its end."""
    longest, count = len(penalties), len(best)
    before = np.full(longest + count - 1, -np.inf, np.float32)
    np.subtract(best[:-1], opening[:-1], out=before[longest:])
    # [place, length] the scores of a translation of each length that ends at each place
    windows = np.lib.stride_tricks.as_strided(before, (count, longest), before.strides * 2) + penalties
    chosen = windows.argmax(axis=1)
    translated = windows[np.arange(count), chosen] + ending
    omitted = best + OMITTED
    return np.maximum(translated, omitted), np.where(translated > omitted, longest - chosen, 0)


def _with_added(best: Reals, free: Reals) -> tuple[Reals, Integers]:
    """The best scores when text may be added, and how many words of it stand before each place."""
    places = np.arange(len(best))
    start = best - ADDED_WORD * places
    reached = np.maximum.accumulate(start)
    added = np.full(len(best), -np.inf)
    added[1:] = reached[:-1] + (ADDED_WORD * places[1:] + ADDED + free[1:])
    better = added > best
    if not better.any():
        return best, np.zeros(len(best), np.int64)
    origins = np.maximum.accumulate(np.where(start >= reached, places, 0))
    return np.maximum(added, best), np.where(better, places - np.concatenate([[0], origins[:-1]]), 0)


def _parts(steps: list[Step], length: int) -> list[TextPart]:
    parts, end = [], length
    for sentence in range(len(steps) - 2, -2, -1):
        low, taken, added = steps[sentence + 1]
        if extra := int(added[end - low]):
            parts.append(TextPart(-1, end - extra, end))
            end -= extra
        if sentence >= 0:
            own = int(taken[end - low])
            parts.append(TextPart(sentence, end - own, end))
            end -= own
    return parts[::-1]
