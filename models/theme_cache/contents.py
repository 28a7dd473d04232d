"""What a cache of source words holds before each sentence: the words that the network finds in it while it encodes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.corpus.arrays import Integers, Reals
from discourse_nmt.models.context.inference import POOL, Paragraph, source_of
from discourse_nmt.models.core.inference import batches
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from discourse_nmt.models.theme_cache.trace import EMPTY
from discourse_nmt.models.theme_cache.words import CacheWords


@dataclass(frozen=True)
class CacheContents:
    """What the cache holds before each of the S sentences of a document of W words."""

    entries: Integers
    """[S, C]: the words, counted in the document; :data:`EMPTY` for free places, the last ones."""
    sentences: Integers
    """[W]: the sentence of each word, from 0."""
    borders: Integers
    """[W + 1]: the first of the document's subwords that each word is made of, and their number."""
    scores: Reals | None
    """[W]: the labeller's score of each word; None for a cache that asks for none."""


@dataclass(frozen=True)
class WatchedWords(CacheWords):
    """The words of a batch, which remember what the network was told that its cache holds."""

    told: list[tuple[Integers, Reals | None]] = field(default_factory=list)

    def cached(self, settings: ThemeRhemeCacheSettings, scores: Tensor | None = None) -> Integers:
        """The same, remembered."""
        entries = super().cached(settings, scores)
        self.told.append((entries, None if scores is None else self.of_words(scores)))
        return entries

    def contents(self) -> Iterator[CacheContents]:
        """What the cache holds in each document, once the network has encoded the batch."""
        entries, scores = self.told[-1]
        starts = np.append(self.starts, len(self.places))
        first = np.searchsorted(self.documents, np.arange(self.documents[-1] + 2))  # the first row of each document
        words = np.searchsorted(self.rows, first)
        for row, end, word, beyond in zip(first, first[1:], words, words[1:]):
            held = entries[row:end]
            yield CacheContents(
                np.where(held == EMPTY, EMPTY, held - word),
                self.rows[word:beyond] - row,
                starts[word : beyond + 1] - starts[word],
                None if scores is None else scores[word:beyond],
            )


def cache_contents(
    model: ThemeRhemeCache, documents: Sequence[Paragraph], batch_tokens: int
) -> Iterator[tuple[int, CacheContents]]:
    """Yield the number of each of ``documents`` and what the cache of ``model`` holds before its sentences.

    ``model`` has a cache and is in evaluation mode. Documents are encoded together that translation with this
    ``batch_tokens`` encodes together, so that scores are equal in every digit; nothing is decoded.
    """
    sizes = [sum(len(ids) + 2 for ids in document.source) for document in documents]
    for chosen in batches(sizes, POOL * batch_tokens):
        source = source_of(model, [documents[number] for number in chosen])
        words = WatchedWords(**vars(source.structure))
        with torch.inference_mode():
            model.encode_source(replace(source, structure=words))
        yield from zip(chosen, words.contents())
