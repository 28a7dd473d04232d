"""Training of labellers: Adam at a constant rate for a few passes, the best one by the loss on development sentences.

It takes minutes, so a job that is stopped starts anew.
"""

import copy
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

import torch

from corpus.errors import InputError
from corpus.progress import progress
from corpus.settings import nearest
from models.character_tagger import CharacterTagger, symbols_of
from models.switches.theme_labeller import LabellerSettings
from models.transformer import Transformer
from training.labeller_files import LabellerCard, new_labeller
from training.labeller_settings import LabellerTrainingSettings
from training.taggers import EncoderTagger, Labelled, Sentence, Tagger, WordTagger

log = logging.getLogger(__name__)


def new_tagger(
    settings: LabellerSettings,
    training: Sequence[Sentence],
    labels: Sequence[str],
    model: tuple[Transformer, str] | None,
) -> tuple[EncoderTagger | WordTagger, LabellerCard]:
    """A freshly initialised labeller of words with one of ``labels``, and what its file will say about it.

    With ``model``, a network and the fingerprint of its source vocabulary, it reads the states of its encoder; without,
    words, of which it knows those of the ``training`` sentences. Raises :class:`InputError` where no word has the
    designated label.
    """
    card = LabellerCard(asdict(settings), list(labels))
    if model is None:
        symbols = symbols_of([one.words for one in training])
        return WordTagger(CharacterTagger(settings, symbols, len(labels))), replace(card, **asdict(symbols))
    if settings.designated not in labels:
        remedy = nearest(settings.designated, labels)
        raise InputError(f"settings: designated is {settings.designated}, which no word has", remedy=remedy)
    encoder, vocabulary = model
    width = encoder.settings.width
    tagger = EncoderTagger(encoder, new_labeller(settings, width, labels), labels.index(settings.designated))
    return tagger, replace(card, width=width, source_vocabulary=vocabulary)


def train_tagger(
    tagger: Tagger,
    training: Sequence[Sentence],
    development: Sequence[Sentence],
    settings: LabellerTrainingSettings,
    seed: int,
) -> None:
    """Train the tagger's network in place; ``seed`` decides the order of sentences and dropout."""
    torch.manual_seed(seed)
    order = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(tagger.network.parameters(), lr=settings.learning_rate)
    best, kept = float("inf"), copy.deepcopy(tagger.network.state_dict())
    for epoch in range(1, settings.epochs + 1):
        tagger.network.train()
        shuffled = [training[number] for number in torch.randperm(len(training), generator=order).tolist()]
        total = 0.0
        batches = list(cut(shuffled, settings.batch_sentences))
        for batch in progress(batches, f"epoch {epoch}", "batches"):
            optimiser.zero_grad()
            loss = tagger.loss(batch)
            loss.backward()
            optimiser.step()
            total += loss.item()
        measured = development_loss(tagger, development, settings.batch_sentences)
        log.info("epoch %d: training loss %.4f, development loss %.4f", epoch, total / len(batches), measured)
        if measured < best:
            best, kept = measured, copy.deepcopy(tagger.network.state_dict())
    tagger.network.load_state_dict(kept)
    tagger.network.eval()


@torch.no_grad()
def development_loss(tagger: Tagger, sentences: Sequence[Sentence], size: int) -> float:
    """The loss per word of ``sentences``, read ``size`` at a time."""
    tagger.network.eval()
    words = [(tagger.loss(batch).item(), sum(len(one.words) for one in batch)) for batch in cut(sentences, size)]
    return sum(loss * count for loss, count in words) / sum(count for _, count in words)


def label_all(tagger: Tagger, sentences: Sequence[Sentence], size: int) -> list[Labelled]:
    """What the tagger, in evaluation mode, says of each of ``sentences``, read ``size`` at a time."""
    return [found for batch in cut(sentences, size) for found in tagger.label(batch)]


def cut(sentences: Sequence[Sentence], size: int) -> Iterator[Sequence[Sentence]]:
    """Runs of ``size`` sentences; the last one may be shorter."""
    for start in range(0, len(sentences), size):
        yield sentences[start : start + size]
