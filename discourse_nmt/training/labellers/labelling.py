"""Training of labellers: Adam at a constant rate, and the epoch with the smallest loss on the development sentences.

A checkpoint is written after each epoch; a stopped job repeats the epoch in which it was stopped.
"""

import logging
import math
import signal
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.settings import nearest
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.theme_cache.character_tagger import CharacterTagger, symbols_of
from discourse_nmt.training.checkpoints.model_files import fill, read_tensors, tensors_of
from discourse_nmt.training.checkpoints.work import TrainingState, WorkFolder
from discourse_nmt.training.labellers.files import LabellerCard, new_labeller
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.training.labellers.taggers import EncoderTagger, Labelled, Tagger, TaggerSentence, WordTagger
from discourse_nmt.training.operation.interruption import Interrupted, StopRequest, stop_requests
from discourse_nmt.training.run.optimiser import Optimiser
from discourse_nmt.training.run.seeds import seed_of
from discourse_nmt.training.settings import TrainingSettings

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ReadModel:
    """A trained model whose encoder a labeller reads; ``vocabulary`` is the fingerprint of its source vocabulary."""

    network: Transformer
    checksum: str
    vocabulary: str


def new_tagger(
    settings: LabellerSettings,
    training: Sequence[TaggerSentence],
    labels: Sequence[str],
    model: ReadModel | None,
) -> tuple[EncoderTagger | WordTagger, LabellerCard]:
    """A freshly initialised tagger, which gives each word one of ``labels``, and the card of its file.

    With a ``model`` it reads the states of the model's encoder, else words, of which it knows those of the ``training``
    sentences. Raises :class:`InputError` if no word of these has the designated label.
    """
    card = LabellerCard(asdict(settings), list(labels))
    if model is None:
        symbols = symbols_of([sentence.words for sentence in training])
        return WordTagger(CharacterTagger(settings, symbols, len(labels))), replace(card, **asdict(symbols))
    known = sorted({labels[label] for sentence in training for label in sentence.labels})
    if settings.designated not in known:
        message = f"settings: designated is {settings.designated}, which no word of the training sentences has"
        raise InputError(message, remedy=nearest(settings.designated, known))
    width = model.network.settings.width
    tagger = EncoderTagger(model.network, new_labeller(settings, width, labels), labels.index(settings.designated))
    return tagger, replace(card, width=width, source_vocabulary=model.vocabulary, model=model.checksum)


def train_tagger(
    tagger: Tagger,
    training: Sequence[TaggerSentence],
    development: Sequence[TaggerSentence],
    settings: LabellerTrainingSettings,
    seed: int,
    work: WorkFolder,
    deadline: float | None = None,
) -> None:
    """Train the tagger's network in place, from the last checkpoint in ``work`` if there is one.

    ``seed`` decides the order of sentences and dropout, which are drawn anew for each epoch, so that a training that
    continues ends with the weights of an unbroken one. Raises :class:`InputError` where the loss is not finite, and
    :class:`Interrupted` after a signal or at ``deadline``, a time of :func:`time.monotonic`.
    """
    optimiser = Optimiser(tagger.network, TrainingSettings(learning_rate=settings.learning_rate), lambda name: 1.0)
    state = TrainingState()
    checkpoint = work.latest()
    if checkpoint is not None:
        state, parts = checkpoint
        fill(tagger.network, parts["model"], work.folder)
        optimiser.restore(parts["adam"])
        log.info("continuing after epoch %d, from %s", state.update, work.folder)
    with stop_requests(deadline) as request:
        tagger.prepare(until_stopped(list(cut(training, settings.batch_sentences)), "reading", request))
        for epoch in range(state.update + 1, settings.epochs + 1):
            order = torch.Generator().manual_seed(seed_of(seed, epoch, 0))
            shuffled = [training[index] for index in torch.randperm(len(training), generator=order).tolist()]
            torch.manual_seed(seed_of(seed, epoch, 1))
            title = f"epoch {epoch} of {settings.epochs}"
            mean = _learn(tagger, optimiser.adam, list(cut(shuffled, settings.batch_sentences)), title, request)
            if request.signal:
                cause = " by its time limit" if request.signal == signal.SIGALRM else ""
                message = f"stopped{cause} in epoch {epoch}; the same command continues after epoch {state.update}"
                raise Interrupted(request.signal, message)
            measured = development_loss(tagger, development, settings.batch_sentences)
            if not math.isfinite(mean + measured):
                raise InputError(
                    f"training: the loss is {mean + measured} in epoch {epoch}", remedy="lower learning_rate"
                )
            log.info("epoch %d: training loss %.4f, development loss %.4f", epoch, mean, measured)
            state.update = epoch
            state.record(-measured, work.save_weights(epoch, tensors_of(tagger.network)), last=1)
            work.save(state, {"model": tensors_of(tagger.network), "adam": optimiser.state()})
    fill(tagger.network, read_tensors(work.weights(state.best_update))[0], work.folder)
    tagger.network.eval()


def _learn(
    tagger: Tagger,
    adam: torch.optim.Optimizer,
    batches: Sequence[Sequence[TaggerSentence]],
    description: str,
    request: StopRequest,
) -> float:
    """Do one update for each batch, until a stop is requested; returns the mean loss."""
    tagger.network.train()
    total = 0.0
    for batch in until_stopped(batches, description, request):
        adam.zero_grad()
        loss = tagger.loss(batch)
        loss.backward()
        adam.step()
        total += loss.item()
    return total / len(batches)


def until_stopped(
    batches: Sequence[Sequence[TaggerSentence]], description: str, request: StopRequest
) -> Iterator[Sequence[TaggerSentence]]:
    """The ``batches``, with their progress, until a stop is requested."""
    for batch in progress(batches, description, "batches"):
        if request.signal:
            break
        yield batch


@torch.no_grad()
def development_loss(tagger: Tagger, sentences: Sequence[TaggerSentence], size: int) -> float:
    """The loss per labelled position of ``sentences``, read ``size`` at a time."""
    tagger.network.eval()
    losses = [(tagger.loss(batch).item(), sum(map(tagger.positions, batch))) for batch in cut(sentences, size)]
    return sum(loss * count for loss, count in losses) / sum(count for _, count in losses)


def label_all(tagger: Tagger, sentences: Sequence[TaggerSentence], size: int) -> list[Labelled]:
    """The labels of ``sentences``, read ``size`` at a time; the tagger is in evaluation mode."""
    return [labelled for batch in cut(sentences, size) for labelled in tagger.label(batch)]


def cut(sentences: Sequence[TaggerSentence], size: int) -> Iterator[Sequence[TaggerSentence]]:
    """Runs of ``size`` sentences; the last one may be shorter."""
    for start in range(0, len(sentences), size):
        yield sentences[start : start + size]
