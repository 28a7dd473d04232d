"""The losses of multi-task learning besides that of translation (spec 04, section 7)."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED


@dataclass(frozen=True)
class AnalysisLosses:
    """Sums in nats over a batch, and the numbers of summands: words, and units of known head."""

    segmentation: Tensor
    heads: Tensor
    relations: Tensor
    words: Tensor
    units: Tensor

    def joint(self, lambda1: float, lambda2: float, per: int | None = None) -> Tensor:
        """The terms added to the loss of translation (spec 04, equation 19).

        With ``per``, the number of target tokens of the batch, each term is a mean times that number, so that the
        training loop may divide the sum of all losses by it.
        """
        segmentation, parsing = lambda1 * self.segmentation, lambda2 * (self.heads + self.relations)
        if per is None:
            return segmentation + parsing
        return per * (segmentation / self.words.clamp(min=1) + parsing / self.units.clamp(min=1))


def segmentation_loss(boundaries: Tensor, cuts: Tensor, words: Tensor) -> Tensor:
    """Loss of the logits ``boundaries`` at ``words``, with gold ``cuts``, all of one shape (spec 04, equation 15)."""
    logits = boundaries[words]
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return F.binary_cross_entropy_with_logits(logits, cuts[words].to(logits.dtype), reduction="sum")


def class_loss(scores: Tensor, gold: Tensor) -> Tensor:
    """Loss of logits ``scores`` [..., C] (spec 04, equations 16 and 18), except where ``gold`` is UNANNOTATED."""
    known = gold != UNANNOTATED
    scores = scores[known]
    return F.cross_entropy(scores.to(torch.promote_types(scores.dtype, torch.float32)), gold[known], reduction="sum")
