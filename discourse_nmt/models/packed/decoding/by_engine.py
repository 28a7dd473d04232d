"""Translation of packed systems by an engine: each sentence by itself, or after those before it.

Where every token attends to its whole instance and positions run over it, on both sides, a packed system is a plain
Transformer, for which an instance is one long sentence with marks within. Its search in waves is then the search of an
engine that is given the whole source, and the translations of the earlier sentences to go on from.
"""

from collections.abc import Generator, Iterator, Sequence
from itertools import islice

import numpy as np
import torch

from discourse_nmt.models.core.beam_search import Hypothesis, longest
from discourse_nmt.models.core.inference import Ids, decoding_batches, n_best, translate_batches
from discourse_nmt.models.core.transformer import Engine
from discourse_nmt.models.packed.decoding.waves import decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import AnyInstance, SourceInstance
from discourse_nmt.models.switches.decoding import DecodingSettings


def translate_alone(
    model: PackedTransformer, instances: Sequence[AnyInstance], settings: DecodingSettings
) -> Iterator[tuple[int, list[list[Hypothesis]]]]:
    """:func:`.translate_instances` of a model that reads every sentence by itself, with its engine."""

    def search(sources: Sequence[Ids]) -> list[list[Hypothesis]]:
        alone = [SourceInstance([np.asarray(ids)], (), np.empty(0, np.int64), tree=False) for ids in sources]
        return [sentence for (sentence,) in decode_in_waves(model, alone, settings)]

    sentences = [ids.tolist() for instance in instances for ids in instance.source]
    translations = dict(translate_batches(model, sentences, settings, search))
    in_order = (translations[index] for index in range(len(sentences)))
    for index, instance in enumerate(instances):
        yield index, list(islice(in_order, len(instance.source)))


def translate_in_turn(
    model: PackedTransformer, engine: Engine, instances: Sequence[AnyInstance], settings: DecodingSettings
) -> Generator[tuple[int, list[list[Hypothesis]]], None, list[int]]:
    """Yield the index of each instance and the n-best translations of each of its sentences, all by the ``engine``.

    Returns the indices of the instances with a sentence that it leaves.
    """
    left: list[int] = []
    sources = [joined(instance, model.source_separators) for instance in instances]
    for batch in decoding_batches(model, [len(ids) + 2 for ids in sources], settings):
        limits = {
            index: longest(torch.tensor([len(ids) for ids in instances[index].source]), settings).tolist()
            for index in batch
        }
        found: dict[int, list[list[Hypothesis]]] = {index: [] for index in batch}
        searched = batch
        while searched:
            results = engine.search(
                [sources[index] for index in searched],
                [limits[index][len(found[index])] for index in searched],
                settings,
                [[best.ids for best, *_ in found[index]] for index in searched],
            )
            for index, ended in zip(searched, results):
                if ended is None:
                    left.append(index)
                    del found[index]
                else:
                    found[index].append(n_best(ended, settings))
            searched = [index for index in found if len(found[index]) < len(limits[index])]
        yield from found.items()
    return left


def joined(instance: AnyInstance, separators: Sequence[int]) -> list[int]:
    """The source of an instance as one sentence, without the marks around it."""
    first, *others = instance.source
    return [*first.tolist(), *(symbol for ids in others for symbol in (*separators, *ids.tolist()))]
