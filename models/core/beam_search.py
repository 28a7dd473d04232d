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
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.vocabulary import BEGIN, END, PAD, SPECIALS
from discourse_nmt.models.core.kv_cache import KeyValueCache
from discourse_nmt.models.core.layers import Memory
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings

NEVER = [symbol for symbol in range(len(SPECIALS)) if symbol != END]
"""Symbols that no translation contains."""

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


Restriction = Callable[[Tensor, Tensor, Tensor], None]
"""Sets log-probabilities [B, beam, V] of extensions that are not allowed to ``-inf``, in place. The further arguments
are the target positions [B], counted from 1, and the largest numbers of subwords of a hypothesis [B]."""


Supply = Callable[[dict[int, list[Hypothesis]]], Tensor]
"""Called with the n-best hypotheses of the sentences that are done, by number, before their rows leave. Returns the
longest translations [n] of further sentences; the next call of :meth:`Steps.select` appends their rows."""


class Steps(Protocol):
    """A model that has read B sentences and computes one position of all their hypotheses at a time."""

    def logits(self, tokens: Tensor) -> Tensor:
        """Scores [B * r, V] of what follows ``tokens`` [B * r], the next of r hypotheses per sentence."""

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep the rows ``sentences`` (None: all), each with copies of its hypotheses ``parents`` [B, r]."""


class CachedSteps:
    """Steps that reuse the keys and values of earlier positions."""

    def __init__(self, model: Transformer, memory: Memory) -> None:
        self.model = model
        self.memory = memory.keep()
        self.cache = KeyValueCache()

    def logits(self, tokens: Tensor) -> Tensor:
        """See :class:`Steps`."""
        return self.model.logits(self.model.decode(tokens[:, None], self.memory, self.cache)[:, 0])

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`Steps`."""
        self.cache.select(sentences, parents)
        if sentences is not None:
            self.memory = self.memory.select(sentences)


def beam_search(model: Transformer, source_ids: Tensor, settings: DecodingSettings) -> list[list[Hypothesis]]:
    """The n-best translations of each row of ``source_ids`` [B, S] (``<s> ids </s>``, padded), best first.

    ``model`` is in evaluation mode. A row's result does not depend on the other rows.
    """
    with torch.inference_mode():
        lengths = (source_ids != PAD).sum(dim=1) - 2
        return search(CachedSteps(model, model.encode(source_ids)), longest(lengths, settings), settings)


def longest(lengths: Tensor, settings: DecodingSettings) -> Tensor:
    """Longest translation of sources of ``lengths`` [B] subwords, in subwords without ``</s>``: int64 [B]."""
    # 1.15 * 20 is slightly less than 23 in floating point.
    scaled = (lengths.double() * settings.max_length_ratio + 1e-9).floor().long()
    return scaled + settings.max_length_offset


def search(
    steps: Steps,
    limits: Tensor,
    settings: DecodingSettings,
    restrict: Restriction | None = None,
    supply: Supply | None = None,
) -> list[list[Hypothesis]]:
    """The n-best hypotheses of each sentence of ``steps``, at most ``limits`` [B] subwords, best first.

    ``restrict`` decides which extensions are allowed, by default :func:`one_sentence`. ``supply`` may add sentences
    while others are searched; their numbers follow.
    """
    device, beam = limits.device, settings.beam
    ranks = torch.arange(beam, device=device)
    finished: list[list[Hypothesis]] = [[] for _ in limits]
    searched = list(range(len(limits)))  # the sentence of each row
    scores, lengths, prefixes = first_scores(limits, beam), torch.zeros_like(limits), first_prefixes(limits, beam, 1)
    while searched:
        lengths = lengths + 1
        logits = steps.logits(prefixes[:, :, 0, -1].flatten())
        candidates = extend(scores, logits, lengths, limits, restrict or one_sentence)
        values, indices = best(candidates, 2 * beam)
        parents, tokens = indices // logits.shape[-1], indices % logits.shape[-1]
        ends = tokens == END

        begun = lengths.tolist()
        for row, rank in (ends[:, :beam] & values[:, :beam].isfinite()).nonzero().tolist():
            ids, path = prefixes[row, parents[row, rank], :, -begun[row] :].tolist()
            log_probability = values[row, rank].item()
            score = log_probability / length_penalty(begun[row], settings)
            finished[searched[row]].append(Hypothesis(tuple(ids[1:]), log_probability, score, tuple(path)))

        live = ends.byte().argsort(dim=1, stable=True)[:, :beam]  # the ranks of the best that do not end
        scores = values.gather(1, live).masked_fill(ends.gather(1, live), -math.inf)
        parents, tokens = parents.gather(1, live), tokens.gather(1, live)
        prefixes = prefixes.gather(1, parents[:, :, None, None].expand(-1, -1, 2, prefixes.shape[3]))
        newest = torch.stack((tokens, ranks.expand_as(tokens)), dim=2)
        prefixes = torch.cat((prefixes, newest[..., None]), dim=3)
        over = {
            row
            for row, (top, limit, length) in enumerate(zip(scores[:, 0].tolist(), limits.tolist(), begun))
            if length > limit or done(finished[searched[row]], top, length, limit + 1, settings)
        }
        if not over:
            steps.select(None, parents)
            continue
        further = limits[:0]
        if supply is not None:
            further = supply({searched[row]: ranked(finished[searched[row]], settings) for row in sorted(over)})
        order = remaining(len(searched), over)
        staying = torch.tensor(order, dtype=torch.int64, device=device)
        steps.select(staying, parents[staying])
        searched = [searched[row] for row in order] + list(range(len(finished), len(finished) + len(further)))
        finished += [[] for _ in further]
        limits = torch.cat((limits[staying], further))
        lengths = torch.cat((lengths[staying], torch.zeros_like(further)))
        scores = torch.cat((scores[staying], first_scores(further, beam)))
        width = int(lengths.max()) + 1 if searched else 1
        prefixes = torch.cat((prefixes[staying, :, :, -width:], first_prefixes(further, beam, width)))
    return [ranked(hypotheses, settings) for hypotheses in finished]


def remaining(count: int, over: set[int]) -> list[int]:
    """The ``count`` rows without those ``over``, which are replaced by the last ones, so that few rows are moved."""
    last = iter([row for row in range(count - len(over), count) if row not in over])
    return [next(last) if row in over else row for row in range(count - len(over))]


def first_scores(limits: Tensor, beam: int) -> Tensor:
    """Scores [B, beam] of empty hypotheses: all are equal, so that only the first one is live."""
    scores = torch.full((len(limits), beam), -math.inf, device=limits.device)
    scores[:, 0] = 0.0
    return scores


def first_prefixes(limits: Tensor, beam: int, width: int) -> Tensor:
    """Token and rank of all positions of empty hypotheses, padded to ``width``: [B, beam, 2, T]."""
    prefixes = limits.new_zeros(len(limits), beam, 2, width)
    prefixes[:, :, 0] = BEGIN
    return prefixes


def ranked(hypotheses: list[Hypothesis], settings: DecodingSettings) -> list[Hypothesis]:
    """The n-best of the finished ``hypotheses`` of a sentence, best first."""
    if not hypotheses:
        raise InputError("the model's scores are not numbers", remedy="its training diverged: lower the learning rate")
    return sorted(hypotheses, key=lambda h: -h.score)[: settings.n_best]


def extend(scores: Tensor, logits: Tensor, lengths: Tensor, limits: Tensor, restrict: Restriction) -> Tensor:
    """Log-probability of each extension of each hypothesis, [B, beam * V]; ``-inf`` where it is not allowed.

    ``scores`` [B, beam]; ``logits`` [B * beam, V] of the target positions ``lengths`` [B], counted from 1.
    """
    log_probabilities = F.log_softmax(logits.float(), dim=-1).unflatten(0, scores.shape)  # (B, beam, V)
    restrict(log_probabilities, lengths, limits)
    return log_probabilities.add_(scores[:, :, None]).flatten(1)


def one_sentence(log_probabilities: Tensor, lengths: Tensor, limits: Tensor) -> None:
    """A translation is not empty, and after ``limits`` [B] subwords it ends."""
    log_probabilities[..., NEVER] = -math.inf
    log_probabilities[..., END].masked_fill_(lengths[:, None] == 1, -math.inf)
    only(END, log_probabilities, (lengths > limits)[:, None].expand(log_probabilities.shape[:2]))


def only(symbol: int, log_probabilities: Tensor, full: Tensor) -> None:
    """Allow nothing but ``symbol`` to the hypotheses where ``full`` [B, beam] is true."""
    if full.any():
        ending = log_probabilities[full, symbol]
        log_probabilities[full] = -math.inf
        log_probabilities[full, symbol] = ending


def best(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The ``count`` largest of each row of ``values`` [B, n], in falling order, and their indices; ties in order.

    At most n of them; ``-inf`` comes in any order.
    """
    count = min(count, values.shape[1])
    top, indices = largest(values, min(count + 1, values.shape[1]))
    # If the last value taken equals the first one left, the choice between them was arbitrary: sort the row instead.
    tied = (top[:, count - 1] == top[:, -1]) & top[:, -1].isfinite()
    order = indices[:, :count].argsort(dim=1)
    order = order.gather(1, top.gather(1, order).argsort(dim=1, descending=True, stable=True))
    if top.shape[1] > count and tied.any():
        ranked = values.sort(dim=1, descending=True, stable=True)
        tied = tied[:, None]
        return (
            torch.where(tied, ranked.values[:, :count], top.gather(1, order)),
            torch.where(tied, ranked.indices[:, :count], indices.gather(1, order)),
        )
    return top.gather(1, order), indices.gather(1, order)


def largest(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """``values.topk(count)`` of ``values`` [B, n], several times as fast on a CPU where n is large.

    The ``count`` largest values lie in the ``count`` columns with the largest maxima, once the row is folded.
    """
    columns = values.shape[1] // FOLDS
    if columns <= FOLDS * count:
        return values.topk(count)
    folded = values[:, : FOLDS * columns].unflatten(1, (FOLDS, columns))
    chosen = folded.amax(dim=1).topk(count).indices  # (B, count)
    starts = torch.arange(0, FOLDS * columns, columns, device=values.device)
    rest = torch.arange(FOLDS * columns, values.shape[1], device=values.device).expand(len(values), -1)
    indices = torch.cat(((chosen[:, :, None] + starts).flatten(1), rest), dim=1)
    top, order = values.gather(1, indices).topk(count)
    return top, indices.gather(1, order)


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
    is in evaluation mode.
    """
    with torch.inference_mode():
        wanted = target_ids[:, 1:] != PAD
        logits = model(source_ids, target_ids[:, :-1], wanted).float()
        losses = F.cross_entropy(logits, target_ids[:, 1:][wanted], reduction="none")
        scores = torch.zeros(wanted.shape, dtype=torch.float64, device=losses.device)
        return scores.masked_scatter(wanted, -losses.double()).sum(dim=1)
