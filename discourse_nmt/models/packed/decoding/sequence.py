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

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.attention.kv_cache import KeyValueCache, MemoryKeyValues, own_hypotheses
from discourse_nmt.models.core.beam_search import Hypothesis, begin_with, forbid_specials, only, search
from discourse_nmt.models.core.shortlist import Shortlist
from discourse_nmt.models.packed.decoding.encoded import (
    EncodedInstances,
    KeptPlans,
    encode_instances,
    on_device_of,
    tokens_of,
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
    """A cache whose positions belong to several sentences, which attend to others as ``related`` says, by numbers."""

    def __init__(self, related: Tensor) -> None:
        super().__init__(drops=True)
        self.related = related
        self.sentence = torch.empty(0)
        """[B, r] the sentence of each hypothesis, set before its next position begins."""
        self.sentence_of_position = torch.empty(0)
        """[B, K]."""

    def _allowed(self, columns: Tensor) -> Tensor:
        """See :class:`.KeyValueCache`."""
        if self.length == 0:
            self.sentence_of_position = self.sentence[:, :0]
        missing = self.ancestors.shape[3] - self.sentence_of_position.shape[1]
        self.sentence_of_position = F.pad(self.sentence_of_position, (0, missing)).scatter_(1, columns, self.sentence)
        return self.ancestors & related_tokens(self.related, self.sentence, self.sentence_of_position)

    def _drop_dead(self) -> Tensor:
        """See :class:`.KeyValueCache`."""
        kept = super()._drop_dead()
        self.sentence_of_position = self.sentence_of_position.gather(1, kept)
        return kept

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`.KeyValueCache`."""
        super().select(sentences, parents)
        if sentences is not None:
            self.sentence_of_position = self.sentence_of_position[sentences]


class SequenceSteps:
    """:class:`.Steps` of instances of ``counts`` [B] sentences.

    ``<s>`` as an extension stands for ``</s> <s>``: it ends a sentence that is not the last of its instance.
    """

    def __init__(
        self,
        model: PackedTransformer,
        encoded: EncodedInstances,
        counts: np.ndarray,
        shortlist: Shortlist | None = None,
    ) -> None:
        memory = encoded.memory
        self.model = model
        self.shortlist = shortlist
        self.memory = memory
        self.running = model.settings.target_positions == "running" and not model.settings.position_reset
        self.firsts, self.limits = on_device_of(memory, encoded.firsts), on_device_of(memory, encoded.limits)
        self.across = {relation: on_device_of(memory, related) for relation, related in encoded.across.items()}
        lasts = np.cumsum(counts) - 1
        self.last = on_device_of(memory, lasts)[:, None]
        """[B, 1] the last sentence of each instance."""
        self.sentence = on_device_of(memory, lasts - counts)[:, None]  # before the first one begins
        """[B, r] the sentence that each hypothesis is in."""
        self.offset = torch.zeros_like(self.sentence)
        """[B, r] its offset in the slot."""
        self.position = torch.full_like(self.sentence, -1)
        """[B, r] its position."""
        source, real = tokens_of(encoded.same_instance[lasts], encoded.starts, encoded.counts)
        sentence_of_token = np.repeat(np.arange(len(encoded.counts)), encoded.counts)
        source_index = on_device_of(memory, source)
        self.sentence_of_source = on_device_of(memory, sentence_of_token[source])
        self.real = on_device_of(memory, real)
        memory_keys_values: dict[Relation, MemoryKeyValues] = {
            relation: MemoryKeyValues(self.real, source_index, encoded.projected) for relation in self.across
        }
        self.caches = {
            relation: InstanceKeyValueCache(on_device_of(memory, related))
            for relation, related in encoded.target.items()
        }
        self.plans = KeptPlans({**self.caches}, memory_keys_values)

    def logits(self, tokens: Tensor) -> Tensor:
        """See :class:`.Steps`."""
        newest = tokens.view(len(self.last), -1)  # (B, r)
        self._advance(newest == BEGIN)
        own = own_hypotheses(len(newest), newest.shape[1], tokens.device)
        for cache in self.caches.values():
            cache.sentence = self.sentence
            cache.begin_position(own)
        for relation, keys_values in self.plans.across.items():
            related = related_tokens(self.across[relation], self.sentence, self.sentence_of_source)
            keys_values.visible = related & self.real[:, None, None]
        text = PackedText(tokens[:, None], self.position.flatten()[:, None])
        states = self.model.decode_packed(text, self.memory, self.plans)[:, 0]
        if self.shortlist is None:
            return self.model.logits(states)
        return self.shortlist.logits(states, self.sentence.flatten())

    def restrict(self, log_probabilities: Tensor, lengths: Integers, limits: Integers) -> None:
        """See :data:`.Restriction`; the frame."""
        inner = self.sentence < self.last
        language = self.model.language_symbol
        empty = self.offset <= (0 if language is None else (self.limits[self.sentence] - 1).clamp(max=1))
        ending = log_probabilities[..., END].masked_fill(empty, -math.inf)  # [B, r]
        forbid_specials(log_probabilities)
        log_probabilities[..., BEGIN] = ending.masked_fill(~inner, -math.inf)
        log_probabilities[..., END] = ending.masked_fill(inner, -math.inf)
        full = self.offset >= self.limits[self.sentence]
        only(BEGIN, log_probabilities, full & inner)
        only(END, log_probabilities, full & ~inner)
        if language is not None:
            begin_with(language, log_probabilities, self.offset == 0)

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`.Steps`; the rows are instances."""
        for cache in self.caches.values():
            cache.select(sentences, parents)
        if sentences is not None:
            for keys_values in self.plans.across.values():
                keys_values.select(sentences)
            self.last, self.real = self.last[sentences], self.real[sentences]
            self.sentence_of_source = self.sentence_of_source[sentences]
        rows = slice(None) if sentences is None else sentences
        self.sentence = self.sentence[rows].gather(1, parents)
        self.offset = self.offset[rows].gather(1, parents)
        self.position = self.position[rows].gather(1, parents)

    def _advance(self, begins: Tensor) -> None:
        """Advance each hypothesis to its newest token, where ``begins`` [B, r] is true at ``<s>``."""
        self.sentence = self.sentence + begins.long()
        self.offset = torch.where(begins, 0, self.offset + 1)
        following = (self.position + 1).expand_as(begins)
        self.position = following if self.running else torch.where(begins, self.firsts[self.sentence], following)


def related_tokens(related: Tensor, own: Tensor, sentences: Tensor) -> Tensor:
    """Where hypotheses in sentences ``own`` [B, r] may look among tokens of ``sentences`` [B, K]: [B, 1, r, K]."""
    return related[own[:, :, None], sentences[:, None]][:, None]
