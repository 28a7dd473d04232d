"""The encoded sources of a batch of instances, for the decoders of packed systems."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.models.attention.kv_cache import KeyValueCache, MemoryKeyValues, Projecting
from discourse_nmt.models.core.beam_search import longest
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import AnyInstance
from discourse_nmt.models.packed.packing import Plans, source_layout, source_plans, source_text
from discourse_nmt.models.packed.relations import Relation, sentence_relation
from discourse_nmt.models.switches.decoding import DecodingSettings


@dataclass(frozen=True)
class KeptPlans:
    """For each relation the keys and values of the target and of the source."""

    target: dict[Relation, KeyValueCache]
    across: dict[Relation, MemoryKeyValues]


@dataclass(frozen=True)
class EncodedInstances:
    """Encoder states of the sentences of a batch, which are numbered over the batch."""

    memory: Tensor
    """[1, S, d]."""
    starts: Integers
    """[sentences] the index of the first token of each source sentence in ``memory``."""
    counts: Integers
    """[sentences] the number of its tokens."""
    firsts: Integers
    """[sentences] the position of its first token."""
    limits: Integers
    """[sentences] its longest translation, in subwords."""
    target: dict[Relation, Booleans]
    """Which sentence of the target attends to which, [sentences, sentences]."""
    across: dict[Relation, Booleans]
    """Which sentence of the target attends to which of the source, [sentences, sentences]."""
    same_instance: Booleans
    """Which sentences are in the same instance, [sentences, sentences]."""
    projected: dict[Projecting, Tensor] = field(default_factory=dict)
    """Keys and values of the whole memory."""

    def memory_keys_values(self, sentences: Integers) -> dict[Relation, MemoryKeyValues]:
        """The keys and values of the source for r hypotheses in each row, in the ``sentences`` [B, r] of the target."""
        return {relation: self.sources(related[sentences]) for relation, related in self.across.items()}

    def sources(self, related: Booleans) -> MemoryKeyValues:
        """The keys and values of the sentences that are ``related`` [B, r, sentences] to the r hypotheses of a row."""
        tokens, real = tokens_of(np.logical_or.reduce(related, axis=1), self.starts, self.counts)
        sentence_of_token = np.repeat(np.arange(len(self.counts)), self.counts)
        visible = real[:, None] & np.take_along_axis(related, sentence_of_token[tokens][:, None], axis=2)
        mask, index = on_device_of(self.memory, visible)[:, None], on_device_of(self.memory, tokens)
        return MemoryKeyValues(mask, index, self.projected)


def encode_instances(
    model: PackedTransformer, instances: Sequence[AnyInstance], settings: DecodingSettings
) -> EncodedInstances:
    """Run the encoder over ``instances``, on the model's device."""

    def matrix(relation: Relation) -> Booleans:
        return sentence_relation(instances, relation, model.target_tree).matrix

    device = next(model.parameters()).device
    marks = model.source_marks
    layout = source_layout(instances, model.settings.position_reset, marks)
    plans = Plans(source_plans(instances, layout, model.relations, marks), {}, {}).to(device)
    memory = model.encode_packed(source_text(instances, layout, marks).to(device), plans)
    lengths = np.array([len(ids) for instance in instances for ids in instance.source], np.int64)
    return EncodedInstances(
        memory=memory,
        starts=np.cumsum(lengths + marks) - lengths - marks,
        counts=lengths + marks,
        firsts=layout.firsts,
        limits=longest(torch.from_numpy(lengths), settings).numpy(),
        target={relation: matrix(relation) for relation in model.target_relations},
        across={relation: matrix(relation) for relation in model.source_relations},
        same_instance=matrix("instance"),
    )


def tokens_of(sentences: Booleans, starts: Integers, counts: Integers) -> tuple[Integers, Booleans]:
    """The indices of the tokens of the ``sentences`` [B, sentences] of each row, in order: [B, K], padded.

    The tokens of sentence i are ``starts[i] … starts[i] + counts[i] - 1``. The second result is false at padding.
    """
    rows, chosen = np.nonzero(sentences)
    lengths = counts[chosen]
    totals = np.bincount(rows, lengths, minlength=len(sentences)).astype(np.int64)
    real = np.arange(totals.max(initial=0)) < totals[:, None]
    tokens = np.zeros(real.shape, np.int64)
    begins = np.cumsum(lengths) - lengths
    tokens[real] = np.arange(lengths.sum()) + np.repeat(starts[chosen] - begins, lengths)
    return tokens, real


def on_device_of(like: Tensor, array: npt.NDArray[np.generic]) -> Tensor:
    """The ``array`` as a tensor on the device of ``like``."""
    return torch.from_numpy(array).to(like.device)
