"""The words of a batch of documents: the subwords of each, its type, and whether it may be cached."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers, Reals
from discourse_nmt.base.spans import ranges
from discourse_nmt.models.switches.theme_rheme_cache import ThemeRhemeCacheSettings
from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.models.theme_cache.trace import EMPTY, aged, recent_trace, scored_trace


@dataclass(frozen=True)
class CacheWords:
    """The words of a batch of P documents and B sentences, W in all, of N subwords, in text order."""

    positions: Tensor
    """[N] int64: the index of each subword among the batch's B * S positions. The only tensor, as entries are chosen on
    the CPU, word by word."""
    starts: Integers
    """[W]: the first subword of each word."""
    rows: Integers
    """[W]: the sentence of each word."""
    types: Integers
    """[W]."""
    stops: Booleans
    """[W]."""
    documents: Integers
    """[B]: the document of each sentence."""
    carried_ids: Tensor | None = None
    """[A, T] ``<s> ids </s>``, padded: the sentences among the B that only fill the cache; None if there is none."""
    carried: Booleans | None = None
    """[B]: which of the sentences these are."""

    def to(self, device: torch.device) -> "CacheWords":
        """The same on another device."""
        ids = None if self.carried_ids is None else self.carried_ids.to(device, non_blocking=True)
        return replace(self, positions=self.positions.to(device, non_blocking=True), carried_ids=ids)

    def cached(
        self, settings: ThemeRhemeCacheSettings, scores: Tensor | None = None, half_life: float | None = None
    ) -> Integers:
        """The words in the cache before each sentence: [B, C], ``EMPTY`` in free slots, the last ones.

        ``scores`` [B, S] are those of the subwords, for the theme-rheme cache; a word's is the highest of them, which
        ages by the ``half_life`` in sentences.
        """
        stored = np.flatnonzero(~self.stops) if settings.filters else np.arange(len(self.types))
        document_of_word, count = self.documents[self.rows[stored]], int(self.documents[-1]) + 1
        lengths = np.bincount(document_of_word, minlength=count)
        firsts = np.cumsum(lengths) - lengths
        steps, size = int(lengths.max(initial=0)), settings.cache_size
        if not steps:
            return np.full((len(self.documents), size), EMPTY)
        if scores is None:
            history = recent_trace(steps, count, size)
        else:
            step_of_word = np.arange(len(stored)) - firsts[document_of_word]
            types, values = np.zeros((steps, count), np.int64), np.zeros((steps, count))
            types[step_of_word, document_of_word] = self.types[stored]
            ranks = self.of_words(scores)
            if half_life is not None:
                ranks = aged(ranks, self.rows - self._first_rows[self.rows], half_life)
            values[step_of_word, document_of_word] = ranks[stored]
            history = scored_trace(types, values, lengths, size, settings.dedup_when_not_full)
        before = np.searchsorted(self.rows[stored], np.arange(len(self.documents))) - firsts[self.documents]
        steps_in_cache = history[before, self.documents]
        words = stored[np.maximum(steps_in_cache, 0) + firsts[self.documents][:, None] * (steps_in_cache >= 0)]
        return np.where(steps_in_cache < 0, EMPTY, words)

    def ages(self, entries: Integers) -> Integers:
        """The age in sentences of the ``entries`` [B, C] of the cache before each sentence, 1 or more; 0 if free."""
        return np.where(entries < 0, 0, np.arange(len(entries))[:, None] - self.rows[entries])

    @property
    def _first_rows(self) -> Integers:
        """The first sentence of the document of each sentence: [B]."""
        return np.searchsorted(self.documents, self.documents)

    def of_words(self, scores: Tensor) -> Reals:
        """The score of each word, [W], from the scores [B, S] of its subwords."""
        flat = scores.detach().flatten()[self.positions].double().cpu().numpy()
        highest: Reals = np.maximum.reduceat(flat, self.starts)
        return highest

    def states(self, states: Tensor, chosen: Integers) -> Tensor:
        """The states [U, d] of the words ``chosen`` [U]: the mean of their subwords', of ``states`` [B, S, d]."""
        if not len(chosen):
            return states.new_zeros(0, states.shape[2])
        starts, stops = self.starts[chosen], np.append(self.starts, len(self.positions))[chosen + 1]
        subwords, begins = (
            torch.from_numpy(array).to(states.device) for array in (ranges(starts, stops), np.cumsum(stops - starts))
        )
        begins = F.pad(begins[:-1], (1, 0))
        return F.embedding_bag(self.positions[subwords], states.flatten(0, 1), begins, mode="mean")


def cache_words(
    documents: Sequence[DocumentWords],
    length: int,
    carried_ids: Tensor | None = None,
    carried_counts: Sequence[int] = (),
) -> CacheWords:
    """The words of a batch, on the CPU, whose rows are ``length`` long and begin with ``<s>``.

    The first ``carried_counts`` sentences of each document, with ``carried_ids``, only fill the cache.
    """
    lengths = np.concatenate([document.lengths for document in documents])
    rows = np.repeat(np.arange(len(lengths)), lengths)
    words, types, stops = (
        np.concatenate([vars(document)[name] for document in documents]) for name in ("words", "types", "stops")
    )
    begins = np.ones(len(rows), bool)
    begins[1:] = (np.diff(words) != 0) | (np.diff(rows) != 0)
    starts = np.flatnonzero(begins)
    positions = rows * length + 1 + np.arange(len(rows)) - (np.cumsum(lengths) - lengths)[rows]
    document_of_row = np.repeat(np.arange(len(documents)), [len(document.lengths) for document in documents])
    made = CacheWords(torch.from_numpy(positions), starts, rows[starts], types[starts], stops[starts], document_of_row)
    if carried_ids is None:
        return made
    carried = np.arange(len(lengths)) - made._first_rows < np.array(carried_counts)[document_of_row]
    return replace(made, carried_ids=carried_ids, carried=carried)
