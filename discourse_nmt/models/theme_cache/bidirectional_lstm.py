"""A bidirectional LSTM over rows of different lengths, shared by both kinds of labellers."""

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class BidirectionalLstm(nn.LSTM):
    """``layers`` layers of ``direction_width`` in each direction; ``dropout`` acts on what each of them returns."""

    def __init__(self, width: int, direction_width: int, layers: int, dropout: float) -> None:
        between = dropout if layers > 1 else 0.0  # torch warns where there is no layer to follow
        super().__init__(width, direction_width, layers, batch_first=True, dropout=between, bidirectional=True)
        self.last_dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, lengths: Tensor) -> Tensor:  # type: ignore[override]
        """``states`` [B, I, d], of whose rows the first ``lengths`` [B] count, to [B, I, 2 × direction_width]."""
        packed = pack_padded_sequence(
            states, lengths.clamp(min=1).cpu(), batch_first=True, enforce_sorted=False
        )  # torch refuses an empty row; the state computed for it is not used
        read, _ = pad_packed_sequence(super().forward(packed)[0], batch_first=True, total_length=states.shape[1])
        dropped: Tensor = self.last_dropout(read)
        return dropped
