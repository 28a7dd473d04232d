"""The words in a cache before each sentence of a document, as text."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from discourse_nmt.models.theme_cache.contents import CacheContents
from discourse_nmt.models.theme_cache.trace import EMPTY

Ids = Sequence[int]
Line = Callable[[Ids], str]

COLUMNS = ("doc_id", "sent_id", "place", "word", "from_sent_id", "score")


@dataclass(frozen=True)
class CachedWord:
    """A word in a cache; ``score`` is None in a cache without scores."""

    place: int
    """Slot of the cache from 0; in a continuous cache, the number of more recent words."""
    text: str
    sentence: int
    """Number of the sentence of the word."""
    score: float | None
    fresh: bool
    """Whether that is the sentence just before."""


@dataclass(frozen=True)
class CachedSentence:
    """A source sentence and the words in the cache before it."""

    number: int
    text: str
    words: Sequence[CachedWord]


@dataclass(frozen=True)
class CachedDocument:
    """The sentences of a document in text order."""

    name: str
    sentences: Sequence[CachedSentence]

    def rows(self) -> Iterator[tuple[str, int, int, str, int, float | None]]:
        """Yield a row of :data:`COLUMNS` for each sentence and word."""
        for sentence in self.sentences:
            for word in sentence.words:
                yield self.name, sentence.number, word.place, word.text, word.sentence, word.score


def cached_document(
    name: str, numbers: Sequence[int], source: Sequence[Ids], contents: CacheContents, line: Line, word: Line
) -> CachedDocument:
    """The document ``name``; its sentences have these ``numbers`` and subword ids ``source``.

    ``line`` makes text of the ids of a sentence, ``word`` of those of a word.
    """
    ids = [subword for sentence in source for subword in sentence]
    borders, origins = contents.borders.tolist(), contents.sentences.tolist()

    def cached(sentence: int, slot: int, entry: int) -> CachedWord:
        score = None if contents.scores is None else float(contents.scores[entry])
        text = word(ids[borders[entry] : borders[entry + 1]])
        return CachedWord(slot, text, numbers[origins[entry]], score, fresh=origins[entry] == sentence - 1)

    return CachedDocument(
        name,
        [
            CachedSentence(
                number,
                line(source[sentence]),
                [cached(sentence, slot, entry) for slot, entry in enumerate(entries) if entry != EMPTY],
            )
            for sentence, (number, entries) in enumerate(zip(numbers, contents.entries.tolist(), strict=True))
        ],
    )
