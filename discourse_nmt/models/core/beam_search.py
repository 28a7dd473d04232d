"""Beam search over a batch of sentences, and forced scoring of given targets.

Each step extends every live hypothesis of every unfinished sentence by one token. Of a sentence's 2 * beam
best extensions, those that end and rank among the first ``beam`` are finished; the best ``beam`` of the others
stay live. A sentence is done when ``beam`` hypotheses are finished and no live one has a better score than its
n-best list, or when none can still beat that list (the score of a live hypothesis is bounded by its
log-probability under the penalty of the longest translation allowed); it then leaves the batch. Scores are
``log P(Y | X) / ((5 + |Y|) / 6) ** alpha`` (Wu et al. 2016, "Google's Neural Machine Translation System",
equation 14 without coverage), where ``|Y|`` counts ``</s>``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS
from discourse_nmt.models.attention.kv_cache import KeyValueCache
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.core.shortlist import Shortlist
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings

FOLDS = 16  # rows that :func:`largest` folds a row of scores into


@dataclass(frozen=True)
class Hypothesis:
    """One translation of a sentence."""

    ids: tuple[int, ...]
    """Subword ids without ``<s>`` and ``</s>``; never empty."""
    log_probability: float
    """Sum over ``ids`` and ``</s>``, in nats."""
    score: float
    """``log_probability`` divided by the length penalty."""
    ranks: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The rank of the prefix among its sentence's hypotheses, at ``<s>`` and at each subword."""


Restriction = Callable[[Tensor, Integers, Integers], None]
"""Sets log-probabilities [B, beam, V] of extensions that are not allowed to ``-inf``, in place. The further arguments
are the target positions [B], counted from 1, and the largest numbers of subwords of a hypothesis [B]."""


Supply = Callable[[dict[int, list[Hypothesis]]], Tensor]
"""Called with the n-best hypotheses of the sentences that are done, by number, before their rows leave. Returns the
longest translations [n] of further sentences; the next call of :meth:`Steps.select` appends their rows."""


class Steps(Protocol):
    """A model that has read B sentences and computes one position of all their hypotheses at a time."""

    def logits(self, tokens: Tensor) -> Tensor:
        """Scores [B * r, V] of what follows ``tokens`` [B * r], the next of r hypotheses per sentence.

        With a shortlist the V columns are its symbols.
        """

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep the rows ``sentences`` (None: all), each with copies of its hypotheses ``parents`` [B, r]."""


class CachedSteps:
    """Steps that reuse the keys and values of earlier positions; ``shortlist`` is that of the rows of ``memory``."""

    def __init__(self, model: Transformer, memory: Memory, shortlist: Shortlist | None = None) -> None:
        self.model = model
        self.memory = memory.keep()
        self.cache = KeyValueCache(drops=True)
        self.shortlist = shortlist
        self.rows = torch.arange(len(memory.states), device=memory.states.device)
        """[B] the row of the first memory of each row."""

    def logits(self, tokens: Tensor) -> Tensor:
        """See :class:`Steps`."""
        states = self.model.decode(tokens[:, None], self.memory, self.cache)[:, 0]
        return self.model.logits(states) if self.shortlist is None else self.shortlist.logits(states, self.rows)

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`Steps`."""
        self.cache.select(sentences, parents)
        if sentences is not None:
            self.memory, self.rows = self.memory.select(sentences), self.rows[sentences]


def beam_search(model: Transformer, source_ids: Tensor, settings: DecodingSettings) -> list[list[Hypothesis]]:
    """The n-best translations of each row of ``source_ids`` [B, S] (``<s> ids </s>``, padded), best first.

    ``model`` is in evaluation mode. A row's result does not depend on the other rows.
    """
    with torch.inference_mode():
        lengths = (source_ids != PAD).sum(dim=1) - 2
        shortlist = model.shortlist(source_ids.tolist())
        steps = CachedSteps(model, model.encode_in_groups(source_ids), shortlist)
        return search(steps, longest(lengths, settings), settings, sentence_restriction(model), shortlist=shortlist)


def longest(lengths: Tensor, settings: DecodingSettings) -> Tensor:
    """Longest translation of sources of ``lengths`` [B] subwords, in subwords without ``</s>``: int64 [B]."""
    # 1.15 * 20 is slightly less than 23 in floating point.
    scaled = (lengths.double() * settings.max_length_ratio + 1e-9).floor().long()
    return scaled + settings.max_length_offset


@torch.inference_mode()
def search(
    steps: Steps,
    limits: Tensor,
    settings: DecodingSettings,
    restrict: Restriction | None = None,
    supply: Supply | None = None,
    shortlist: Shortlist | None = None,
) -> list[list[Hypothesis]]:
    """The n-best hypotheses of each sentence of ``steps``, at most ``limits`` [B] subwords, best first.

    ``restrict`` decides which extensions are allowed, by default :func:`one_sentence`. ``supply`` may add sentences
    while others are searched; their numbers follow. ``shortlist`` is that of ``steps``.
    """
    device, beam = limits.device, settings.beam
    finished: list[list[Hypothesis]] = [[] for _ in limits]
    rows = Rows(beam)
    rows.append(0, limits.cpu().numpy())
    # Only scores of the whole vocabulary are computed on the device; a step's few best ones are handled here.
    while len(rows):
        rows.lengths = rows.lengths + 1
        logits = steps.logits(torch.from_numpy(rows.newest.ravel()).to(device))
        candidates = extend(
            torch.from_numpy(rows.scores).to(device), logits, rows.lengths, rows.limits, restrict or one_sentence
        )
        values, indices = best(candidates, 2 * beam)
        parents, tokens = np.divmod(indices, logits.shape[-1])
        if shortlist is not None:
            tokens = shortlist.symbols[tokens]
        ends = tokens == END
        for row, rank in np.argwhere(ends[:, :beam] & np.isfinite(values[:, :beam])).tolist():
            hypothesis = rows.ended(row, int(parents[row, rank]), float(values[row, rank]), settings)
            finished[rows.sentences[row]].append(hypothesis)

        live = np.argsort(ends, axis=1, kind="stable")[:, :beam]  # the ranks of the best that do not end
        at = np.arange(len(rows))[:, None], live
        parents, tokens = parents[at], tokens[at]
        rows.grow(parents, tokens, np.where(ends[at], np.float32(-math.inf), values[at]))
        over = rows.over(finished, settings)
        if not over:
            steps.select(None, torch.from_numpy(parents).to(device))
            continue
        further = rows.limits[:0]
        if supply is not None:
            sentences = rows.sentences[sorted(over)].tolist()
            further = supply({sentence: ranked(finished[sentence], settings) for sentence in sentences}).cpu().numpy()
        staying = np.array(remaining(len(rows), over), np.int64)
        steps.select(torch.from_numpy(staying).to(device), torch.from_numpy(parents[staying]).to(device))
        rows.select(staying)
        rows.append(len(finished), further)
        finished += [[] for _ in further]
    return [ranked(hypotheses, settings) for hypotheses in finished]


class Rows:
    """The live hypotheses of the B sentences that are searched, a row each."""

    def __init__(self, beam: int) -> None:
        self.beam = beam
        self.sentences = np.zeros(0, np.int64)
        """[B] the number of the sentence."""
        self.limits = np.zeros(0, np.int64)
        """[B] the largest number of subwords of its translation."""
        self.lengths = np.zeros(0, np.int64)
        """[B] the target position that is searched, counted from 1."""
        self.scores = np.zeros((0, beam), np.float32)
        """[B, beam] log-probabilities in falling order; ``-inf`` where a hypothesis is not live."""
        self.prefixes = np.zeros((0, beam, 2, 1), np.int64)
        """[B, beam, 2, T] token and rank at all positions, those of shorter ones last."""

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def newest(self) -> Integers:
        """[B, beam] the last token of each hypothesis."""
        newest: Integers = self.prefixes[:, :, 0, -1]
        return newest

    def append(self, first: int, limits: Integers) -> None:
        """Begin the sentences ``first``, ``first + 1`` … with these ``limits``.

        Their hypotheses are empty and equal, so that only the first one is live.
        """
        count, width = len(limits), self.prefixes.shape[3]
        scores = np.full((count, self.beam), -math.inf, np.float32)
        scores[:, 0] = 0.0
        prefixes = np.zeros((count, self.beam, 2, width), np.int64)
        prefixes[:, :, 0] = BEGIN
        self.sentences = np.concatenate((self.sentences, first + np.arange(count)))
        self.limits = np.concatenate((self.limits, limits))
        self.lengths = np.concatenate((self.lengths, np.zeros_like(limits)))
        self.scores = np.concatenate((self.scores, scores))
        self.prefixes = np.concatenate((self.prefixes, prefixes))

    def select(self, rows: Integers) -> None:
        """Keep these ``rows``, in this order, with as many positions as the longest has."""
        self.sentences, self.limits, self.lengths = self.sentences[rows], self.limits[rows], self.lengths[rows]
        self.scores = self.scores[rows]
        width = int(self.lengths.max(initial=0)) + 1
        self.prefixes = self.prefixes[rows, :, :, -width:]

    def grow(self, parents: Integers, tokens: Integers, scores: npt.NDArray[np.float32]) -> None:
        """Extend the hypotheses ``parents`` by ``tokens``, in the order of their ``scores``, all [B, beam]."""
        before = self.prefixes
        self.prefixes = np.empty((*before.shape[:3], before.shape[3] + 1), np.int64)
        self.prefixes[..., :-1] = before[np.arange(len(self))[:, None], parents]
        self.prefixes[:, :, 0, -1], self.prefixes[:, :, 1, -1] = tokens, np.arange(self.beam)
        self.scores = scores

    def ended(self, row: int, parent: int, log_probability: float, settings: DecodingSettings) -> Hypothesis:
        """The hypothesis ``parent`` of a ``row`` with ``</s>`` after it."""
        length = int(self.lengths[row])
        ids, ranks = self.prefixes[row, parent, :, -length:].tolist()
        score = log_probability / length_penalty(length, settings)
        return Hypothesis(tuple(ids[1:]), log_probability, score, tuple(ranks))

    def over(self, finished: list[list[Hypothesis]], settings: DecodingSettings) -> set[int]:
        """The rows whose search is over, given the ``finished`` hypotheses of all sentences."""
        states = zip(*(each.tolist() for each in (self.sentences, self.scores[:, 0], self.limits, self.lengths)))
        return {
            row
            for row, (sentence, top, limit, length) in enumerate(states)
            if length > limit or done(finished[sentence], top, length, limit + 1, settings)
        }


def remaining(count: int, over: set[int]) -> list[int]:
    """The ``count`` rows without those ``over``, which are replaced by the last ones, so that few rows are moved."""
    last = iter([row for row in range(count - len(over), count) if row not in over])
    return [next(last) if row in over else row for row in range(count - len(over))]


def ranked(hypotheses: list[Hypothesis], settings: DecodingSettings) -> list[Hypothesis]:
    """The n-best of the finished ``hypotheses`` of a sentence, best first."""
    if not hypotheses:
        raise InputError("the model's scores are not numbers", remedy="its training diverged: lower the learning rate")
    return sorted(hypotheses, key=lambda h: -h.score)[: settings.n_best]


def extend(scores: Tensor, logits: Tensor, lengths: Integers, limits: Integers, restrict: Restriction) -> Tensor:
    """Log-probability of each extension of each hypothesis, [B, beam * V]; ``-inf`` where it is not allowed.

    ``scores`` [B, beam]; ``logits`` [B * beam, V] of the target positions ``lengths`` [B], counted from 1.
    """
    log_probabilities = F.log_softmax(logits.float(), dim=-1).unflatten(0, scores.shape)  # (B, beam, V)
    restrict(log_probabilities, lengths, limits)
    return log_probabilities.add_(scores[:, :, None]).flatten(1)


def sentence_restriction(model: Transformer) -> Restriction:
    """The restriction of a search of single sentences with ``model``."""
    return partial(one_sentence, language=model.language_symbol)


def one_sentence(log_probabilities: Tensor, lengths: Integers, limits: Integers, language: int | None = None) -> None:
    """A translation is not empty, and after ``limits`` [B] subwords it ends.

    With a symbol of its ``language`` it begins with this one, at no cost.
    """
    forbid_specials(log_probabilities)
    device = log_probabilities.device
    if (empty := np.flatnonzero(lengths <= (1 if language is None else np.minimum(limits, 2)))).size:
        log_probabilities[torch.from_numpy(empty).to(device), :, END] = -math.inf
    if language is not None and (lengths == 1).any():
        begin_with(language, log_probabilities, torch.from_numpy(lengths == 1).to(device))
    if (over := np.flatnonzero(lengths > limits)).size:
        rows = torch.from_numpy(over).to(log_probabilities.device)
        ending = log_probabilities[rows, :, END]
        log_probabilities[rows] = -math.inf
        log_probabilities[rows, :, END] = ending


def forbid_specials(log_probabilities: Tensor) -> None:
    """Forbid all special symbols but ``</s>``, as no translation contains them."""
    log_probabilities[..., :END].fill_(-math.inf)
    log_probabilities[..., END + 1 : len(SPECIALS)].fill_(-math.inf)


def begin_with(language: int, log_probabilities: Tensor, first: Tensor) -> None:
    """Allow nothing but the symbol ``language``, with probability 1, where ``first`` [B] or [B, beam] is true."""
    log_probabilities[first] = -math.inf
    log_probabilities[..., language][first] = 0.0


def best(values: Tensor, count: int) -> tuple[npt.NDArray[np.float32], Integers]:
    """The ``count`` largest of each row of ``values`` [B, n], in falling order, and their indices; ties in order.

    At most n of them; ``-inf`` comes in any order. The results are on the CPU.
    """
    count = min(count, values.shape[1])
    top, indices = largest(values, min(count + 1, values.shape[1]))
    # The order of equals is arbitrary; so is the choice, if the last value taken equals the first one left.
    tied = np.flatnonzero(((top[:, 1:] == top[:, :-1]) & np.isfinite(top[:, 1:])).any(axis=1))
    if len(tied):
        ranked = values[torch.from_numpy(tied).to(values.device)].sort(dim=1, descending=True, stable=True)
        indices[tied] = ranked.indices[:, : indices.shape[1]].cpu().numpy()
    return top[:, :count], indices[:, :count]


def largest(values: Tensor, count: int) -> tuple[npt.NDArray[np.float32], Integers]:
    """``values.topk(count)`` of ``values`` [B, n], several times as fast on a CPU where n is large.

    The ``count`` largest values lie in the ``count`` columns with the largest maxima, once the row is folded.
    """
    columns = values.shape[1] // FOLDS
    if columns <= FOLDS * count:
        found = values.topk(count)
        return found.values.cpu().numpy(), found.indices.cpu().numpy()
    folded = values[:, : FOLDS * columns].unflatten(1, (FOLDS, columns))
    chosen = folded.amax(dim=1).topk(count, sorted=False).indices  # (B, count)
    read = torch.arange(0, FOLDS * columns, columns, device=values.device)[:, None] + chosen[:, None]
    read = read.flatten(1)
    if left := values.shape[1] - FOLDS * columns:  # the folds leave them over
        last = torch.arange(FOLDS * columns, values.shape[1], device=values.device)
        read = torch.cat((read, last.expand(len(values), left)), dim=1)
    found = values.gather(1, read).topk(count)
    return found.values.cpu().numpy(), read.gather(1, found.indices).cpu().numpy()


def length_penalty(length: int, settings: DecodingSettings) -> float:
    """GNMT's penalty of a translation of ``length`` subwords, ``</s>`` included."""
    penalty: float = ((5 + length) / 6) ** settings.length_penalty
    return penalty


def done(finished: list[Hypothesis], best_live: float, length: int, longest: int, settings: DecodingSettings) -> bool:
    """Whether the search of a sentence is over.

    ``best_live`` is the log-probability of the best live hypothesis, of ``length`` positions and at most ``longest``.
    Having ``beam`` finished hypotheses is not enough: next to one confident hypothesis, poor short ones finish first.
    """
    if len(finished) < settings.n_best:
        return False
    worst = sorted(hypothesis.score for hypothesis in finished)[-settings.n_best]
    now, bound = (best_live / length_penalty(size, settings) for size in (length, longest))
    return worst >= bound or (len(finished) >= settings.beam and worst >= now)


def score_targets(model: Transformer, source_ids: Tensor, target_ids: Tensor) -> Tensor:
    """Log-probability (nats) of each target given its source: float64 [B].

    ``source_ids`` [B, S] and ``target_ids`` [B, T] are ``<s> ids </s>``, padded; ``</s>`` counts. ``model``
    is in evaluation mode. Equal sources are encoded once.
    """
    with torch.inference_mode():
        wanted = target_ids[:, 1:] != PAD
        distinct, row_of_target = source_ids.unique(dim=0, return_inverse=True)  # variants of an item share its source
        memory = model.encode(distinct).select(row_of_target)
        logits = model.logits(model.decode(target_ids[:, :-1], memory)[wanted]).float()
        losses = F.cross_entropy(logits, target_ids[:, 1:][wanted], reduction="none")
        scores = torch.zeros(wanted.shape, dtype=torch.float64, device=losses.device)
        return scores.masked_scatter(wanted, -losses.double()).sum(dim=1)
