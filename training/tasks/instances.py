"""Training of packed systems, which read instances of several sentences, and the loss of trees in training."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from torch import nn

from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.packed.decoding.inference import score_instances, translate_instances
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance, PackedBatch
from discourse_nmt.models.packed.unit_dependencies import UnitDependencies
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.packed import RstTransformerSettings
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units, units_of, whole_documents
from discourse_nmt.training.structures.opening import Structures
from discourse_nmt.training.tasks.loss import Losses, Objective, smoothed


@dataclass(frozen=True)
class InstanceTask:
    """Instances one after the other without padding; see :class:`.Task`.

    Without ``structures`` no instance has a tree.
    """

    network: PackedTransformer
    dataset: ParallelDataset
    structures: Structures[UnitDependencies] | None
    padded: bool = False

    def instance(self, start: int, stop: int, tree: bool) -> Instance:
        """The rows ``start … stop - 1`` of one document; arcs of the tree that leave them are dropped."""
        source, target = (side.rows(start, stop) for side in (self.dataset.source, self.dataset.target))
        if self.structures is None:
            return Instance(source, target, (), np.empty(0, np.int64), tree=False)
        return Instance(source, target, *self.structures[start:stop], tree)

    def batch(self, units: Units, chosen: np.ndarray, seed: int | None) -> PackedBatch:
        """The batch of the ``chosen`` units.

        In training trees are lost as ``drop_rst`` says; in evaluation only where the network is never trained with one.
        """
        probability, together = tree_loss(self.network)
        if seed is None:
            lost = np.full(len(chosen), probability >= 1)
        else:
            lost = lost_trees(len(chosen), probability, together, seed)
        borders = zip(units.starts[chosen].tolist(), units.stops[chosen].tolist(), (~lost).tolist())
        return self.network.pack([self.instance(start, stop, tree) for start, stop, tree in borders])

    def objective(self, smoothing: float) -> Objective:
        """Predict each target token from the source and the tokens before it that it is related to."""

        def objective(network: nn.Module, batch: PackedBatch) -> Losses:
            return smoothed(network(batch), batch.target_output[0], smoothing)

        return objective

    def hypotheses(self, network: nn.Module, settings: DecodingSettings) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yield each row and its n-best translations."""
        units, tree = self._read(settings)
        borders = list(zip(units.starts.tolist(), units.stops.tolist()))
        instances = [self.instance(start, stop, tree) for start, stop in borders]
        for number, found in translate_instances(cast(PackedTransformer, network), instances, settings):
            yield from zip(range(*borders[number]), found)

    def scores(
        self, network: nn.Module, rows: Sequence[int], targets: Sequence[Sequence[int]], settings: DecodingSettings
    ) -> Iterator[tuple[int, float]]:
        """Yield the number of each of ``targets`` and its log-probability as the translation of its row.

        It is that of the sentence alone, given its source instance and the earlier target sentences of the dataset.
        """
        units, tree = self._read(settings)
        chosen = np.searchsorted(units.starts, np.array(rows, np.int64), side="right") - 1
        starts = units.starts[chosen].tolist()
        instances = []
        for start, stop, row, target in zip(starts, units.stops[chosen].tolist(), rows, targets):
            whole = self.instance(start, stop, tree)
            later = [np.empty(0, np.int64)] * (stop - row - 1)  # has no influence
            candidate = [*whole.target[: row - start], np.array(target, np.int64), *later]
            instances.append(replace(whole, target=candidate))
        for number, found in score_instances(cast(PackedTransformer, network), instances, settings.batch_tokens):
            yield number, float(found[rows[number] - starts[number]])

    def _read(self, settings: DecodingSettings) -> tuple[Units, bool]:
        """What is read at a time, and whether with its tree."""
        if settings.whole_documents:
            units = whole_documents(self.dataset.documents)
        else:
            units = units_of(self.dataset, "instance")
        return units, settings.use_tree and tree_loss(self.network)[0] < 1


def tree_loss(network: PackedTransformer) -> tuple[float, bool]:
    """The probability that an instance is trained without its tree, and whether a batch is so as a whole."""
    settings = network.settings
    if not isinstance(settings, RstTransformerSettings):
        return 0.0, False
    return settings.drop_rst, settings.drop_rst_unit == "batch"


def lost_trees(count: int, probability: float, together: bool, seed: int) -> np.ndarray:
    """Which of ``count`` instances lose their tree (spec 01, drop_rst), bool ``[count]``; ``together`` all or none."""
    drawn = np.random.default_rng(seed).random(1 if together else count)
    return np.broadcast_to(drawn < probability, count)


def task(network: nn.Module, dataset: ParallelDataset, structures: Structures[UnitDependencies] | None) -> InstanceTask:
    """The task of a packed network."""
    return InstanceTask(cast(PackedTransformer, network), dataset, structures)
