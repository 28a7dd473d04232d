"""Parts of documents whose cache is filled by the sentences before them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.models.theme_cache.network import ThemeRhemeCache
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units, whole_documents
from discourse_nmt.training.tasks.documents import DocumentTask, task
from tests.unit.models.theme_cache.cache_examples import cache_network
from tests.unit.training.run.training_toy import dataset

PARTS = Units(np.array([0, 3, 7, 9, 14]), np.array([3, 7, 9, 14, 16]))  # of documents of 9 and 7 sentences


class Words:
    """Every subword is a word; words of the same symbol are of one type, every fifth symbol is a stop word."""

    def __init__(self, data: ParallelDataset) -> None:
        self.source = data.source

    def __getitem__(self, rows: slice) -> DocumentWords:
        sentences = [
            self.source.ids[self.source.offsets[row] : self.source.offsets[row + 1]] for row in range(16)[rows]
        ]
        types = np.concatenate(sentences).astype(np.int64)
        words = np.concatenate([np.arange(len(ids)) for ids in sentences])
        return DocumentWords(np.array([len(ids) for ids in sentences]), words, types, types % 5 == 0)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ParallelDataset:
    return dataset(tmp_path_factory.mktemp("data"), [9, 7], size=23)


def made(data: ParallelDataset, **switches: Any) -> DocumentTask:
    network = cache_network(dropout=0.0, cache_size=6, **switches)
    return task(network, data, Words(data))


def outputs(one: DocumentTask, units: Units, chosen: list[int]) -> list[Tensor]:
    """The logits of each sentence of the chosen units."""
    batch = one.batch(units, np.array(chosen), None)
    with torch.no_grad():
        found = one.network(batch)
    return [row[:length] for row, length in zip(found, (batch.target_output != 0).sum(1).tolist())]


@pytest.mark.parametrize("cache", ["theme_rheme", "continuous"])
@pytest.mark.parametrize("carried", [0, 2, 100])
def test_a_part_is_read_as_within_the_document(data: ParallelDataset, cache: str, carried: int) -> None:
    one = made(data, cache=cache, carried_sentences=carried, ageing="fixed")
    whole = outputs(one, whole_documents(data.documents), [0, 1])
    for chosen in ([0, 1, 2, 3, 4], [4, 2, 1]):
        found = iter(outputs(one, PARTS, chosen))
        for part in chosen:
            start, stop = int(PARTS.starts[part]), int(PARTS.stops[part])
            first = 0 if start < 9 else 9
            begin = max(first, start - carried)
            alone = Units(np.array([begin]), np.array([stop]))
            # The sentences from `begin` on, as a document of their own.
            wanted = outputs(made(data, cache=cache, ageing="fixed"), alone, [0])[start - begin :]
            for row, expected in zip(range(start, stop), wanted, strict=True):
                got = next(found)
                torch.testing.assert_close(got, expected, atol=1e-5, rtol=1e-5)
                if carried == 100:
                    torch.testing.assert_close(got, whole[row], atol=1e-5, rtol=1e-5)
        assert next(found, None) is None
    if carried == 0:
        assert not torch.allclose(outputs(one, PARTS, [1])[0], whole[3], atol=1e-3)


def test_no_gradient_reaches_a_carried_sentence(data: ParallelDataset) -> None:
    one = made(data, cache="continuous", carried_sentences=100, context_gradient=True)
    batch = one.batch(PARTS, np.array([2]), None)
    only_carried = set(data.source.ids[: data.source.offsets[7]].tolist()) - set(batch.source.ids.flatten().tolist())
    assert only_carried
    one.network(batch).square().sum().backward()
    gradient = one.network.source_embedding.weight.grad
    assert gradient is not None
    read = sorted(only_carried - set(batch.target_input.flatten().tolist()))
    assert read and not gradient[read].any()


def test_batches_carry_nothing_as_printed(data: ParallelDataset) -> None:
    one = made(data)
    structure = one.batch(PARTS, np.array([1, 2]), None).source.structure
    assert structure.carried_ids is None and len(structure.documents) == 6
    switched = replace(one, network=cache_network(carried_sentences=1))
    assert isinstance(switched.network, ThemeRhemeCache)
    structure = switched.batch(PARTS, np.array([0, 1]), None).source.structure
    assert structure.carried.tolist() == [False] * 3 + [True] + [False] * 4
