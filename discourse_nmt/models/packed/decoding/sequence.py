"""The literal search of the papers: a hypothesis is a translation of the whole instance (spec 01, section 8).

A frame made from the source has one slot for each sentence, of at least one subword and at most the longest translation
of that sentence. In a slot only subwords are allowed, between two slots only ``</s> <s>``, after the last one only
``</s>``. So a translation always has as many sentences as its source. The score of a hypothesis is normalised by the
length of the instance; every sentence is reported with the scores of its instance.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.vocabulary import BEGIN, END, SPECIALS
from discourse_nmt.models.attention.kv_cache import KeyValueCache
from discourse_nmt.models.core.beam_search import Hypothesis, begin_with, search
from discourse_nmt.models.core.shortlist import Shortlist
from discourse_nmt.models.packed.decoding.encoded import (
    EncodedInstances,
    KeptPlans,
    encode_instances,
    on_device_of,
)
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import AnyInstance
from discourse_nmt.models.packed.packing import PackedText
from discourse_nmt.models.packed.relations import Relation
from discourse_nmt.models.switches.decoding import DecodingSettings


def decode_as_sequences(
    model: PackedTransformer, instances: Sequence[AnyInstance], settings: DecodingSettings
) -> list[list[list[Hypothesis]]]:
    """The n-best translations of each of ``instances``, cut into its sentences: [instances][sentences][n-best].

    ``model`` is in evaluation mode.
    """
    counts = np.array([len(instance.source) for instance in instances])
    with torch.inference_mode():
        encoded = encode_instances(model, instances, settings)
        shortlist = model.shortlist([ids for instance in instances for ids in instance.source])
        steps = SequenceSteps(model, encoded, counts, shortlist)
        totals = np.add.reduceat(encoded.limits + 1, np.cumsum(counts) - counts) - 1
        limits = on_device_of(encoded.memory, totals)
        results = search(steps, limits, settings, steps.restrict, shortlist=shortlist)
    return [[list(sentence) for sentence in zip(*map(sentences_of, hypotheses))] for hypotheses in results]


def sentences_of(hypothesis: Hypothesis) -> list[Hypothesis]:
    """The sentences of a hypothesis over an instance."""
    ids = np.array(hypothesis.ids)
    slots = np.split(ids, np.flatnonzero(ids == BEGIN))
    texts = [tuple(slot[slot != BEGIN].tolist()) for slot in slots]
    return [Hypothesis(text, hypothesis.log_probability, hypothesis.score) for text in texts]


class InstanceKeyValueCache(KeyValueCache):
    """A cache whose positions belong to several sentences.

    ``related`` [sentences, sentences] says by numbers which ones attend to which; None: each to all of its instance.
    Positions of sentences that no later one attends to are dead, too.
    """

    def __init__(self, related: Tensor | None) -> None:
        super().__init__(drops=True)
        self.related = related
        # Whether the sentence, or one after it, attends to another.
        self.read_later = None if related is None else related.flip(0).cummax(0).values.flip(0)
        self.sentence = torch.empty(0)
        """[B, r] the sentence of each hypothesis, set before its next position begins."""
        self.sentence_of_position = torch.empty(0)
        """[B, K]."""

    def _allowed(self, columns: Tensor, width: int) -> Tensor:
        """See :class:`.KeyValueCache`."""
        mask = super()._allowed(columns, width)
        if self.related is None:
            return mask
        if self.length == 0:
            self.sentence_of_position = self.sentence[:, :0]
        missing = width - self.sentence_of_position.shape[1]
        self.sentence_of_position = F.pad(self.sentence_of_position, (0, missing)).scatter_(1, columns, self.sentence)
        related = self.related[self.sentence[:, :, None], self.sentence_of_position[:, None]]  # (B, r, K)
        return mask.masked_fill(~related[:, None], -math.inf)

    def _live(self) -> Tensor:
        """See :class:`.KeyValueCache`."""
        live = super()._live()
        if self.read_later is None:
            return live
        first = self.sentence.amin(dim=1, keepdim=True)
        missing = live.shape[1] - self.sentence_of_position.shape[1]
        return live & self.read_later[first, F.pad(self.sentence_of_position, (0, missing))]

    def _drop_dead(self) -> Tensor:
        """See :class:`.KeyValueCache`."""
        kept = super()._drop_dead()
        if self.related is not None:
            self.sentence_of_position = self.sentence_of_position.gather(1, kept)
        return kept

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`.KeyValueCache`."""
        super().select(sentences, parents)
        if sentences is not None and self.related is not None:
            self.sentence_of_position = self.sentence_of_position[sentences]


class SequenceSteps:
    """:class:`.Steps` of instances of ``counts`` [B] sentences.

    ``<s>`` as an extension stands for ``</s> <s>``: it ends a sentence that is not the last of its instance.
    """

    def __init__(
        self,
        model: PackedTransformer,
        encoded: EncodedInstances,
        counts: Integers,
        shortlist: Shortlist | None = None,
    ) -> None:
        self.model = model
        self.shortlist = shortlist
        self.encoded = encoded
        self.running = model.settings.target_positions == "running" and not model.settings.position_reset
        self.last = np.cumsum(counts)[:, None] - 1
        """[B, 1] the last sentence of each instance."""
        self.sentence: Integers = self.last - counts[:, None]  # before the first one begins
        """[B, r] the sentence that each hypothesis is in."""
        self.offset = np.zeros_like(self.sentence)
        """[B, r] its offset in the slot."""
        self.position = np.full_like(self.sentence, -1)
        """[B, r] its position."""
        self.caches = {relation: self._cache(related) for relation, related in encoded.target.items()}
        self.sources: dict[Relation, Booleans] = {}
        """[B, r, sentences] the sentences of the source that each hypothesis attends to."""
        self.plans = KeptPlans({**self.caches}, {})

    def logits(self, tokens: Tensor) -> Tensor:
        """See :class:`.Steps`."""
        newest = tokens.view(len(self.last), -1).cpu().numpy()  # (B, r)
        self._advance(newest == BEGIN)
        sentence = on_device_of(tokens, self.sentence)
        for cache in self.caches.values():
            cache.sentence = sentence
            cache.begin_position(len(newest), newest.shape[1], tokens.device)
        for relation, across in self.encoded.across.items():
            related = across[self.sentence]
            if not np.array_equal(related, self.sources.get(relation, ())):  # at the borders of sentences
                self.sources[relation] = related
                self.plans.across[relation] = self.encoded.sources(related)
        text = PackedText(tokens[:, None], on_device_of(tokens, self.position).view(-1, 1))
        states = self.model.decode_packed(text, self.encoded.memory, self.plans)[:, 0]
        if self.shortlist is None:
            return self.model.logits(states)
        return self.shortlist.logits(states, sentence.flatten())

    def restrict(self, log_probabilities: Tensor, lengths: Integers, limits: Integers) -> None:
        """See :data:`.Restriction`; the frame."""
        longest, language = self.encoded.limits[self.sentence], self.model.language_symbol
        ending = log_probabilities[..., END, None].clone()  # [B, r, 1]
        empty = self.offset <= (0 if language is None else np.minimum(longest - 1, 1))
        if empty.any():
            ending[on_device_of(ending, empty)] = -math.inf
        log_probabilities[..., : len(SPECIALS)].fill_(-math.inf)
        if (full := self.offset >= longest).any():
            log_probabilities[on_device_of(ending, full)] = -math.inf
        closing = np.where(self.sentence < self.last, BEGIN, END)
        log_probabilities.scatter_(2, on_device_of(ending, closing)[..., None], ending)
        if language is not None and (first := self.offset == 0).any():
            begin_with(language, log_probabilities, on_device_of(ending, first))

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`.Steps`; the rows are instances."""
        for cache in self.caches.values():
            cache.select(sentences, parents)
        rows = np.arange(len(self.last)) if sentences is None else sentences.cpu().numpy()
        chosen = rows[:, None], parents.cpu().numpy()
        self.last = self.last[rows]
        self.sentence, self.offset, self.position = self.sentence[chosen], self.offset[chosen], self.position[chosen]

    def _advance(self, begins: Booleans) -> None:
        """Advance each hypothesis to its newest token, where ``begins`` [B, r] is true at ``<s>``."""
        self.sentence = np.minimum(self.sentence + begins, self.last)  # the token of a hypothesis not live is arbitrary
        self.offset = np.where(begins, 0, self.offset + 1)
        following = self.position + np.ones_like(begins, np.int64)
        self.position = following if self.running else np.where(begins, self.encoded.firsts[self.sentence], following)

    def _cache(self, related: Booleans) -> InstanceKeyValueCache:
        everywhere = np.array_equal(related, self.encoded.same_instance)
        return InstanceKeyValueCache(None if everywhere else on_device_of(self.encoded.memory, related))
