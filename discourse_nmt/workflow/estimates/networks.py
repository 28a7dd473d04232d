"""Sizes of networks and floating-point operations of their training, from the configuration alone."""

import math
from dataclasses import dataclass

from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.texts import BySide, TextSection

SUBWORDS = 1.35  # of a word
WORDS = 20  # of a sentence, before the import counts them
LETTERS = 300  # symbols of a BPE vocabulary beside its merges
EPOCHS = 20  # of a training that only patience ends
# Least number of sentence pairs, and passes over them, fewer over larger corpora: 10 over 1.25 million pairs, as in
# config/papers/cache_table4.yaml. More rarely help.
PASSES = ((0, 60), (3_000, 40), (30_000, 30), (200_000, 20), (1_000_000, 10))
MOST_TOKENS = 100_000 * 25_000  # on a side: updates and batches of the Base model of Vaswani et al. 2017
OPERATIONS = 6  # of training for each parameter and token: forward, and backward twice as much
BYTES = 4


@dataclass(frozen=True)
class NetworkSize:
    """Parameters of a network, in which embeddings are looked up and not multiplied."""

    multiplied: int
    stored: int

    @classmethod
    def of(cls, settings: TransformerSettings, text: TextSection) -> "NetworkSize":
        """That of a system with these switches on a corpus with this section ``text``; parts of one system aside."""
        width, inner = settings.width, settings.feed_forward_width
        block = 4 * width * width
        layers = settings.encoder_layers * (block + 2 * width * inner)
        layers += settings.decoder_layers * (2 * block + 2 * width * inner)
        output = width * vocabulary(text)
        matrices = 1 + (not settings.tie_source_target) + (not settings.tie_output)
        return cls(layers + output, layers + matrices * output)


def vocabulary(text: TextSection) -> int:
    """About the symbols of a side, of the larger one where they differ."""
    if text.subwords != "bpe":
        return largest(text.sentencepiece.size)
    merges, most = largest(text.bpe.merges), largest(text.bpe.vocabulary_size)
    size = merges + LETTERS if merges else 50_000
    return min(size, most or size)


def largest(value: int | BySide) -> int:
    """A number, the larger one where it is given for each side."""
    sides = (value.source, value.target) if isinstance(value, BySide) else (value,)
    return max(side for side in sides if isinstance(side, int))


def is_document(system: str) -> bool:
    """Whether a system reads more than a sentence at a time."""
    return SYSTEMS[system].unit != "sentence"


def updates(training: TrainingSettings, epoch_tokens: float) -> float:
    """The updates of a training whose training split has ``epoch_tokens`` tokens on a side."""
    of_update = training.batch_tokens * training.accumulation
    limits = [float(training.max_updates)] if training.max_updates else []
    if training.max_epochs or not limits:
        limits.append((training.max_epochs or EPOCHS) * epoch_tokens / of_update)
    return math.ceil(min(limits))


def passes(pairs: float) -> int:
    """Usual passes over a corpus of so many sentence pairs, in a training from a random start."""
    return next(number for least, number in reversed(PASSES) if pairs >= least)


def short_training(training: TrainingSettings, pairs: float, epoch_tokens: float) -> str:
    """That a training on so many sentence pairs ends within an epoch, and the usual updates; empty if it does not."""
    of_update = training.batch_tokens * training.accumulation
    count, wanted = updates(training, epoch_tokens), passes(pairs) * epoch_tokens
    usual = min(wanted, MOST_TOKENS) / of_update
    if count * of_update >= epoch_tokens or count >= usual:
        return ""
    many = "the tokens of the Base model of Vaswani et al. 2017"
    reason = f"{passes(pairs)} epochs" if wanted <= MOST_TOKENS else many
    return (
        f"{count:,} updates are {count * of_update / epoch_tokens:.2g} of an epoch of {pairs:,.0f} pairs; "
        f"usual would be {float(f'{usual:.2g}'):,.0f}, {reason}"
    )


def training_operations(size: NetworkSize, training: TrainingSettings, epoch_tokens: float, dev_tokens: float) -> float:
    """Floating-point operations of a training with its evaluations on ``dev_tokens``."""
    count = updates(training, epoch_tokens)
    of_update = training.batch_tokens * training.accumulation
    evaluations = count / (training.evaluate_every or max(1.0, epoch_tokens / of_update))
    return size.multiplied * OPERATIONS * count * of_update + evaluations * evaluation_operations(size, dev_tokens)


def evaluation_operations(size: NetworkSize, tokens: float) -> float:
    """Floating-point operations of the loss on ``tokens``: forward alone."""
    return size.multiplied * OPERATIONS / 3 * tokens


def learns_nothing(system: str, training: TrainingSettings) -> bool:
    """Whether a system that starts from another one has nothing to train: it translates with that one's parameters."""
    return not (SYSTEMS[system].own_parameters or training.initialised_rate or any(training.rates.values()))
