"""What the two kinds of labellers have in common for training: labelled sentences in, a loss or labels out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from discourse_nmt.models.core.inference import padded
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.theme_cache.character_tagger import CharacterTagger
from discourse_nmt.models.theme_cache.labeller import UNLABELLED, ThemeLabeller, labelling_loss

KEPT_BYTES = 2 << 30


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence whose words have labels; ``ids`` are its subwords, ``of_word`` the word of each of them."""

    words: tuple[str, ...]
    labels: tuple[int, ...]
    ids: tuple[int, ...]
    of_word: tuple[int, ...]


@dataclass(frozen=True)
class Labelled:
    """What a labeller says of a sentence: a label and, where it has a score head, a score for each word."""

    labels: tuple[int, ...]
    scores: tuple[float, ...] | None


class Tagger(Protocol):
    """A network that labels words."""

    @property
    def network(self) -> nn.Module:
        """What is trained."""
        ...

    def loss(self, sentences: Sequence[Sentence]) -> Tensor:
        """The mean over all labelled positions, to be minimised."""
        ...

    def positions(self, sentence: Sentence) -> int:
        """How many positions of the sentence count in the loss."""
        ...

    def label(self, sentences: Sequence[Sentence]) -> list[Labelled]:
        """Labels of each sentence; the network is in evaluation mode."""
        ...


class EncoderTagger:
    """The theme–rheme labeller on the states of a frozen encoder.

    All subwords of a word are learnt with its label. A word has the label of its first subword and the highest score of
    its subwords; a word without subwords is read from the one that follows. States are computed once and kept while
    they fit into :data:`KEPT_BYTES`, and computed again where they do not.
    """

    def __init__(self, encoder: Transformer, network: ThemeLabeller, designated: int) -> None:
        self.encoder, self.network, self.designated = encoder.eval(), network, designated
        self.kept: dict[Sentence, Tensor] = {}
        self.room = KEPT_BYTES

    def loss(self, sentences: Sequence[Sentence]) -> Tensor:
        """See :class:`Tagger`."""
        rows = [
            torch.tensor([UNLABELLED, *(one.labels[word] for word in one.of_word), UNLABELLED]) for one in sentences
        ]
        states, padding = self.states(sentences)
        labels = pad_sequence(rows, batch_first=True, padding_value=UNLABELLED).to(states.device)
        logits, scores = self.network(states, padding)
        return labelling_loss(logits, scores, labels, self.designated)

    def positions(self, sentence: Sentence) -> int:
        """Subwords."""
        return len(sentence.ids)

    @torch.no_grad()
    def label(self, sentences: Sequence[Sentence]) -> list[Labelled]:
        """See :class:`Tagger`."""
        logits, scores = self.network(*self.states(sentences))
        found = []
        for one, labels, row in zip(sentences, logits.argmax(dim=2).cpu().numpy(), scores.cpu().numpy()):
            inside = slice(1, len(one.ids) + 1)
            firsts = np.searchsorted(one.of_word, np.arange(len(one.words))).clip(max=len(one.ids) - 1)
            best = row[inside][firsts]
            np.maximum.at(best, np.asarray(one.of_word), row[inside])
            found.append(Labelled(tuple(labels[inside][firsts].tolist()), tuple(best.tolist())))
        return found

    @torch.no_grad()
    def states(self, sentences: Sequence[Sentence]) -> tuple[Tensor, Tensor]:
        """The encoder's states [B, I, d] of ``<s> … </s>`` and where there is padding, [B, I] bool."""
        missing = [one for one in sentences if one not in self.kept]
        computed: dict[Sentence, Tensor] = {}
        if missing:
            ids = padded([one.ids for one in missing], self.encoder)
            for one, row in zip(missing, self.encoder.encode(ids).states):
                computed[one] = row[: len(one.ids) + 2].clone()
        for one, row in computed.items():
            self.room -= row.nbytes
            if self.room >= 0:
                self.kept[one] = row
        rows = [computed[one] if one in computed else self.kept[one] for one in sentences]
        lengths = torch.tensor([len(row) for row in rows], device=rows[0].device)
        states = pad_sequence(rows, batch_first=True)
        return states, torch.arange(states.shape[1], device=states.device) >= lengths[:, None]


class WordTagger:
    """The baseline, which reads words and their characters."""

    def __init__(self, network: CharacterTagger) -> None:
        self.network = network

    def loss(self, sentences: Sequence[Sentence]) -> Tensor:
        """See :class:`Tagger`."""
        return self.network.loss([one.words for one in sentences], [one.labels for one in sentences])

    def positions(self, sentence: Sentence) -> int:
        """Words."""
        return len(sentence.words)

    def label(self, sentences: Sequence[Sentence]) -> list[Labelled]:
        """See :class:`Tagger`."""
        found = self.network.label([one.words for one in sentences])
        return [Labelled(tuple(labels), None) for labels in found]
