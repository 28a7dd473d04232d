"""Training of the segmenter on treebanks laid out as raw text."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from discourse_nmt.base.settings import probability, setting
from discourse_nmt.discourse.analysers.characters import PLAIN, CharacterFeatures
from discourse_nmt.discourse.analysers.segmentation import Segmenter, SegmenterNetwork
from discourse_nmt.discourse.treebanks.examples import Segmented
from discourse_nmt.training.analysers.course import Course, Lessons

Paragraphs = Sequence[Segmented]  # of a document
_Piece = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class TunedSegmenter:
    """Values of the segmenter's training that were tuned once, and that no preset changes."""

    window: int = setting(600, "characters of a training piece", minimum=1)
    batch: int = setting(24, "pieces of one batch", minimum=1)
    rate: float = setting(0.003, "learning rate at the start; it falls to 0 on a straight line", minimum=0)
    dropout: float = probability(0.15, "dropout of each layer's output")
    average: float = probability(0.995, "decay of the moving average of the weights, which is the result")
    sentence_weight: float = setting(1.0, "weight of sentence starts in the loss; that of word starts is 1", minimum=0)


@dataclass(frozen=True)
class SegmenterSettings:
    """How the segmenter is built and trained."""

    width: int = setting(64, "width of the states", minimum=1, below=10_000)
    dictionary: bool = setting(False, "words of jieba's dictionary as a hint, for Chinese")
    epochs: int = setting(7, "passes over the training data", minimum=1)
    max_minutes: float = setting(
        0.0, "stop after this many minutes of training, summed over restarts; 0 sets no limit", minimum=0
    )
    seed: int = setting(1, "seed of initialisation, layout, batches and dropout", minimum=0)
    tuned: TunedSegmenter = setting(TunedSegmenter(), "sizes, rates and dropout of the training that seldom change")


def join(document: Paragraphs, separator: str) -> Segmented:
    """A document as one text, its paragraphs separated by ``separator``."""
    text, sentences = "", []
    for paragraph in document:
        if text:
            text += separator
        offset = len(text)
        text += paragraph.text
        sentences += [tuple((start + offset, end + offset) for start, end in words) for words in paragraph.sentences]
    return Segmented(text, tuple(sentences))


def frequent_characters(documents: Sequence[Paragraphs], least: int = 5) -> str:
    """The newline and all characters that occur at least ``least`` times; typographic variants count as plain ones."""
    counts = Counter(
        character for document in documents for part in document for character in part.text.translate(PLAIN)
    )
    return "".join(sorted({character for character, count in counts.items() if count >= least} | {"\n", " "}))


def train_segmenter(
    documents: Sequence[Paragraphs],
    settings: SegmenterSettings,
    work: Path | None = None,
    deadline: float | None = None,
) -> Segmenter:
    """Train on documents whose paragraphs are separated by an empty line, a line end or a space, at random.

    ``work`` and ``deadline`` are those of :class:`.Course`.
    """
    torch.manual_seed(settings.seed)
    randomness, tuned = np.random.default_rng(settings.seed), settings.tuned
    characters = frequent_characters(documents)
    features = CharacterFeatures(characters, settings.dictionary)
    network = SegmenterNetwork(len(characters) + 2, settings.width, settings.dictionary)
    adam = torch.optim.AdamW(network.parameters(), lr=tuned.rate, weight_decay=0.01)

    def order() -> Iterator[list[tuple[float, list[_Piece]]]]:
        for epoch in range(settings.epochs):
            pieces = _pieces(documents, features, tuned.window, randomness)
            shuffled = [pieces[number] for number in randomness.permutation(len(pieces))]
            starts = range(0, len(shuffled), tuned.batch)
            shares = ((epoch + start / len(shuffled)) / settings.epochs for start in starts)
            rates = [tuned.rate * min(1 - share, 0.05 + 20 * share) for share in shares]
            yield [(rate, shuffled[start : start + tuned.batch]) for rate, start in zip(rates, starts)]

    def loss(rows: list[_Piece]) -> tuple[Tensor, float]:
        ids = np.zeros((len(rows), 2, max(row.shape[1] for row, _ in rows)), np.int64)
        gold = np.zeros((len(rows), 2, ids.shape[2]), np.float32)
        for number, (values, labels) in enumerate(rows):
            ids[number, :, : values.shape[1]] = values
            gold[number, :, : values.shape[1]] = labels
        inside = torch.from_numpy(ids[:, 1] > 0)
        logits = network(torch.from_numpy(ids), tuned.dropout).transpose(1, 2)
        each = functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(gold), reduction="none")
        value = (each[:, 0] + tuned.sentence_weight * each[:, 1])[inside].mean()
        return value, value.item()

    lessons = Lessons(network, adam, settings.epochs, order(), loss, tuned.average, clip=1.0)
    trained = Course(work, max_minutes=settings.max_minutes, deadline=deadline).train(lessons)
    return Segmenter(trained, characters, settings.dictionary)


def _pieces(
    documents: Sequence[Paragraphs], features: CharacterFeatures, window: int, randomness: np.random.Generator
) -> list[_Piece]:
    """Ids [2, L] and labels [2, L] (word begins, sentence begins) of windows over documents with new separators."""
    pieces = []
    for document in documents:
        laid_out = join(document, str(randomness.choice(["\n\n", "\n", " "], p=[0.5, 0.25, 0.25])))
        text = laid_out.text
        labels = np.zeros((2, len(text)), np.float32)
        for words in laid_out.sentences:
            labels[1, words[0][0]] = 1
            labels[0, [start for start, _ in words]] = 1
        ids = features.of(text)
        shift = int(randomness.integers(0, window))
        for start in range(-shift, len(text), window):
            begin, end = max(0, start), min(len(text), start + window)
            if end > begin:
                pieces.append((ids[:, begin:end], labels[:, begin:end]))
    return pieces
