"""Training of the segmenter on treebanks laid out as raw text."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from discourse_nmt.corpus.settings import probability, setting
from discourse_nmt.discourse.analysers.characters import PLAIN, CharacterFeatures
from discourse_nmt.discourse.analysers.segmentation import Segmenter, SegmenterNetwork
from discourse_nmt.discourse.analysers.training.joint import average
from discourse_nmt.discourse.analysers.training.treebank import Segmented

Paragraphs = Sequence[Segmented]  # of a document


@dataclass(frozen=True)
class SegmenterSettings:
    """How the segmenter is built and trained."""

    width: int = setting(64, "width of the states", minimum=1, below=10_000)
    dictionary: bool = setting(False, "words of jieba's dictionary as a hint, for Chinese")
    epochs: int = setting(7, "passes over the training data", minimum=1)
    window: int = setting(600, "characters of a training piece", minimum=1)
    batch: int = setting(24, "pieces of one batch", minimum=1)
    rate: float = setting(0.003, "learning rate at the start; it falls to 0 on a straight line", minimum=0)
    dropout: float = probability(0.15, "dropout of each layer's output")
    average: float = probability(0.995, "decay of the moving average of the weights, which is the result")
    sentence_weight: float = setting(1.0, "weight of sentence starts in the loss; that of word starts is 1", minimum=0)
    seed: int = setting(1, "seed of initialisation, layout, batches and dropout", minimum=0)


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
    report: Callable[[int, float, Segmenter], None] = lambda epoch, loss, segmenter: None,
) -> Segmenter:
    """Train on documents whose paragraphs are separated by an empty line, a line end or a space, at random.

    ``report`` is called after every epoch with its number (from 1), the mean loss and the averaged segmenter.
    """
    torch.manual_seed(settings.seed)
    randomness = np.random.default_rng(settings.seed)
    characters = frequent_characters(documents)
    features = CharacterFeatures(characters, settings.dictionary)
    network = SegmenterNetwork(len(characters) + 2, settings.width, settings.dictionary)
    averaged = SegmenterNetwork(len(characters) + 2, settings.width, settings.dictionary)
    averaged.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), lr=settings.rate, weight_decay=0.01)
    step = 0
    for epoch in range(1, settings.epochs + 1):
        pieces = _pieces(documents, features, settings.window, randomness)
        order = randomness.permutation(len(pieces))
        losses = []
        for start in range(0, len(order), settings.batch):
            rows = [pieces[number] for number in order[start : start + settings.batch]]
            done = (epoch - 1 + start / len(order)) / settings.epochs
            for parameters in optimiser.param_groups:
                parameters["lr"] = settings.rate * min(1 - done, 0.05 + 20 * done)
            ids = np.zeros((len(rows), 2, max(row.shape[1] for row, _ in rows)), np.int64)
            gold = np.zeros((len(rows), 2, ids.shape[2]), np.float32)
            for number, (values, labels) in enumerate(rows):
                ids[number, :, : values.shape[1]] = values
                gold[number, :, : values.shape[1]] = labels
            inside = torch.from_numpy(ids[:, 1] > 0)
            logits = network(torch.from_numpy(ids), settings.dropout).transpose(1, 2)
            each = functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(gold), reduction="none")
            loss = (each[:, 0] + settings.sentence_weight * each[:, 1])[inside].mean()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            average(averaged, network, min(settings.average, (1 + step) / (10 + step)))
            step += 1
            losses.append(loss.item())
        report(epoch, float(np.mean(losses)), Segmenter(averaged, characters, settings.dictionary))
    return Segmenter(averaged, characters, settings.dictionary)


def _pieces(
    documents: Sequence[Paragraphs], features: CharacterFeatures, window: int, randomness: np.random.Generator
) -> list[tuple[np.ndarray, np.ndarray]]:
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
