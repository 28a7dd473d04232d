"""Labels of words from their characters: convolution, bidirectional LSTM and conditional random field.

The sequence labeller of Ma and Hovy (2016, ACL, "End-to-end sequence labeling via bi-directional LSTM-CNNs-CRF"), with
which the labeller on an encoder is compared. A word is the largest response of each filter to windows of its
characters, beside an embedding of the word. Deviations: word embeddings are learnt, sizes are those of the labeller.

The conditional random field is Stanza's, without scores for the first and the last label of a sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from stanza.models.common.crf import CRFLoss, viterbi_decode
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.theme_cache.bidirectional_lstm import BidirectionalLstm

NOTHING, UNKNOWN = 0, 1
"""Numbers of padding and of characters and words that the training sentences lack."""


@dataclass(frozen=True)
class Symbols:
    """The characters and the words that have embeddings of their own, numbered from 2."""

    characters: tuple[str, ...]
    words: tuple[str, ...]


def symbols_of(sentences: Sequence[Sequence[str]]) -> Symbols:
    """All characters of the ``sentences`` and the words that occur twice; so unknown words are learnt, too."""
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in sentence:
            counts[word] = counts.get(word, 0) + 1
    characters = {character for word in counts for character in word}
    return Symbols(tuple(sorted(characters)), tuple(sorted(word for word, count in counts.items() if count > 1)))


class CharacterTagger(nn.Module):
    """``labels`` classes of the words of sentences; words are read by ``symbols``."""

    def __init__(self, settings: LabellerSettings, symbols: Symbols, labels: int) -> None:
        super().__init__()
        self.numbers = {character: number for number, character in enumerate(symbols.characters, start=2)}
        self.word_numbers = {word: number for number, word in enumerate(symbols.words, start=2)}
        self.characters = nn.Embedding(len(self.numbers) + 2, settings.character_width, padding_idx=NOTHING)
        self.words = nn.Embedding(len(self.word_numbers) + 2, settings.word_width) if settings.word_width else None
        self.convolution = nn.Conv1d(
            settings.character_width, settings.filters, settings.window, padding=settings.window // 2
        )
        width = settings.filters + settings.word_width
        self.lstm = BidirectionalLstm(width, settings.direction_width, settings.layers, settings.dropout)
        self.dropout = nn.Dropout(settings.dropout)
        self.head = nn.Linear(2 * settings.direction_width, labels)
        self.field = CRFLoss(labels, batch_average=False)

    def forward(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """Scores [B, I, K] of the labels of each word by itself; 0 beyond the end of a sentence."""
        device = self.head.weight.device
        words = [word for sentence in sentences for word in sentence]
        states = self.dropout(self.of_words(words))
        counts = [len(sentence) for sentence in sentences]
        lengths = torch.tensor(counts, device=device)
        read = self.lstm(pad_sequence(list(states.split(counts)), batch_first=True), lengths)
        outside = torch.arange(max(counts), device=device) >= lengths[:, None]
        scores: Tensor = self.head(read).masked_fill(outside[..., None], 0.0)
        return scores

    def of_words(self, words: Sequence[str]) -> Tensor:
        """A vector [n, filters + word_width] for each word, which must have a character."""
        device = self.head.weight.device
        distinct = {word: place for place, word in enumerate(dict.fromkeys(words))}
        spelt = [torch.tensor([self.numbers.get(character, UNKNOWN) for character in word]) for word in distinct]
        ids = pad_sequence(spelt, batch_first=True).to(device)
        responses = self.convolution(self.characters(ids).transpose(1, 2))
        parts = responses.masked_fill((ids == NOTHING)[:, None], -torch.inf).amax(dim=2)
        if self.words is not None:
            known = torch.tensor([self.word_numbers.get(word, UNKNOWN) for word in distinct], device=device)
            parts = torch.cat((parts, self.words(known)), dim=1)
        return parts[torch.tensor([distinct[word] for word in words], device=device)]

    def loss(self, sentences: Sequence[Sequence[str]], labels: Sequence[Sequence[int]]) -> Tensor:
        """Negative log-probability of the ``labels`` of all words together, divided by the number of words."""
        scores = self(sentences)
        wanted = pad_sequence([torch.tensor(row) for row in labels], batch_first=True, padding_value=-1)
        wanted = wanted.to(scores.device)
        loss: Tensor = self.field(scores, wanted < 0, wanted.clamp(min=0))[0]
        return loss

    @torch.no_grad()
    def label(self, sentences: Sequence[Sequence[str]]) -> list[list[int]]:
        """The most probable labels of each sentence."""
        scores = self(sentences).cpu().numpy()
        (transitions,) = (parameter.cpu().numpy() for parameter in self.field.parameters())
        found = (viterbi_decode(row[: len(sentence)], transitions)[0] for row, sentence in zip(scores, sentences))
        return [np.asarray(labels).tolist() for labels in found]
