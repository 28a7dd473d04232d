"""The sources of a batch of instances as the decoders of packed systems read them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from discourse_nmt.corpus.arrays import Booleans, Integers
from discourse_nmt.models.core.beam_search import longest
from discourse_nmt.models.core.kv_cache import KeysValues, KeyValueCache, MemoryKeyValues
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import AnyInstance
from discourse_nmt.models.packed.packing import Plans, source_layout, source_plans, source_text
from discourse_nmt.models.packed.relations import Relation, sentence_relation
from discourse_nmt.models.switches.decoding import DecodingSettings


@dataclass(frozen=True)
class KeptPlans:
    """For each relation what decoding keeps of the target and of the source."""

    target: dict[Relation, KeyValueCache]
    across: dict[Relation, MemoryKeyValues]


@dataclass(frozen=True)
class EncodedInstances:
    """Encoder states of the sentences of a batch, which are numbered over the batch."""

    memory: Tensor
    """[1, S, d]."""
    starts: Integers
    """[sentences] the place of each source sentence in ``memory``."""
    counts: Integers
    """[sentences] its tokens."""
    firsts: Integers
    """[sentences] the position of its first token."""
    limits: Integers
    """[sentences] its longest translation, in subwords."""
    target: dict[Relation, Booleans]
    """Which sentence of the target sees which, [sentences, sentences]."""
    across: dict[Relation, Booleans]
    """Which sentence of the target sees which of the source, [sentences, sentences]."""
    same_instance: Booleans
    """[sentences, sentences]."""
    projected: dict[nn.Module, KeysValues] = field(default_factory=dict)
    """Keys and values of the whole memory."""

    def memory_keys_values(self, sentences: Integers) -> dict[Relation, MemoryKeyValues]:
        """What each of the ``sentences`` [B] of the target reads of the source."""
        memory_keys_values = {}
        for relation, adjacent in self.across.items():
            places, visible = gathered(adjacent[sentences], self.starts, self.counts)
            mask = located(visible, self.memory)[:, None, None]
            memory_keys_values[relation] = MemoryKeyValues(mask, located(places, self.memory), self.projected)
        return memory_keys_values


def encode_instances(
    model: PackedTransformer, instances: Sequence[AnyInstance], settings: DecodingSettings
) -> EncodedInstances:
    """Run the encoder over ``instances``, on the model's device."""

    def matrix(relation: Relation) -> Booleans:
        return sentence_relation(instances, relation, model.target_tree).matrix

    device = next(model.parameters()).device
    layout = source_layout(instances, model.settings.position_reset)
    plans = Plans(source_plans(instances, layout, model.relations), {}, {}).to(device)
    memory = model.encode_packed(source_text(instances, layout).to(device), plans)
    lengths = np.array([len(ids) for instance in instances for ids in instance.source], np.int64)
    return EncodedInstances(
        memory=memory,
        starts=np.cumsum(lengths + 2) - lengths - 2,
        counts=lengths + 2,
        firsts=layout.firsts,
        limits=longest(torch.from_numpy(lengths), settings).numpy(),
        target={relation: matrix(relation) for relation in model.target_relations},
        across={relation: matrix(relation) for relation in model.source_relations},
        same_instance=matrix("instance"),
    )


def gathered(chosen: Booleans, starts: Integers, counts: Integers) -> tuple[Integers, Booleans]:
    """Places of the tokens of the sentences ``chosen`` [B, sentences] for each row, in order: [B, K], padded.

    The tokens of sentence i are ``starts[i] … starts[i] + counts[i] - 1``. Also returns where they are not padding.
    """
    rows, sentences = np.nonzero(chosen)
    lengths = counts[sentences]
    totals = np.bincount(rows, lengths, minlength=len(chosen)).astype(np.int64)
    real = np.arange(totals.max(initial=0)) < totals[:, None]
    places = np.zeros(real.shape, np.int64)
    begins = np.cumsum(lengths) - lengths
    places[real] = np.arange(lengths.sum()) + np.repeat(starts[sentences] - begins, lengths)
    return places, real


def located(numbers: npt.NDArray[np.generic], like: Tensor) -> Tensor:
    """``numbers`` as a tensor on the device of ``like``."""
    return torch.from_numpy(numbers).to(like.device)
