"""The contents of a cache of source words before each sentence, as the network computes them while encoding."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Integers, Reals
from discourse_nmt.models.context.inference import POOL, Paragraph, source_of
from discourse_nmt.models.core.inference import batches
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from discourse_nmt.models.theme_cache.trace import EMPTY
from discourse_nmt.models.theme_cache.words import CacheWords


@dataclass(frozen=True)
class CacheContents:
    """The contents of the cache before each of the S sentences of a document of W words."""

    entries: Integers
    """[S, C]: the words, counted in the document; :data:`EMPTY` for free slots, the last ones."""
    sentences: Integers
    """[W]: the sentence of each word, from 0."""
    borders: Integers
    """[W + 1]: the first of the document's subwords that each word is made of, and their number."""
    scores: Reals | None
    """[W]: the labeller's score of each word; None for a cache without scores."""


@dataclass(frozen=True)
class WatchedWords(CacheWords):
    """The words of a batch, which record the entries and scores that the network gets."""

    recorded: list[tuple[Integers, Reals | None]] = field(default_factory=list)

    def cached(
        self, settings: ThemeRhemeCacheSettings, scores: Tensor | None = None, half_life: float | None = None
    ) -> Integers:
        """See :class:`.CacheWords`; the result is recorded."""
        entries = super().cached(settings, scores, half_life)
        self.recorded.append((entries, None if scores is None else self.of_words(scores)))
        return entries

    def contents(self) -> Iterator[CacheContents]:
        """The contents of the cache of each document, after the network has encoded the batch."""
        entries, scores = self.recorded[-1]
        starts = np.append(self.starts, len(self.positions))
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
    """Yield the index of each of ``documents`` and the contents of the cache of ``model`` before its sentences.

    ``model`` has a cache and is in evaluation mode. Batches are those of translation with this ``batch_tokens``, so
    that scores are equal in every digit. Nothing is decoded.
    """
    sizes = [sum(len(ids) + 2 for ids in document.source) for document in documents]
    for chosen in batches(sizes, POOL * batch_tokens):
        source = source_of(model, [documents[number] for number in chosen])
        words = WatchedWords(**vars(source.structure))
        with torch.inference_mode():
            model.encode_source(replace(source, structure=words))
        yield from zip(chosen, words.contents())
