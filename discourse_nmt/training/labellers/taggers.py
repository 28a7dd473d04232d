"""The two kinds of labellers behind one interface: labelled sentences in, a loss or labels out."""

from collections.abc import Iterable, Sequence
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
class TaggerSentence:
    """A sentence whose words have labels; ``ids`` are its subwords, ``of_word`` the word of each subword."""

    words: tuple[str, ...]
    labels: tuple[int, ...]
    ids: tuple[int, ...]
    of_word: tuple[int, ...]


@dataclass(frozen=True)
class Labelled:
    """The label of each word of a sentence and, from a labeller with a score head, its score."""

    labels: tuple[int, ...]
    scores: tuple[float, ...] | None


class Tagger(Protocol):
    """A network that labels words."""

    @property
    def network(self) -> nn.Module:
        """The trained network."""
        ...

    def prepare(self, batches: Iterable[Sequence[TaggerSentence]]) -> None:
        """Compute once what every pass over some sentences reads.

        A rounded sum may depend on what else is in its batch, so these ``batches`` are the same in every run.
        """
        ...

    def loss(self, sentences: Sequence[TaggerSentence]) -> Tensor:
        """The mean loss over all labelled positions."""
        ...

    def positions(self, sentence: TaggerSentence) -> int:
        """Number of positions of the sentence that count in the loss."""
        ...

    def label(self, sentences: Sequence[TaggerSentence]) -> list[Labelled]:
        """Labels of each sentence; the network is in evaluation mode."""
        ...


class EncoderTagger:
    """The theme–rheme labeller on the states of a frozen encoder.

    In training, each subword has the label of its word. A word is given the label of its first subword and the highest
    score of its subwords; a word without subwords has those of the subword after it. States are computed once and kept
    up to :data:`KEPT_BYTES`; further ones are computed again when needed.
    """

    def __init__(self, encoder: Transformer, network: ThemeLabeller, designated: int) -> None:
        self.encoder, self.network, self.designated = encoder.eval(), network, designated
        self.kept: dict[TaggerSentence, Tensor] = {}
        self.free_bytes = KEPT_BYTES

    def prepare(self, batches: Iterable[Sequence[TaggerSentence]]) -> None:
        """See :class:`Tagger`: keeps states while there is room."""
        for batch in batches:
            if self.free_bytes <= 0:
                break
            self.states(batch)

    def loss(self, sentences: Sequence[TaggerSentence]) -> Tensor:
        """See :class:`Tagger`."""
        rows = [
            torch.tensor([UNLABELLED, *(sentence.labels[word] for word in sentence.of_word), UNLABELLED])
            for sentence in sentences
        ]
        states, padding = self.states(sentences)
        labels = pad_sequence(rows, batch_first=True, padding_value=UNLABELLED).to(states.device)
        logits, scores = self.network(states, padding)
        return labelling_loss(logits, scores, labels, self.designated)

    def positions(self, sentence: TaggerSentence) -> int:
        """Number of subwords."""
        return len(sentence.ids)

    @torch.no_grad()
    def label(self, sentences: Sequence[TaggerSentence]) -> list[Labelled]:
        """See :class:`Tagger`."""
        logits, scores = self.network(*self.states(sentences))
        labelled = []
        for sentence, labels, row in zip(sentences, logits.argmax(dim=2).cpu().numpy(), scores.cpu().numpy()):
            inside = slice(1, len(sentence.ids) + 1)
            firsts = np.searchsorted(sentence.of_word, np.arange(len(sentence.words))).clip(max=len(sentence.ids) - 1)
            best = row[inside][firsts]
            np.maximum.at(best, np.asarray(sentence.of_word), row[inside])
            labelled.append(Labelled(tuple(labels[inside][firsts].tolist()), tuple(best.tolist())))
        return labelled

    @torch.no_grad()
    def states(self, sentences: Sequence[TaggerSentence]) -> tuple[Tensor, Tensor]:
        """The encoder's states [B, I, d] of ``<s> … </s>``, and true at padding, [B, I] bool."""
        missing = [sentence for sentence in sentences if sentence not in self.kept]
        computed: dict[TaggerSentence, Tensor] = {}
        if missing:
            ids = padded([sentence.ids for sentence in missing], self.encoder)
            for sentence, row in zip(missing, self.encoder.encode_in_groups(ids).states):
                computed[sentence] = row[: len(sentence.ids) + 2].clone()
        for sentence, row in computed.items():
            self.free_bytes -= row.nbytes
            if self.free_bytes >= 0:
                self.kept[sentence] = row
        rows = [computed[sentence] if sentence in computed else self.kept[sentence] for sentence in sentences]
        lengths = torch.tensor([len(row) for row in rows], device=rows[0].device)
        states = pad_sequence(rows, batch_first=True)
        return states, torch.arange(states.shape[1], device=states.device) >= lengths[:, None]


class WordTagger:
    """The baseline, which reads words and their characters."""

    def __init__(self, network: CharacterTagger) -> None:
        self.network = network

    def prepare(self, batches: Iterable[Sequence[TaggerSentence]]) -> None:
        """See :class:`Tagger`: there is nothing to compute."""

    def loss(self, sentences: Sequence[TaggerSentence]) -> Tensor:
        """See :class:`Tagger`."""
        return self.network.loss(
            [sentence.words for sentence in sentences], [sentence.labels for sentence in sentences]
        )

    def positions(self, sentence: TaggerSentence) -> int:
        """Number of words."""
        return len(sentence.words)

    def label(self, sentences: Sequence[TaggerSentence]) -> list[Labelled]:
        """See :class:`Tagger`."""
        labels_of_sentences = self.network.label([sentence.words for sentence in sentences])
        return [Labelled(tuple(labels), None) for labels in labels_of_sentences]
