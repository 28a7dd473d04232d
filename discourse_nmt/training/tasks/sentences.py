"""Training of systems that read one sentence at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.core.inference import score, translate
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings
from discourse_nmt.training.data.collation import Batch, collate
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units
from discourse_nmt.training.structures.opening import Structures
from discourse_nmt.training.tasks.loss import Losses, Objective, smoothed


@dataclass(frozen=True)
class SentenceTask:
    """Sentence pairs in padded rows; see :class:`.Task`."""

    dataset: ParallelDataset
    padded: bool = True

    def training_units(self, units: Units) -> Units:
        """The ``units`` themselves."""
        return units

    def batch(self, units: Units, chosen: np.ndarray, seed: int | None) -> Batch:
        """The batch of the ``chosen`` units; nothing is drawn."""
        return collate(self.dataset, units, chosen)

    def objective(self, smoothing: float) -> Objective[Transformer, Batch]:
        """See :func:`translation_objective`."""
        return translation_objective(smoothing)

    def hypotheses(
        self, network: Transformer, settings: DecodingSettings, asked: np.ndarray | None = None
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yield each row, or each that is ``asked`` for, and its n-best translations."""
        sources = self.dataset.source.sentences()
        rows = range(len(sources)) if asked is None else np.flatnonzero(asked).tolist()
        for index, hypotheses in translate(network, [sources[row] for row in rows], settings):
            yield rows[index], hypotheses

    def scores(
        self,
        network: Transformer,
        rows: Sequence[int],
        targets: Sequence[Sequence[int]],
        settings: DecodingSettings,
        context: ContextRead = "both",
    ) -> Iterator[tuple[int, float]]:
        """Yield the index of each of ``targets`` and its log-probability as the translation of its row.

        No ``context`` is read.
        """
        sources = self.dataset.source.sentences()
        return score(network, [sources[row] for row in rows], targets, settings.batch_tokens)


def translation_objective(smoothing: float) -> Objective[Transformer, Batch]:
    """The objective of translation alone: predict each target token from the source and the tokens before it."""

    def objective(network: Transformer, batch: Batch) -> Losses:
        wanted = batch.target_output != PAD
        states = network.final_states(batch.source_ids, batch.target_input, wanted)
        return smoothed(states, network.output_matrix, batch.target_output[wanted], smoothing, network.output_bias)

    return objective


def task(network: Transformer, dataset: ParallelDataset, structures: Structures[object] | None) -> SentenceTask:
    """The task for any network of this kind, which reads no structures."""
    return SentenceTask(dataset)
