"""The theme–rheme labeller: the label of each word, and the score of how much it is a topical theme.

A bidirectional LSTM reads the states of a frozen encoder and has two heads (spec 05, section 3):

    o_t = [LSTM→(h)_t ; LSTM←(h)_t]
    p_t = softmax(o_t W_p + b_p)       one probability per label
    s_t = σ(W_l o_t)                   the score

    loss = mean of -log p_t[label of t]  +  mean of (y_t - s_t)²,    y_t = 1 where the label is the designated one

The first part is the cross-entropy that the paper names; the printed formula is infinite if each word has one label.
Both are means over the labelled positions of a batch: all but padding, ``<s>`` and ``</s>``.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.theme_cache.bidirectional_lstm import BidirectionalLstm

UNLABELLED = -100
"""Stands for "no label": padding and the marks of a sentence."""


class ThemeLabeller(nn.Module):
    """``labels`` classes and a score of each position (spec 05, equations 3 and 4), from states [..., ``width``].

    ``direction_width`` is the LSTM's width in each direction; ``dropout`` acts on what each of its ``layers`` returns.
    """

    def __init__(
        self, width: int, labels: int, direction_width: int = 256, layers: int = 2, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.lstm = BidirectionalLstm(width, direction_width, layers, dropout)
        self.label_head = nn.Linear(2 * direction_width, labels)
        self.score_head = nn.Linear(2 * direction_width, 1, bias=False)

    def forward(self, states: Tensor, padding: Tensor) -> tuple[Tensor, Tensor]:
        """Logits [B, I, K] of the labels and scores [B, I] in (0, 1) of ``states`` [B, I, d], its marks included.

        ``padding`` [B, I] is true at padding, which is ignored; results there are 0.
        """
        read = self.lstm(states, (~padding).sum(dim=1))
        logits = self.label_head(read).masked_fill(padding[..., None], 0.0)
        scores = torch.sigmoid(self.score_head(read).squeeze(-1)).masked_fill(padding, 0.0)
        return logits, scores


def labelling_loss(logits: Tensor, scores: Tensor, labels: Tensor, designated: int) -> Tensor:
    """The sum of both losses (spec 05, equations 5 to 7), of ``logits`` [B, I, K], ``scores`` and ``labels`` [B, I].

    ``designated`` is the label whose words get high scores. The loss is 0 if nothing is labelled.
    """
    labelled = labels != UNLABELLED
    if not labelled.any():
        return logits.sum() * 0
    wanted = (labels[labelled] == designated).to(scores.dtype)
    return F.cross_entropy(logits[labelled], labels[labelled]) + F.mse_loss(scores[labelled], wanted)
