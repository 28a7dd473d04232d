"""Training of systems that translate sentence by sentence with context from the whole document.

In training a document that is larger than a batch is cut, so that memory is bounded; translation reads it whole. With
``carried_sentences`` the sentences before a part are encoded again, without a gradient, to fill a cache: nothing has to
be kept from one batch to the next, so that parts may come in any order.
"""

from dataclasses import dataclass

import numpy as np
import torch

from discourse_nmt.base.spans import ranges
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.paragraphs import Movable
from discourse_nmt.training.data.collation import Batch, pad
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units
from discourse_nmt.training.structures.opening import Structures
from discourse_nmt.training.tasks.paragraphs import ParagraphTask


@dataclass(frozen=True)
class DocumentTask(ParagraphTask):
    """Documents, or parts of them, whose sentences are padded rows; see :class:`.Task`."""

    unit: str = "document"

    def structure(self, units: Units, chosen: np.ndarray, text: Batch) -> Movable | None:
        """See :class:`.ParagraphTask`; with the sentences that are carried into each part of a document."""
        most = self.network.carried_sentences
        starts, stops = units.starts[chosen], units.stops[chosen]
        first_of_document = self.dataset.documents[self.dataset.document_of(starts)]
        begins = np.maximum(first_of_document, starts - most)
        carried = ranges(begins, starts)
        if self.structures is None or not len(carried):
            return super().structure(units, chosen, text)
        words = [self.structures[begin:stop] for begin, stop in zip(begins.tolist(), stops.tolist())]
        carried_ids = torch.from_numpy(pad(self.dataset.source, carried))
        return self.network.arrange_parts(words, text.source_ids, carried_ids, (starts - begins).tolist())


def task(network: ContextTransformer, dataset: ParallelDataset, structures: Structures[object] | None) -> DocumentTask:
    """The task of a network that reads documents."""
    return DocumentTask(network, dataset, structures)
