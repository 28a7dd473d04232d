"""Decoding of packed systems in waves: a target sentence waits only for the earlier sentences that it sees.

Each target sentence is searched by itself, given the best translations of the earlier sentences of its instance that
the relations of its decoder reach; these are committed. A sentence joins the search as soon as all of them are. So the
sentences of all instances of a batch that can be translated at a time are, and the result is that of decoding from left
to right. With the tree of discourse dependencies they are many; where every sentence sees all before it, one of each
instance.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from corpus.vocabulary import BEGIN, PAD
from models.caches import Cache, KeysValues, own_hypotheses
from models.decoding import Hypothesis, search
from models.encoded_instances import Booleans, EncodedInstances, KeptPlans, encode_instances, gathered, located
from models.neighbourhood import Integers
from models.packed import PackedTransformer
from models.packing import AnyInstance, PackedText, Relation
from models.settings import DecodingSettings

Order = Callable[[Booleans], Booleans]


def decode_in_waves(
    model: PackedTransformer,
    instances: Sequence[AnyInstance],
    settings: DecodingSettings,
    order: Order | None = None,
) -> list[list[list[Hypothesis]]]:
    """The n-best translations of each sentence of each of ``instances``, best first.

    ``model`` is in evaluation mode. ``order`` may change which earlier sentences each one waits for, a matrix
    [sentences, sentences], to a larger one.
    """
    with torch.inference_mode():
        steps = WaveSteps(model, encode_instances(model, instances, settings), order)
        results = search(steps, steps.begin(), settings, supply=steps.supply)
    found = dict(zip(steps.started, results))
    borders = np.cumsum([len(instance.source) for instance in instances])[:-1]
    return [[found[number] for number in part] for part in np.split(np.arange(len(found)), borders)]


def awaited(model: PackedTransformer, encoded: EncodedInstances) -> Booleans:
    """[sentences, sentences] bool: which earlier sentences each one waits for."""
    seen = np.logical_or.reduce(list(encoded.target.values()))
    # A position that counts the tokens of all earlier translations is known when they are.
    return np.tril(seen | encoded.same_instance if running(model) else seen, -1)


def running(model: PackedTransformer) -> bool:
    """Whether target positions run over the target of an instance."""
    return model.settings.target_positions == "running" and not model.settings.position_reset


class WaveSteps:
    """:class:`~models.decoding.Steps` of the sentences that are being translated; the rows are sentences.

    What later sentences see of a translation is kept once it is done, and then those begin that waited for it.
    """

    def __init__(self, model: PackedTransformer, encoded: EncodedInstances, order: Order | None) -> None:
        self.model = model
        self.encoded = encoded
        self.memory = encoded.memory
        self.before = {relation: np.tril(adjacent, -1) for relation, adjacent in encoded.target.items()}
        self.seen = np.logical_or.reduce([before.any(axis=0) for before in self.before.values()])
        self.running = running(model)
        self.firsts = np.zeros_like(encoded.firsts) if self.running else encoded.firsts
        self.committed = Committed(encoded.limits + 1)
        self.awaited = awaited(model, encoded) if order is None else order(awaited(model, encoded))
        self.waiting = self.awaited.sum(axis=1)
        """[sentences] how many sentences each one still waits for."""
        self.started: list[int] = []
        """The sentences by their number in the search."""
        self.plans = KeptPlans({}, {})
        self.ages = located(np.zeros(0, np.int64), self.memory)
        """[B] tokens of each row so far."""
        self.positions = self.ages
        """[B] the position of each row's next token."""

    def begin(self) -> Tensor:
        """Begin the sentences that wait for none; returns their longest translations."""
        ready = np.flatnonzero(self.waiting == 0)
        self.plans = self._plans(ready)
        return self._started(ready)

    def supply(self, done: dict[int, list[Hypothesis]]) -> Tensor:
        """See :data:`~models.decoding.Supply`."""
        sentences = np.array([self.started[number] for number in done])
        self._commit(sentences, [hypotheses[0].ids for hypotheses in done.values()])
        freed = self.awaited[:, sentences].sum(axis=1)
        self.waiting = self.waiting - freed
        ready = np.flatnonzero((self.waiting == 0) & (freed > 0))
        if len(ready):
            plans, age = self._plans(ready), int(self.ages.max()) if len(self.ages) else 0
            for relation, cache in plans.target.items():
                self.plans.target[relation].admit(cache, age)
            for relation, passage in plans.across.items():
                self.plans.across[relation].admit(passage)
        return self._started(ready)

    def logits(self, tokens: Tensor) -> Tensor:
        """See :class:`~models.decoding.Steps`."""
        hypotheses = len(tokens) // len(self.positions)
        own = own_hypotheses(len(self.positions), hypotheses, tokens.device)
        for cache in self.plans.target.values():
            cache.begin_position(own)
        text = PackedText(tokens[:, None], self.positions.repeat_interleave(hypotheses)[:, None])
        self.positions, self.ages = self.positions + 1, self.ages + 1
        return self.model.logits(self.model.decode_packed(text, self.memory, self.plans)[:, 0])

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """See :class:`~models.decoding.Steps`."""
        for cache in self.plans.target.values():
            cache.select(sentences, parents)
        if sentences is not None:
            for passage in self.plans.across.values():
                passage.select(sentences)
            self.positions, self.ages = self.positions[sentences], self.ages[sentences]

    def _started(self, ready: Integers) -> Tensor:
        """Number the sentences ``ready``, whose rows there are; returns their longest translations."""
        self.started += ready.tolist()
        self.positions = torch.cat((self.positions, located(self.firsts[ready], self.memory)))
        self.ages = torch.cat((self.ages, located(np.zeros(len(ready), np.int64), self.memory)))
        return located(self.encoded.limits[ready], self.memory)

    def _plans(self, sentences: Integers, block: int | None = None) -> KeptPlans:
        """Caches and passages of ``sentences``, whose predecessors are committed."""
        caches: dict[Relation, Cache] = {}
        for relation, before in self.before.items():
            caches[relation] = self.committed.cache(relation, before[sentences], self.memory.device, block)
        return KeptPlans(caches, self.encoded.passages(sentences))

    def _commit(self, sentences: Integers, translations: list[tuple[int, ...]]) -> None:
        """Keep the keys and values of the ``translations`` of those ``sentences`` that others see."""
        lengths = np.array([len(ids) + 1 for ids in translations])
        if self.running:
            following = sentences + 1 < len(self.firsts)
            following[following] &= self.encoded.same_instance[sentences[following], sentences[following] + 1]
            self.firsts[sentences[following] + 1] = (self.firsts[sentences] + lengths)[following]
        chosen = self.seen[sentences]
        sentences, lengths = sentences[chosen], lengths[chosen]
        if not len(sentences):
            return
        width = int(lengths.max())
        ids = np.full((len(sentences), width), PAD)
        ids[:, 0] = BEGIN
        ids[:, 1:][np.arange(1, width) < lengths[:, None]] = [
            number for kept, translation in zip(chosen, translations) if kept for number in translation
        ]
        plans = self._plans(sentences, block=1)
        causal = torch.ones(width, width, dtype=torch.bool, device=self.memory.device).tril()
        for cache in plans.target.values():
            cache.begin_position(causal.expand(len(sentences), 1, -1, -1))
        positions = self.firsts[sentences][:, None] + np.arange(width)
        text = PackedText(located(ids, self.memory), located(positions, self.memory))
        self.model.decode_packed(text, self.memory, plans)
        for relation, cache in plans.target.items():
            if self.before[relation].any():  # not the own sentence alone
                self.committed.keep(relation, cache, sentences, lengths)


class Committed:
    """Keys and values of the translations so far, by relation and module; a sentence has ``room`` [sentences] rows."""

    def __init__(self, room: Integers) -> None:
        self.starts = np.cumsum(room) - room
        self.size = int(room.sum())
        self.counts = np.zeros_like(room)
        self.kept: dict[Relation, dict[nn.Module, KeysValues]] = {}

    def cache(self, relation: Relation, before: Booleans, device: torch.device, block: int | None) -> Cache:
        """A cache for sentences that see the committed ones ``before`` [B, sentences]."""
        places, visible = gathered(before, self.starts, self.counts)
        rows = torch.from_numpy(places).to(device)
        earlier = {
            module: (_chosen(keys, rows), _chosen(values, rows))
            for module, (keys, values) in self.kept.get(relation, {}).items()
        }
        return Cache(earlier, torch.from_numpy(visible).to(device), block)

    def keep(self, relation: Relation, cache: Cache, sentences: Integers, lengths: Integers) -> None:
        """Take the positions of ``sentences`` [B] from ``cache``, which holds all of them, ``lengths`` [B] each."""
        self.counts[sentences] = lengths
        own = np.arange(lengths.max()) < lengths[:, None]
        device = next(iter(cache.growing.values()))[0].device
        rows = torch.from_numpy((self.starts[sentences][:, None] + np.arange(lengths.max()))[own]).to(device)
        chosen = torch.from_numpy(own).to(device)
        kept = self.kept.setdefault(relation, {})
        for module, parts in cache.growing.items():
            if module not in kept:
                # Padding reads what was never written; hidden, it must still be a number.
                keys, values = (part.new_zeros(self.size, part.shape[1], part.shape[3]) for part in parts)
                kept[module] = keys, values
            for stored, part in zip(kept[module], parts):
                stored[rows] = part[:, :, cache.before : cache.before + own.shape[1]].transpose(1, 2)[chosen]


def _chosen(stored: Tensor, rows: Tensor) -> Tensor:
    """``stored`` [P, h, d_k] at ``rows`` [B, K]: [B, h, K, d_k]."""
    return stored.index_select(0, rows.flatten()).unflatten(0, rows.shape).transpose(1, 2)
