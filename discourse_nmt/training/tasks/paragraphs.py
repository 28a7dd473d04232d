"""Training of systems that translate sentence by sentence with context, whose batches are whole paragraphs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.inference import Paragraph, reads_translations, score_paragraphs, translate_paragraphs
from discourse_nmt.models.context.paragraphs import Movable, ParagraphBatch, Paragraphs, ParagraphSource
from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings
from discourse_nmt.training.data.collation import Batch, collate
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units, sentences, units_of
from discourse_nmt.training.structures.opening import Structures
from discourse_nmt.training.tasks.loss import Losses, Objective, smoothed


@dataclass(frozen=True)
class ParagraphTask:
    """Paragraphs whose sentences are padded rows; see :class:`.Task`.

    ``structures`` hold what the network reads beside the text, None where it reads none. The ``unit`` is the paragraph
    or the document.
    """

    network: ContextTransformer
    dataset: ParallelDataset
    structures: Structures[object] | None
    padded: bool = True
    unit: str = "paragraph"

    def training_units(self, units: Units) -> Units:
        """The ``units`` themselves."""
        return units

    def batch(self, units: Units, chosen: np.ndarray, seed: int | None) -> ParagraphBatch:
        """The batch of the ``chosen`` units; nothing is drawn."""
        text = collate(self.dataset, units, chosen)
        source = ParagraphSource(text.source_ids, Paragraphs(text.units), self.structure(units, chosen, text))
        return ParagraphBatch(source, text.target_input, text.target_output)

    def structure(self, units: Units, chosen: np.ndarray, text: Batch) -> Movable | None:
        """Tensors of the structures of the ``chosen`` units, whose ``text`` is a batch; None without any."""
        if self.structures is None:
            return None
        borders = zip(units.starts[chosen].tolist(), units.stops[chosen].tolist())
        return self.network.arrange([self.structures[start:stop] for start, stop in borders], text.source_ids)

    def objective(self, smoothing: float) -> Objective[ContextTransformer, ParagraphBatch]:
        """Predict each target token from the source, its context and the target tokens before it.

        A system may add a loss of its own to the objective; the likelihood is that of the target alone.
        """

        def objective(network: ContextTransformer, batch: ParagraphBatch) -> Losses:
            wanted = batch.target_output != PAD
            states, own_loss = network.learn(batch, wanted)
            reference = batch.target_output[wanted]
            losses = smoothed(states, network.output_matrix, reference, smoothing, network.output_bias)
            return losses if own_loss is None else replace(losses, objective=losses.objective + own_loss)

        return objective

    def hypotheses(
        self, network: ContextTransformer, settings: DecodingSettings, asked: np.ndarray | None = None
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yield each row, or those that are ``asked`` for and what they read, and its n-best translations."""
        units, asked_of_units = units_of(self.dataset, self.unit).asked(asked)
        translated = translate_paragraphs(network, self._paragraphs(units), settings, asked_of_units)
        for index, hypotheses in translated:
            rows = range(int(units.starts[index]), int(units.stops[index]))
            yield from ((row, found) for row, found in zip(rows, hypotheses) if found)

    def scores(
        self,
        network: ContextTransformer,
        rows: Sequence[int],
        targets: Sequence[Sequence[int]],
        settings: DecodingSettings,
        context: ContextRead = "both",
    ) -> Iterator[tuple[int, float]]:
        """Yield the index of each of ``targets`` and its log-probability as the translation of its row.

        The earlier target sentences are those of the dataset; see :meth:`.Task.scores`.
        """
        units = units_of(self.dataset, self.unit)
        if context == "target" and not reads_translations(network):
            units, context = sentences(self.dataset.documents), "both"
        unit_of_row = np.searchsorted(units.starts, np.array(rows, np.int64), side="right") - 1
        sentence_of_row = np.array(rows) - units.starts[unit_of_row]
        items = list(zip(unit_of_row.tolist(), sentence_of_row.tolist(), targets))
        paragraphs = self._paragraphs(units)
        return score_paragraphs(network, paragraphs, items, settings.batch_tokens, context)

    def _paragraphs(self, units: Units) -> list[Paragraph]:
        """All paragraphs with their structures, if any."""
        source, target = self.dataset.source.sentences(), self.dataset.target.sentences()
        return [
            Paragraph(
                source[start:stop],
                target[start:stop],
                None if self.structures is None else self.structures[start:stop],
            )
            for start, stop in zip(units.starts.tolist(), units.stops.tolist())
        ]


def task(network: ContextTransformer, dataset: ParallelDataset, structures: Structures[object] | None) -> ParagraphTask:
    """The task of a network with context."""
    return ParagraphTask(network, dataset, structures)
