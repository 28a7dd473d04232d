"""Decoding of packed systems in waves: a target sentence waits only for the earlier sentences that it attends to.

Each target sentence is searched by itself, given the best translations of the earlier sentences of its instance that
its decoder attends to; these are committed. A sentence joins the search as soon as all of them are committed. So all
sentences of a batch that can be translated at the same time are, and the result is that of decoding from left to right.
With a discourse tree they are many; if every sentence attends to all sentences before it, one of each instance.

With ``target_context: references`` the translations of the earlier sentences are given: the decoder reads them all in
one pass, which commits them, and no sentence waits for another one.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.models.attention.kv_cache import KeyValueCache, Projecting, RecordedNeighbourhood, gather
from discourse_nmt.models.core.beam_search import Hypothesis, search, sentence_restriction
from discourse_nmt.models.core.shortlist import Shortlist
from discourse_nmt.models.packed.decoding.encoded import (
    EncodedInstances,
    KeptPlans,
    encode_instances,
    on_device_of,
    tokens_of,
)
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import AnyInstance, Instance
from discourse_nmt.models.packed.packing import PackedText
from discourse_nmt.models.packed.relations import Relation
from discourse_nmt.models.switches.decoding import DecodingSettings

Order = Callable[[Booleans], Booleans]


def decode_in_waves(
    model: PackedTransformer,
    instances: Sequence[AnyInstance],
    settings: DecodingSettings,
    order: Order | None = None,
    asked: Booleans | None = None,
) -> list[list[list[Hypothesis]]]:
    """The n-best translations of each sentence of each of ``instances``, best first.

    ``model`` is in evaluation mode. ``order`` may change which earlier sentences each one waits for, a matrix
    [sentences, sentences], to a larger one. With ``asked`` [sentences] those sentences alone are translated, and the
    earlier ones whose translations they read; the others have none.
    """
    with torch.inference_mode():
        shortlist = model.shortlist([ids for instance in instances for ids in instance.source])
        encoded = encode_instances(model, instances, settings)
        if settings.target_context == "references":
            given = [instance for instance in instances if isinstance(instance, Instance)]
            steps: WaveSteps = GivenSteps(model, given, encoded, shortlist, asked)
        else:
            steps = WaveSteps(model, encoded, order, shortlist, asked)
        results = search(steps, steps.begin(), settings, sentence_restriction(model), steps.supply, shortlist)
    hypotheses = dict(zip(steps.started, results))
    borders = np.cumsum([len(instance.source) for instance in instances])
    return [[hypotheses.get(index, []) for index in own] for own in np.split(np.arange(borders[-1]), borders[:-1])]


def awaited(model: PackedTransformer, encoded: EncodedInstances) -> Booleans:
    """[sentences, sentences] bool: which earlier sentences each one waits for."""
    related = np.logical_or.reduce(list(encoded.target.values()))
    # Running positions depend on the lengths of all earlier translations.
    return np.tril(related | encoded.same_instance if running(model) else related, -1)


def translated(asked: Booleans | None, awaited: Booleans) -> Booleans:
    """[sentences] bool: the sentences that are ``asked`` for (None: all), and those that one of them waits for."""
    if asked is None:
        return np.ones(len(awaited), bool)
    chosen = asked.copy()
    for sentence in reversed(range(len(awaited))):  # each waits for earlier ones alone
        if chosen[sentence]:
            chosen |= awaited[sentence]
    return chosen


def running(model: PackedTransformer) -> bool:
    """Whether target positions run over the target of an instance."""
    return model.settings.target_positions == "running" and not model.settings.position_reset


class WaveSteps:
    """:class:`.Steps` of the sentences that are being translated; the rows are sentences.

    The keys and values of a finished translation are stored, and the sentences that waited for it begin.
    """

    def __init__(
        self,
        model: PackedTransformer,
        encoded: EncodedInstances,
        order: Order | None,
        shortlist: Shortlist | None = None,
        asked: Booleans | None = None,
    ) -> None:
        self.model = model
        self.shortlist = shortlist
        self.encoded = encoded
        self.memory = encoded.memory
        self.before = {relation: np.tril(related, -1) for relation, related in encoded.target.items()}
        self.read_later = np.logical_or.reduce([before.any(axis=0) for before in self.before.values()])
        self.running = running(model)
        self.firsts = np.zeros_like(encoded.firsts) if self.running else encoded.firsts
        self.committed = Committed(encoded.limits + 1)
        self.awaited = awaited(model, encoded) if order is None else order(awaited(model, encoded))
        self.waiting = self.awaited.sum(axis=1)
        """[sentences] how many sentences each one still waits for."""
        self.translated = translated(asked, self.awaited)
        self.started: list[int] = []
        """The sentences by their number in the search."""
        self.rows = np.zeros(0, np.int64)
        """[B] the sentence of each row."""
        self.ages = np.zeros(0, np.int64)
        """[B] tokens of each row so far."""
        self.plans = KeptPlans({}, {})
        self.ready = self.rows
        """The sentences whose rows are still to be appended."""

    def begin(self) -> Tensor:
        """Begin the sentences that wait for none; returns their longest translations."""
        self.rows = np.flatnonzero((self.waiting == 0) & self.translated)
        self.ages = np.zeros_like(self.rows)
        self.plans = self._plans(self.rows)
        return self._started(self.rows)

    def supply(self, done: dict[int, list[Hypothesis]]) -> Tensor:
        """See :data:`.Supply`."""
        sentences = np.array([self.started[number] for number in done])
        self._commit(sentences, [hypotheses[0] for hypotheses in done.values()])
        freed = self.awaited[:, sentences].sum(axis=1)
        self.waiting = self.waiting - freed
        self.ready = np.flatnonzero((self.waiting == 0) & (freed > 0) & self.translated)
        return self._started(self.ready)

    def logits(self, tokens: Tensor) -> Tensor:
        """See :class:`.Steps`."""
        hypotheses = len(tokens) // len(self.rows)
        for cache in self.plans.target.values():
            cache.begin_position(len(self.rows), hypotheses, tokens.device)
        positions = np.repeat(self.firsts[self.rows] + self.ages, hypotheses)
        self.ages = self.ages + 1
        text = PackedText(tokens[:, None], on_device_of(tokens, positions)[:, None])
        states = self.model.decode_packed(text, self.memory, self.plans)[:, 0]
        if self.shortlist is None:
            return self.model.logits(states)
        return self.shortlist.logits(states, on_device_of(states, self.rows))

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`.Steps`."""
        for cache in self.plans.target.values():
            cache.select(sentences, parents)
        if sentences is None:
            return
        for keys_values in self.plans.across.values():
            keys_values.select(sentences)
        staying = sentences.cpu().numpy()
        self.rows = np.concatenate((self.rows[staying], self.ready))
        self.ages = np.concatenate((self.ages[staying], np.zeros_like(self.ready)))
        if len(self.ready):
            plans = self._plans(self.ready)
            for relation, cache in plans.target.items():
                self.plans.target[relation].admit(cache)
            for relation, keys_values in plans.across.items():
                self.plans.across[relation].admit(keys_values)
            self.ready = self.ready[:0]

    def _started(self, ready: Integers) -> Tensor:
        """Number the sentences ``ready``; returns their longest translations."""
        self.started += ready.tolist()
        return on_device_of(self.memory, self.encoded.limits[ready])

    def _plans(self, sentences: Integers) -> KeptPlans:
        """Caches and memory_keys_values of ``sentences``, whose predecessors are committed."""
        caches: dict[Relation, KeyValueCache] = {}
        for relation, before in self.before.items():
            caches[relation] = self.committed.cache(relation, before[sentences], self.memory.device)
        return KeptPlans(caches, self.encoded.memory_keys_values(sentences[:, None]))

    def _commit(self, sentences: Integers, translations: list[Hypothesis]) -> None:
        """Store the keys and values of the ``translations`` of those ``sentences`` that later ones attend to."""
        lengths = np.array([len(best.ranks) for best in translations])
        if self.running:
            following = sentences + 1 < len(self.firsts)
            following[following] &= self.encoded.same_instance[sentences[following], sentences[following] + 1]
            self.firsts[sentences[following] + 1] = (self.firsts[sentences] + lengths)[following]
        chosen = self.read_later[sentences]
        if not chosen.any():
            return
        ranks = np.array([rank for best, read in zip(translations, chosen) if read for rank in best.ranks])
        sentences, lengths = sentences[chosen], lengths[chosen]
        rows = np.argsort(self.rows)[np.searchsorted(np.sort(self.rows), sentences)]
        self.committed.begin(sentences, lengths)
        for relation, cache in self.plans.target.items():
            if self.before[relation].any():  # not the own sentence alone
                hypotheses = cache.ancestors.shape[2]
                begins = cache.ends[rows] - self.ages[rows] * hypotheses
                row_of_token = on_device_of(self.memory, np.repeat(rows, lengths))
                positions = np.repeat(begins, lengths) + counted(lengths) * hypotheses + ranks
                states = cache.read(row_of_token, on_device_of(self.memory, positions))
                self.committed.store(relation, states, sentences)


class GivenSteps(WaveSteps):
    """Steps of sentences that wait for none, as the targets of their ``instances`` are committed."""

    def __init__(
        self,
        model: PackedTransformer,
        instances: Sequence[Instance],
        encoded: EncodedInstances,
        shortlist: Shortlist | None,
        asked: Booleans | None,
    ) -> None:
        super().__init__(model, encoded, np.zeros_like, shortlist, asked)
        batch = model.pack(instances).to(self.memory.device)
        lengths = np.array([len(ids) + 1 for instance in instances for ids in instance.target])
        self.firsts = batch.target.positions[0].cpu().numpy()[np.cumsum(lengths) - lengths]
        recorded = {
            relation: RecordedNeighbourhood.of(batch.plans.target[relation])
            for relation, before in self.before.items()
            if before.any()
        }
        if recorded:  # some sentence reads an earlier one
            model.decode_packed(batch.target, self.memory, replace(batch.plans, target=batch.plans.target | recorded))
        self.committed, sentences = Committed(lengths), np.arange(len(lengths))
        self.committed.begin(sentences, lengths)
        for relation, neighbourhood in recorded.items():
            self.committed.store(relation, neighbourhood.keys_values, sentences)

    def _commit(self, sentences: Integers, translations: list[Hypothesis]) -> None:
        """Nothing reads these ``translations``."""


class Committed:
    """Keys and values of the translations so far, by relation and module.

    A sentence has ``sizes`` [sentences] rows.
    """

    def __init__(self, sizes: Integers) -> None:
        self.starts = np.cumsum(sizes) - sizes
        self.size = int(sizes.sum())
        self.counts = np.zeros_like(sizes)
        self.stored: dict[Relation, dict[Projecting, Tensor]] = {}

    def cache(self, relation: Relation, before: Booleans, device: torch.device) -> KeyValueCache:
        """A cache for sentences that attend to the committed ones ``before`` [B, sentences]."""
        tokens, visible = tokens_of(before, self.starts, self.counts)
        index = torch.from_numpy(tokens).to(device)
        earlier = {module: gather(stored, index) for module, stored in self.stored.get(relation, {}).items()}
        return KeyValueCache(earlier, torch.from_numpy(visible).to(device))

    def begin(self, sentences: Integers, lengths: Integers) -> None:
        """Note that the translations of ``sentences`` [B] have ``lengths`` [B] tokens."""
        self.counts[sentences] = lengths

    def store(self, relation: Relation, states: dict[Projecting, Tensor], sentences: Integers) -> None:
        """Store the keys and values ``states`` [n, w] of all tokens of ``sentences``, one after the other."""
        lengths = self.counts[sentences]
        index = np.repeat(self.starts[sentences], lengths) + counted(lengths)
        of_relation = self.stored.setdefault(relation, {})
        for module, new in states.items():
            if module not in of_relation:
                # Padding is read before it is written; although hidden, it must be a number.
                of_relation[module] = new.new_zeros(self.size, new.shape[1])
            of_relation[module][on_device_of(new, index)] = new


def counted(lengths: Integers) -> Integers:
    """0 … length - 1 for each of the ``lengths``."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
