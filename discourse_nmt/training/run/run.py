"""A training run from its inputs to the final weights."""

import dataclasses
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import torch
from lightning_fabric import Fabric
from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum, write_json
from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.core.recomputation import recompute_layers
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import build_with, system_named
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.model_files import check_meaning, fill, initialise_from
from discourse_nmt.training.checkpoints.work import MetricsRow, TrainingState, WorkFolder, digest
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.operation.memory import plan_memory
from discourse_nmt.training.operation.others import first_of_run
from discourse_nmt.training.processes.collectives import Collectives
from discourse_nmt.training.processes.devices import (
    make_deterministic,
    make_fabric,
    process_count,
    resolved,
    small_numbers_as_zero,
)
from discourse_nmt.training.run.averaging import average
from discourse_nmt.training.run.companions import check_companions, give_companions, with_sizes
from discourse_nmt.training.run.evaluation import Development, development_bleu
from discourse_nmt.training.run.loop import Training
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.run.seeds import seed_of
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.structures.opening import open_structure
from discourse_nmt.training.tasks.feed import development_feed, training_feed
from discourse_nmt.training.tasks.protocol import task_for

logger = logging.getLogger(__name__)

# Settings that a run may change when it continues: they change no weight, or only with the number of processes.
FREE_SETTINGS = ("report_every", "checkpoint_minutes")
NAMES = "initialisation.json"
"""File of a run's work folder with the names of its new and unused parameters."""


@dataclass(frozen=True)
class TrainingRun:
    """All inputs of a training run, with files of companions by name; ``code`` is a fingerprint of the program."""

    system: str
    switches: Mapping[str, object]
    settings: TrainingSettings
    seed: int
    train: Path
    dev: Path
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    initialised_from: Path | None = None
    train_structure: Path | None = None
    dev_structure: Path | None = None
    companions: Mapping[str, Path] = field(default_factory=dict)
    code: str = ""

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise InputError(f"--seed is {self.seed}", remedy="it must be at least 0")
        if self.parsed.structure and not (self.train_structure and self.dev_structure):
            raise InputError(
                f"system {self.system} reads discourse structure",
                remedy="give the structure files of train and dev, --train-structure and --dev-structure",
            )
        check_companions(self.system, self.parsed, self.companions, self.initialised_from)

    @cached_property
    def parsed(self) -> TransformerSettings:
        """The system's switches, with the sizes of companions in their files; :class:`InputError` for a wrong one."""
        return with_sizes(system_named(self.system).switches(self.switches), self.companions)

    @property
    def complete_switches(self) -> dict[str, object]:
        """Every switch of the system, with defaults for those that are not set."""
        return dataclasses.asdict(self.parsed)

    @cached_property
    def random_seed(self) -> int:
        """Seed of the order of batches and of dropout: that of the run, and of the weights that training starts from.

        With the numbers of its first stage, a model would meet the same batches again, with the same elements zeroed.
        It remembers them, and dropout does less. All runs of a seed that start from the same weights have one seed.
        """
        if self.initialised_from is None:
            return self.seed
        return seed_of(self.seed, int(checksum(self.initialised_from)[:16], 16))

    @cached_property
    def is_another_system(self) -> bool:
        """Whether it starts from a model of another system."""
        first = self.initialised_from
        return first is not None and parse_card(read_metadata(first), first).system != self.system

    def key(self) -> str:
        """Sixteen hexadecimal digits that change with the inputs, the settings and the code."""
        settings = dataclasses.asdict(self.settings)
        optional = [self.initialised_from, self.train_structure, self.dev_structure]
        files = [self.train, self.dev, *(path for path in optional if path), *self.companions.values()]
        vocabularies = (self.source_vocabulary, self.target_vocabulary)
        identity = {
            "files": [checksum(path) for path in files],
            "vocabularies": [vocabulary.fingerprint for vocabulary in vocabularies],
            "system": self.system,
            "switches": self.complete_switches,
            "settings": {name: value for name, value in settings.items() if name not in FREE_SETTINGS},
            "seed": self.seed,
            "code": self.code,
        }
        return digest(identity)[:16]


@dataclass(frozen=True)
class Trained:
    """The result of a run; ``first`` is true in the one process that writes it to files."""

    network: nn.Module
    state: TrainingState
    first: bool


@small_numbers_as_zero()
def train(
    run: TrainingRun,
    work: Path,
    *,
    device: str,
    devices: int,
    threads: int,
    deadline: float | None = None,
    recompute: bool = False,
    shard: bool = False,
    release: Callable[[], None] = lambda: None,
) -> Trained:
    """Train, or continue, in the folder of ``work`` that is named by the run's key; see docs/how-to/training.md.

    ``devices`` is the number of processes on this machine, ignored where torchrun has started them; they share the
    batches of an update, and the result is the same up to rounding. ``release`` lets those go on that have started and
    wait for this one to have found no fault in the inputs. ``threads`` is for each process. ``recompute`` and
    ``shard`` spare memory: of activations and of the optimiser's state. Raises :class:`InputError` for unfit inputs, or
    where memory does not suffice, and :class:`.Interrupted` after a signal or at ``deadline``, a time of
    :func:`time.monotonic`.
    """
    if not first_of_run():
        logging.getLogger().setLevel(logging.ERROR)
    settings, system = run.settings, system_named(run.system)
    processes = process_count(device, devices)
    if processes > settings.accumulation:
        raise InputError(
            f"{processes} processes share an update of {settings.accumulation} batches",
            remedy=f"set training.accumulation to {processes} or a multiple of it, and divide batch_tokens accordingly",
        )
    datasets = [ParallelDataset(path) for path in (run.train, run.dev)]
    for dataset in datasets:
        check_ids(dataset, run)
    structure_files = (run.train_structure, run.dev_structure)
    target_symbols = len(run.target_vocabulary)
    structures = [
        open_structure(run.parsed.structure, *pair, target_symbols) for pair in zip(structure_files, datasets)
    ]
    folder = WorkFolder(work / run.key())
    network, loaded = initial_network(run, folder.folder / NAMES)
    training, development = (task_for(system.unit, network, *pair) for pair in zip(datasets, structures))
    rate_of = rates_of(settings, loaded, [name for name, _ in network.named_parameters()])
    precision = resolved(settings.precision, folder.precision(), device)
    objective, feed = (
        training.objective(settings.label_smoothing),
        training_feed(training, system.unit, settings, run.random_seed),
    )
    trained = [name for name, weight in network.named_parameters() if weight.requires_grad and rate_of(name) > 0]
    plan_memory(
        network,
        feed,
        objective,
        vocabulary=len(run.target_vocabulary),
        trained=trained,
        batch_tokens=settings.batch_tokens,
        device=device_named(device),
        precision=precision,
        processes=processes,
        recompute=recompute,
        shard=shard,
    )
    if recompute:
        recompute_layers(network)
    fabric = make_fabric(device, devices, precision, threads, release)
    if settings.deterministic and fabric.device.type == "cuda":
        make_deterministic()
    bleu = None
    if settings.select_by == "bleu":
        bleu = development_bleu(development, run.target_vocabulary, DecodingSettings(beam=settings.bleu_beam))
    evaluation = Development(fabric, development_feed(development, system.unit, settings), bleu)
    if run.is_another_system and not trained:
        logger.info(f"nothing to learn: system {run.system} translates with the parameters of {run.initialised_from}")
        measured = evaluation.measure(network.to(fabric.device), objective)
        row: MetricsRow = {"update": 0, "epoch": 0.0, "tokens": 0, "seconds": 0.0, "precision": precision, **measured}
        return _result(network, TrainingState(precision=precision, rows=[row]), fabric)
    shards = Collectives(fabric) if shard else None
    optimiser = Optimiser(network.to(fabric.device), settings, rate_of, loaded, shards)
    logger.info(
        f"system {run.system}: {sum(parameter.numel() for parameter in network.parameters()):,} parameters, "
        f"{sum(parameter.numel() for parameter in optimiser.parameters):,} of them trained; work folder {folder.folder}"
    )
    loop = Training(
        fabric,
        network,
        optimiser,
        objective,
        settings,
        precision=precision,
        seed=run.random_seed,
        width=run.parsed.width,
        training=feed,
        development=evaluation,
        work=folder,
        deadline=deadline,
    )
    state = loop.run()
    chosen = final_weights(state, settings)
    logger.info(
        f"ended by {state.finished} after update {state.update}; best development score after update "
        f"{state.best_update}; final weights from update {', '.join(chosen)}"
    )
    fill(network, average([folder.weights(update) for update in chosen]), folder.folder)
    return _result(network, state, fabric)


def _result(network: nn.Module, state: TrainingState, fabric: Fabric) -> Trained:
    """The result of a run, whose processes part."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    return Trained(network.cpu().eval(), state, fabric.is_global_zero)


def check_ids(dataset: ParallelDataset, run: TrainingRun) -> None:
    """Raise :class:`InputError` for a dataset with ids outside the vocabularies."""
    for side, subwords, vocabulary in (
        ("source", dataset.source, run.source_vocabulary),
        ("target", dataset.target, run.target_vocabulary),
    ):
        if subwords.largest >= len(vocabulary):
            raise InputError(
                f"{side} id {subwords.largest} is outside the {side} vocabulary of {len(vocabulary)} symbols",
                file=dataset.path,
                remedy="build the dataset with this vocabulary",
            )


def initial_network(run: TrainingRun, names: Path | None = None) -> tuple[nn.Module, set[str]]:
    """The network before training, and the names of its parameters from ``initialised_from``.

    The file ``names`` tells, for reading, which of its parameters are new and which of the other model's are not used.
    """
    source, target = run.source_vocabulary, run.target_vocabulary
    torch.manual_seed(seed_of(run.seed))
    network = build_with(run.system, run.complete_switches, source, target)
    loaded: set[str] = set()
    if run.initialised_from is not None:
        check_meaning(run.initialised_from, run.complete_switches)
        excluded = tuple(f"{name}." for name in run.companions)
        loaded, unused = initialise_from(network, run.initialised_from, source, target, excluded)
        trained = [name for name, parameter in network.named_parameters() if parameter.requires_grad]
        new = sorted(set(trained) - loaded)
        where = "" if names is None else f" ({names})"
        logger.info(f"{len(loaded)} parameters from {run.initialised_from}, {len(new)} new{where}")
        if unused:
            logger.warning(f"{len(unused)} of its parameters are not used, first {min(unused)}{where}")
        if names is not None and first_of_run():
            write_json({"new": new, "not used": sorted(unused)}, names)
        give_companions(network, run.companions, source, run.initialised_from)
    return network, loaded


def final_weights(state: TrainingState, settings: TrainingSettings) -> list[str]:
    """The updates with the weights of the final model, which is the mean of these weights."""
    if settings.final == "best":
        return [str(state.best_update)]
    return list(state.evaluated)[-(settings.average_checkpoints if settings.final == "average" else 1) :]
