"""Sentences and words of raw text: one convolutional network over characters, spans by character offset.

The network predicts for every character whether a word begins there, and whether a sentence begins there. Space always
separates words, and an empty line sentences. Words follow Universal Dependencies, which divide contractions
(*do* | *n't*, *dog* | *'s*).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from discourse_nmt.discourse.abbreviations import USUAL, Abbreviations
from discourse_nmt.discourse.analysers.characters import DICTIONARY_KINDS, KINDS, CharacterFeatures
from discourse_nmt.discourse.analysers.network import shared_dropout

DILATIONS = (1, 2, 4, 8, 16, 32)
REACH = sum(DILATIONS)  # characters on either side that affect a prediction
CHUNK = 4096  # characters computed at a time, plus REACH more on both sides
WORD = 0.5  # least probability for the beginning of a word
BATCH = 60_000  # characters, including padding
NOTHING: Mapping[int, str] = {}
NO_ABBREVIATIONS = Abbreviations()
BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*|\r\n[^\S\n]*\r\n\s*|\u2029\s*")
# Blanks beside others or at the ends of lines: treebanks have none of them, where typists may.
MORE_BLANKS = re.compile(r"(?<=\s)[^\S\n\r\u2028\u2029]+|[^\S\n\r\u2028\u2029]+(?=[\n\r\u2028\u2029])")

Span = tuple[int, int]


@dataclass(frozen=True)
class SegmentedSentence:
    """Characters ``[start, end)`` of a sentence in its text, and those of its words, in order and without overlap."""

    start: int
    end: int
    words: tuple[Span, ...]

    def moved(self, by: int) -> "SegmentedSentence":
        """The sentence in a text with so many more characters before it."""
        words = tuple((start + by, end + by) for start, end in self.words)
        return SegmentedSentence(self.start + by, self.end + by, words)


class SegmenterNetwork(nn.Module):
    """Dilated convolutions over characters; two logits per character: a word begins, a sentence begins."""

    def __init__(self, characters: int, width: int, dictionary: bool = False) -> None:
        super().__init__()
        self.character = nn.Embedding(characters, width, padding_idx=0)
        self.kind = nn.Embedding(len(DICTIONARY_KINDS if dictionary else KINDS), width, padding_idx=0)
        self.layers = nn.ModuleList(
            nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation) for dilation in DILATIONS
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in DILATIONS)
        self.out = nn.Linear(width, 2)

    def forward(self, ids: Tensor, dropout: float = 0.0) -> Tensor:
        """Logits [B, L, 2] of ids [B, 2, L] (character, kind; 0 is padding)."""
        inside = (ids[:, 1] > 0)[..., None]  # [B, L, 1]
        states = self.character(ids[:, 0]) + self.kind(ids[:, 1])
        for layer, norm in zip(self.layers, self.norms):
            # Padding is held at zero, so that a text's result does not depend on its neighbours in the batch.
            seen = layer((norm(states) * inside).transpose(1, 2)).transpose(1, 2)
            states = states + shared_dropout(functional.relu(seen), dropout)
        logits: Tensor = self.out(states)
        return logits


class Segmenter:
    """A trained :class:`SegmenterNetwork` with its characters; ``dictionary`` as in :class:`CharacterFeatures`.

    It reads characters of ``simplified``, a table of :meth:`str.translate`, as the one that each stands for. After
    periods that seldom end a sentence, by ``abbreviations``, the network must be surer than elsewhere.
    """

    def __init__(
        self,
        network: SegmenterNetwork,
        characters: str,
        dictionary: bool = False,
        simplified: Mapping[int, str] = NOTHING,
        abbreviations: Abbreviations = NO_ABBREVIATIONS,
    ) -> None:
        self.network = network.eval()
        self.characters = characters
        self.dictionary = dictionary
        self.simplified = simplified
        self.abbreviations = abbreviations
        self._features = CharacterFeatures(characters, dictionary)

    def segment(self, texts: Sequence[str]) -> list[list[SegmentedSentence]]:
        """Sentences of each raw text; every character except space is in exactly one word."""
        results = []
        for text, (word_starts, sentence_starts) in zip(texts, self._decisions(texts)):
            for gap in BLANK_LINE.finditer(text):
                if gap.end() < len(text):
                    sentence_starts[gap.end()] = True
            sentences: list[SegmentedSentence] = []
            words: list[Span] = []
            for span in _spans(text, word_starts):
                if words and sentence_starts[span[0]]:
                    sentences.append(SegmentedSentence(words[0][0], words[-1][1], tuple(words)))
                    words = []
                words.append(span)
            if words:
                sentences.append(SegmentedSentence(words[0][0], words[-1][1], tuple(words)))
            results.append(sentences)
        return results

    def tokenise(self, sentences: Sequence[str]) -> list[list[Span]]:
        """Characters ``[start, end)`` of the words of texts that are one sentence each."""
        decisions = self._decisions(sentences)
        return [list(_spans(text, word_starts)) for text, (word_starts, _) in zip(sentences, decisions)]

    def _decisions(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Booleans [2, len(text)] for each text: whether a word and whether a sentence begins at each character."""
        results = []
        for text, decided in zip(texts, self._of_characters([MORE_BLANKS.sub("", text) for text in texts])):
            read = np.ones(len(text), bool)
            for blanks in MORE_BLANKS.finditer(text):
                read[slice(*blanks.span())] = False
            results.append(np.zeros((2, len(text)), bool))
            results[-1][:, read] = decided
        return results

    @torch.inference_mode()
    def _of_characters(self, texts: Sequence[str]) -> list[np.ndarray]:
        texts = [text.translate(self.simplified) for text in texts] if self.simplified else texts
        probabilities = [np.zeros((2, len(text)), np.float32) for text in texts]
        pieces = [(number, start) for number, text in enumerate(texts) for start in range(0, len(text), CHUNK)]
        pieces.sort(key=lambda piece: (-min(CHUNK, len(texts[piece[0]]) - piece[1]), piece))
        while pieces:
            longest = min(CHUNK, len(texts[pieces[0][0]]) - pieces[0][1]) + 2 * REACH
            rows, pieces = pieces[: max(1, BATCH // longest)], pieces[max(1, BATCH // longest) :]
            inputs = [self._features.of(texts[n][max(0, s - REACH) : s + CHUNK + REACH]) for n, s in rows]
            ids = np.zeros((len(rows), 2, max(row.shape[1] for row in inputs)), np.int64)
            for row, values in enumerate(inputs):
                ids[row, :, : values.shape[1]] = values
            computed = self.network(torch.from_numpy(ids)).sigmoid().numpy()
            for row, (number, start) in enumerate(rows):
                size = min(CHUNK, len(texts[number]) - start)
                before = start - max(0, start - REACH)
                probabilities[number][:, start : start + size] = computed[row, before : before + size].T
        return [self._decided(*pair) for pair in zip(texts, probabilities)]

    def _decided(self, text: str, probabilities: np.ndarray) -> np.ndarray:
        """Booleans [2, L] from the probabilities [2, L] of the beginning of a word and of a sentence."""
        decisions: np.ndarray = probabilities > np.array([[WORD], [USUAL]], np.float32)
        for period in self.abbreviations.periods(text):
            begins = probabilities[1, period.following] > period.threshold
            decisions[1, period.following] = begins
            decisions[0, period.position] &= begins or not period.abbreviates
        return decisions


def _spans(text: str, word_starts: np.ndarray) -> Iterator[Span]:
    """Words: runs of characters without space, divided where a word begins."""
    for run in re.finditer(r"\S+", text):
        first, end = run.span()
        starts = [first, *(first + 1 + np.flatnonzero(word_starts[first + 1 : end])).tolist(), end]
        yield from pairwise(starts)
