"""Beam search over a batch of sentences, and forced scoring of given targets.

Each step extends every live hypothesis of every unfinished sentence by one token. Of a sentence's 2 * beam
best extensions, those that end and rank among the first ``beam`` are finished; the best ``beam`` that do not
end live on. A sentence is done when ``beam`` hypotheses are finished, or when no live one can still beat its
n-best list (the score of a live hypothesis is bounded by its log-probability under the penalty of the longest
translation allowed); it then leaves the batch. Scores are ``log P(Y | X) / ((5 + |Y|) / 6) ** alpha`` (Wu et
al. 2016, "Google's Neural Machine Translation System", equation 14 without coverage), where ``|Y|`` counts
``</s>``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from corpus.errors import InputError
from corpus.vocabulary import BEGIN, END, PAD, SPECIALS
from models.caches import Cache
from models.settings import DecodingSettings
from models.transformer import Memory, Transformer

NEVER = [number for number in range(len(SPECIALS)) if number != END]
"""Symbols that no translation contains."""

FOLDS = 16


@dataclass(frozen=True)
class Hypothesis:
    """One translation of a sentence."""

    ids: tuple[int, ...]
    """Subword ids without ``<s>`` and ``</s>``; never empty."""
    log_probability: float
    """Sum over ``ids`` and ``</s>``, in nats."""
    score: float
    """``log_probability`` divided by the length penalty."""


Restriction = Callable[[Tensor, Tensor, Tensor], None]
"""Sets what is not allowed of log-probabilities [B, beam, V] to ``-inf``, in place: of positions numbered from 1 on
[B], where a hypothesis has at most [B] subwords."""


Supply = Callable[[dict[int, list[Hypothesis]]], Tensor]
"""Is told the n-best hypotheses of the sentences that are done, by number, and appends rows of further sentences to the
steps: returns their longest translations [n]."""


class Steps(Protocol):
    """A model that reads B sentences and is asked for one position of all their hypotheses at a time."""

    def logits(self, tokens: Tensor) -> Tensor:
        """Scores [B * r, V] of what follows ``tokens`` [B * r], the next of r hypotheses per sentence."""

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep the rows ``sentences`` (None: all), each with copies of its hypotheses ``parents`` [B, r]."""


class CachedSteps:
    """Steps that reuse the keys and values of earlier positions."""

    def __init__(self, model: Transformer, memory: Memory) -> None:
        self.model = model
        self.memory = memory.keep()
        self.cache = Cache()

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
    # 1.15 * 20 is a little less than 23 in binary.
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

    ``restrict`` tells which extensions are allowed; :func:`one_sentence` unless told. ``supply`` may add sentences
    while others are searched; they are numbered on.
    """
    device, beam = limits.device, settings.beam
    found: list[list[Hypothesis]] = [[] for _ in limits]
    numbers = list(range(len(limits)))  # of the sentences still in the batch
    scores = first_scores(limits, beam)
    prefixes = torch.full((len(limits), beam, 1), BEGIN, device=device)
    lengths = torch.zeros_like(limits)
    while numbers:
        lengths = lengths + 1
        logits = steps.logits(prefixes[:, :, -1].flatten())
        candidates = extend(scores, logits, lengths, limits, restrict or one_sentence)
        values, places = best(candidates, 2 * beam)
        parents, tokens = places // logits.shape[-1], places % logits.shape[-1]
        ends = tokens == END

        begun = lengths.tolist()
        for row, rank in (ends[:, :beam] & values[:, :beam].isfinite()).nonzero().tolist():
            ids = tuple(prefixes[row, parents[row, rank], prefixes.shape[2] - begun[row] + 1 :].tolist())
            log_probability = values[row, rank].item()
            score = log_probability / length_penalty(begun[row], settings)
            found[numbers[row]].append(Hypothesis(ids, log_probability, score))

        live = ends.byte().argsort(dim=1, stable=True)[:, :beam]  # the ranks of the best that do not end
        scores = values.gather(1, live).masked_fill(ends.gather(1, live), -math.inf)
        keep = [
            row
            for row, (top, limit, length) in enumerate(zip(scores[:, 0].tolist(), limits.tolist(), begun))
            if length <= limit and not done(found[numbers[row]], top / length_penalty(limit + 1, settings), settings)
        ]
        left = set(numbers) - {numbers[row] for row in keep}
        numbers = [numbers[row] for row in keep]
        kept = torch.tensor(keep, dtype=torch.int64, device=device)
        scores, limits, lengths = scores[kept], limits[kept], lengths[kept]
        parents, tokens = parents.gather(1, live)[kept], tokens.gather(1, live)[kept]
        prefixes = torch.cat((prefixes[kept[:, None], parents], tokens[:, :, None]), dim=2)
        steps.select(kept if len(kept) < len(ends) else None, parents)
        if supply is None or not left:
            continue
        further = supply({number: ranked(found[number], settings) for number in left})
        if len(further):
            numbers += range(len(found), len(found) + len(further))
            found += [[] for _ in further]
            limits, lengths = torch.cat((limits, further)), torch.cat((lengths, torch.zeros_like(further)))
            scores, prefixes = torch.cat((scores, first_scores(further, beam))), admitted(prefixes, lengths)
    return [ranked(hypotheses, settings) for hypotheses in found]


def first_scores(limits: Tensor, beam: int) -> Tensor:
    """Scores [B, beam] of hypotheses that have not begun: all are equal, so that one of them lives."""
    scores = torch.full((len(limits), beam), -math.inf, device=limits.device)
    scores[:, 0] = 0.0
    return scores


def admitted(prefixes: Tensor, lengths: Tensor) -> Tensor:
    """``prefixes`` [b, beam, T], cut to the longest of ``lengths`` [B] and its ``<s>``, with B - b new ones."""
    width = int(lengths.max()) + 1
    new = prefixes.new_full((len(lengths) - len(prefixes), prefixes.shape[1], width), BEGIN)
    return torch.cat((prefixes[:, :, prefixes.shape[2] - width :], new))


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
    """The ``count`` largest of each row of ``values`` [B, n], falling, and their places; ties in order.

    At most n of them; ``-inf`` comes in any order.
    """
    count = min(count, values.shape[1])
    top, places = largest(values, min(count + 1, values.shape[1]))
    # Where the border runs through equal values, any of them may have been taken: sort the row instead.
    tied = (top[:, count - 1] == top[:, -1]) & top[:, -1].isfinite()
    order = places[:, :count].argsort(dim=1)
    order = order.gather(1, top.gather(1, order).argsort(dim=1, descending=True, stable=True))
    if top.shape[1] > count and tied.any():
        ranked = values.sort(dim=1, descending=True, stable=True)
        tied = tied[:, None]
        return (
            torch.where(tied, ranked.values[:, :count], top.gather(1, order)),
            torch.where(tied, ranked.indices[:, :count], places.gather(1, order)),
        )
    return top.gather(1, order), places.gather(1, order)


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
    places = torch.cat(((chosen[:, :, None] + starts).flatten(1), rest), dim=1)
    top, order = values.gather(1, places).topk(count)
    return top, places.gather(1, order)


def length_penalty(length: int, settings: DecodingSettings) -> float:
    """GNMT's penalty of a translation of ``length`` subwords, ``</s>`` included."""
    penalty: float = ((5 + length) / 6) ** settings.length_penalty
    return penalty


def done(found: list[Hypothesis], bound: float, settings: DecodingSettings) -> bool:
    """Whether a sentence's search is over; ``bound``: the best score that a live hypothesis can reach."""
    if len(found) >= settings.beam:
        return True
    return len(found) >= settings.n_best and sorted(h.score for h in found)[-settings.n_best] >= bound


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
