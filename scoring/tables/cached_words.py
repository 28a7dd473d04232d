"""The words that a cache holds before each sentence of a document, as text."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from discourse_nmt.models.theme_cache.contents import CacheContents
from discourse_nmt.models.theme_cache.trace import EMPTY

Ids = Sequence[int]
Line = Callable[[Ids], str]

COLUMNS = ("doc_id", "sent_id", "place", "word", "from_sent_id", "score")


@dataclass(frozen=True)
class CachedWord:
    """A word that a cache holds; ``score`` is None where the cache asks for none."""

    place: int
    """In the cache, from 0: where the word is stored, or how many words are more recent."""
    text: str
    sentence: int
    """Number of the sentence that it comes from."""
    score: float | None
    fresh: bool
    """Whether it comes from the sentence just before."""


@dataclass(frozen=True)
class CachedSentence:
    """A source sentence and what the cache holds before it."""

    number: int
    text: str
    words: Sequence[CachedWord]


@dataclass(frozen=True)
class CachedDocument:
    """The sentences of a document in text order."""

    name: str
    sentences: Sequence[CachedSentence]

    def rows(self) -> Iterator[tuple[str, int, int, str, int, float | None]]:
        """A row of :data:`COLUMNS` for each sentence and word."""
        for sentence in self.sentences:
            for word in sentence.words:
                yield self.name, sentence.number, word.place, word.text, word.sentence, word.score


def cached_document(
    name: str, numbers: Sequence[int], source: Sequence[Ids], contents: CacheContents, line: Line, word: Line
) -> CachedDocument:
    """The document ``name`` whose sentences have these ``numbers`` and subword ids ``source``.

    ``line`` gives the text of a sentence's ids, ``word`` that of a word's.
    """
    ids = [number for sentence in source for number in sentence]
    borders, origins = contents.borders.tolist(), contents.sentences.tolist()

    def cached(row: int, place: int, entry: int) -> CachedWord:
        score = None if contents.scores is None else float(contents.scores[entry])
        text = word(ids[borders[entry] : borders[entry + 1]])
        return CachedWord(place, text, numbers[origins[entry]], score, fresh=origins[entry] == row - 1)

    return CachedDocument(
        name,
        [
            CachedSentence(
                number,
                line(source[row]),
                [cached(row, place, entry) for place, entry in enumerate(held) if entry != EMPTY],
            )
            for row, (number, held) in enumerate(zip(numbers, contents.entries.tolist(), strict=True))
        ],
    )
