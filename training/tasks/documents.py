"""Training of systems that translate sentence by sentence with context from the whole document.

In training a document that is larger than a batch is cut, so that memory is bounded; translation reads it whole.
"""

from typing import cast

from torch import nn

from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.structures.opening import Structures
from discourse_nmt.training.tasks.paragraphs import ParagraphTask


def task(network: nn.Module, dataset: ParallelDataset, structures: Structures[object] | None) -> ParagraphTask:
    """The task of a network with context."""
    return ParagraphTask(cast(ContextTransformer, network), dataset, structures, unit="document")
