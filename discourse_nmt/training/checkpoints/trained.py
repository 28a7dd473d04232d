"""A trained model, opened with the split that it translates or scores."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import system_named
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.model_files import load_model
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.parts import StructuresFrom
from discourse_nmt.training.kinds import STRUCTURES
from discourse_nmt.training.structures.opening import Structures, open_structure
from discourse_nmt.training.tasks.protocol import SystemTask, task_for


@dataclass(frozen=True)
class TrainedModel:
    """A network in evaluation mode, and the split that it reads."""

    network: nn.Module
    unit: str
    dataset: ParallelDataset
    structures: Structures[object] | None

    @property
    def task(self) -> SystemTask:
        """The task of the whole split."""
        return task_for(self.unit, self.network, self.dataset, self.structures)

    def task_of(self, start: int, stop: int) -> SystemTask:
        """The task of the rows ``start … stop - 1``, whole documents; it counts rows from 0."""
        structures: StructuresFrom[object] | None = None
        if self.structures is not None:
            structures = StructuresFrom(self.structures, start)
        return task_for(self.unit, self.network, self.dataset.stretch(start, stop), structures)


def open_trained(
    model: Path,
    dataset: Path,
    structure: Path | None,
    vocabularies: tuple[Vocabulary, Vocabulary],
    settings: DecodingSettings,
    device: torch.device,
) -> TrainedModel:
    """The network in the file ``model`` on ``device``, and the dataset with the structures that it reads.

    Raises :class:`InputError` where the files do not fit each other, the dataset is empty, or there is no structure
    file although the system decodes with one under ``settings``.
    """
    card = parse_card(read_metadata(model), model)
    system = system_named(card.system)
    kind = system.switches(card.settings).decoding_structure(settings.use_tree)
    if STRUCTURES[kind].tables and structure is None:
        raise InputError(
            f"a model of system {system.name} reads discourse structure",
            file=model,
            remedy="give the structure file of the dataset, --structure, or set decoding.use_tree to false",
        )
    opened = ParallelDataset(dataset)
    if not len(opened) or opened.source.largest >= len(vocabularies[0]):
        message = "made with another source vocabulary" if len(opened) else "holds no sentences"
        raise InputError(message, file=dataset, remedy="make the dataset again")
    if not settings.use_context:
        opened = opened.without_context()
    network = load_model(model, *vocabularies, device=device)
    structures = open_structure(kind, structure, opened, len(vocabularies[1]))
    return TrainedModel(network, system.unit, opened, structures)
