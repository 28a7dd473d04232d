"""Memory that a training requests, before there is a network whose needs could be measured.

The parts are those of :class:`discourse_nmt.training.operation.memory.MemoryPlan`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.estimates.networks import BYTES, NetworkSize, is_document
from discourse_nmt.workflow.jobs.parameters import Parameters
from discourse_nmt.workflow.sizing.memory import MEGABYTE

PROGRAM = 600  # megabytes
COPIES = 5  # of the parameters: themselves, gradients, the two means of Adam, and gradients while processes sum them
SCORES = 128  # megabytes of scores of subwords at a time
# Activations of the sentence model, and of the systems that keep most, by the formula of activation_numbers.
SENTENCE_MARGIN, DOCUMENT_MARGIN = 1.5, 4.0
INDEX = 0.5
"""Megabytes of the index of units, for each megabyte of a dataset: 90 bytes for a sentence pair of 200 at least."""


def activation_numbers(settings: TransformerSettings) -> float:
    """About the numbers that a sentence model keeps for the gradient of each token of a batch."""
    attentions = settings.encoder_layers + 2 * settings.decoder_layers
    layers = settings.encoder_layers + settings.decoder_layers
    return 6 * settings.width * attentions + 1.5 * settings.feed_forward_width * layers


def process_megabytes(
    settings: TransformerSettings, training: TrainingSettings, parameters: int, margin: float
) -> float:
    """Memory of one process of a training, its dataset aside."""
    activations = margin * BYTES * activation_numbers(settings) * training.batch_tokens
    return PROGRAM + SCORES + (COPIES * BYTES * parameters + activations) / MEGABYTE


def training_megabytes(config: Configuration, parameters: Parameters, processes: int) -> Callable[[Any, Any], float]:
    """The memory of a training in so many ``processes``, by the wildcards and the input of its job."""

    def megabytes(wildcards: Any, input: Any) -> float:
        experiment = parameters.experiments[wildcards.corpus, wildcards.experiment]
        size = NetworkSize.of(experiment.settings, config.corpora[wildcards.corpus].text)
        # A pretrained model tells the number of its parameters by its size.
        stored = max([size.stored, *(Path(path).stat().st_size // BYTES for path in input.initial)])
        system = config.experiments[wildcards.experiment].system
        margin = DOCUMENT_MARGIN if is_document(system) else SENTENCE_MARGIN
        read = sum(Path(path).stat().st_size for path in [input.train, *input.train_structure]) / MEGABYTE
        own = process_megabytes(experiment.settings, experiment.training, stored, margin) + INDEX * read
        return processes * own

    return megabytes
