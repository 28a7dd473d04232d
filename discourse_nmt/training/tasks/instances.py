"""Training of packed systems, which read instances of several sentences, with random removal of trees."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.packed.decoding.inference import score_candidates, translate_instances
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.packing import PackedBatch
from discourse_nmt.models.packed.unit_dependencies import UnitDependencies
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings
from discourse_nmt.models.switches.packed import RstTransformerSettings
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units, drawn_runs, runs, sentences, units_of, whole_documents
from discourse_nmt.training.structures.opening import Structures
from discourse_nmt.training.tasks.loss import Losses, Objective, smoothed


@dataclass(frozen=True)
class InstanceTask:
    """Instances, concatenated without padding; see :class:`.Task`.

    Without ``structures`` no instance has a tree.
    """

    network: PackedTransformer
    dataset: ParallelDataset
    structures: Structures[UnitDependencies] | None
    padded: bool = False

    def instance(self, start: int, stop: int, tree: bool) -> Instance:
        """The rows ``start … stop - 1`` of one document; arcs of the tree that leave these rows are dropped."""
        source, target = (side.rows(start, stop) for side in (self.dataset.source, self.dataset.target))
        if self.structures is None:
            return Instance(source, target, (), np.empty(0, np.int64), tree=False)
        return Instance(source, target, *self.structures[start:stop], tree)

    def training_units(self, units: Units) -> Units:
        """Whole instances, or with ``mixed_runs`` the runs that the network reads."""
        return self._cut(units) if self.network.settings.mixed_runs else units

    def batch(self, units: Units, chosen: np.ndarray, seed: int | None) -> PackedBatch:
        """The batch of the ``chosen`` units, each cut into the runs that the network reads.

        In training, trees are removed by ``drop_rst``, and lengths of runs drawn from ``drawn_sentences``; in
        evaluation nothing is drawn, and a tree is removed only if the network is never trained with one.
        """
        read = Units(units.starts[chosen], units.stops[chosen])
        drawn = self.network.settings.drawn_sentences
        cut = drawn_runs(read, drawn, seed) if seed is not None and drawn else self._cut(read)
        probability, whole_batch = tree_removal(self.network)
        if seed is None:
            removed = np.full(len(cut), probability >= 1)
        else:
            removed = removed_trees(len(cut), probability, whole_batch, seed)
        borders = zip(cut.starts.tolist(), cut.stops.tolist(), (~removed).tolist())
        return self.network.pack([self.instance(start, stop, tree) for start, stop, tree in borders])

    def objective(self, smoothing: float) -> Objective[PackedTransformer, PackedBatch]:
        """Predict each target token from the source and the target tokens before it that it may attend to."""

        def objective(network: PackedTransformer, batch: PackedBatch) -> Losses:
            states, reference = network.final_states(batch), batch.target_output[0]
            return smoothed(states, network.output_matrix, reference, smoothing, network.output_bias)

        return objective

    def hypotheses(
        self, network: PackedTransformer, settings: DecodingSettings, asked: np.ndarray | None = None
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yield each row, or those that are ``asked`` for and what they read, and its n-best translations."""
        units, tree = self._read(settings)
        units, asked_of_units = units.asked(asked)
        borders = list(zip(units.starts.tolist(), units.stops.tolist()))
        instances = [self.instance(start, stop, tree) for start, stop in borders]
        for index, hypotheses in translate_instances(network, instances, settings, asked_of_units):
            yield from ((row, found) for row, found in zip(range(*borders[index]), hypotheses) if found)

    def scores(
        self,
        network: PackedTransformer,
        rows: Sequence[int],
        targets: Sequence[Sequence[int]],
        settings: DecodingSettings,
        context: ContextRead = "both",
    ) -> Iterator[tuple[int, float]]:
        """Yield the index of each of ``targets`` and its log-probability as the translation of its row.

        It is that of the sentence, given its source instance and the earlier target sentences of the dataset, or one of
        them: see :meth:`.Task.scores`.
        """
        units, tree = self._read(settings)
        if context == "target" and not network.reads_targets:
            units, context = sentences(self.dataset.documents), "both"
        unit_of_row = np.searchsorted(units.starts, np.array(rows, np.int64), side="right") - 1
        read, index_of_row = np.unique(unit_of_row, return_inverse=True)
        starts, stops = units.starts[read].tolist(), units.stops[read].tolist()
        instances = [self.instance(start, stop, tree) for start, stop in zip(starts, stops)]
        items = [
            (index, row - starts[index], target) for index, row, target in zip(index_of_row.tolist(), rows, targets)
        ]
        return score_candidates(network, instances, items, settings.batch_tokens, context)

    def _read(self, settings: DecodingSettings) -> tuple[Units, bool]:
        """The units that are read in decoding, and whether they have trees."""
        if settings.whole_documents:
            units = whole_documents(self.dataset.documents)
        else:
            units = units_of(self.dataset, "instance")
        return self._cut(units, settings.sentences), settings.use_tree and tree_removal(self.network)[0] < 1

    def _cut(self, units: Units, sentences: int | None = None) -> Units:
        """The runs of ``units`` that the network reads together: of as many ``sentences`` (None: as its own switch)."""
        size = self.network.settings.sentences if sentences is None else sentences
        return runs(units, size) if size else units


def tree_removal(network: PackedTransformer) -> tuple[float, bool]:
    """The probability that an instance is trained without its tree, and whether that is drawn for whole batches."""
    settings = network.settings
    if not isinstance(settings, RstTransformerSettings):
        return 0.0, False
    return settings.drop_rst, settings.drop_rst_unit == "batch"


def removed_trees(count: int, probability: float, whole_batch: bool, seed: int) -> np.ndarray:
    """Whether each of ``count`` instances loses its tree (spec 01, drop_rst), bool [count].

    With ``whole_batch`` one draw decides for all.
    """
    drawn = np.random.default_rng(seed).random(1 if whole_batch else count)
    return np.broadcast_to(drawn < probability, count)


def task(
    network: PackedTransformer, dataset: ParallelDataset, structures: Structures[UnitDependencies] | None
) -> InstanceTask:
    """The task of a packed network."""
    return InstanceTask(network, dataset, structures)
