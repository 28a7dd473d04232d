"""The losses of multi-task learning besides that of translation (specification 04, section 7)."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED


@dataclass(frozen=True)
class AnalysisLosses:
    """Sums in nats over a batch, and over how many things: words, and units of known head."""

    segmentation: Tensor
    heads: Tensor
    relations: Tensor
    words: Tensor
    units: Tensor

    def joint(self, lambda1: float, lambda2: float, per: int | None = None) -> Tensor:
        """What equation 19 adds to the loss of translation.

        With ``per``, the number of target tokens of the batch, each part is a mean times that, so that all that is left
        to do is to divide the whole by it.
        """
        segmentation, parsing = lambda1 * self.segmentation, lambda2 * (self.heads + self.relations)
        if per is None:
            return segmentation + parsing
        return per * (segmentation / self.words.clamp(min=1) + parsing / self.units.clamp(min=1))


def segmentation_loss(boundaries: Tensor, cuts: Tensor, words: Tensor) -> Tensor:
    """Equation 15, of the logits ``boundaries`` and the gold ``cuts`` (any shape) of the ``words``, bool likewise."""
    logits = boundaries[words]
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return F.binary_cross_entropy_with_logits(logits, cuts[words].to(logits.dtype), reduction="sum")


def class_loss(scores: Tensor, gold: Tensor) -> Tensor:
    """Equations 16 and 18: of ``scores`` [..., C] before the softmax and ``gold`` [...], left out where UNANNOTATED."""
    known = gold != UNANNOTATED
    scores = scores[known]
    return F.cross_entropy(scores.to(torch.promote_types(scores.dtype, torch.float32)), gold[known], reduction="sum")
