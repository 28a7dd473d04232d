"""A tiny corpus and a tiny network for the tests of training."""

from pathlib import Path
from typing import cast

import numpy as np
import pandas as pd
import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.base.vocabulary import SPECIALS, Vocabulary
from discourse_nmt.training.checkpoints.work import WorkFolder
from discourse_nmt.training.data.collation import Batch
from discourse_nmt.training.data.dataset import CutBy, ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.processes.devices import make_fabric
from discourse_nmt.training.run.evaluation import Development, DevelopmentBleu
from discourse_nmt.training.run.loop import Training
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import development_feed, training_feed
from discourse_nmt.training.tasks.loss import Objective
from discourse_nmt.training.tasks.sentences import SentenceTask, translation_objective

SIZE = 30


def vocabulary(size: int = SIZE) -> Vocabulary:
    return Vocabulary(SPECIALS + tuple(f"w{number}" for number in range(size - len(SPECIALS))))


def subwords(documents: list[int], seed: int = 0, length: int = 0, size: int = SIZE) -> pd.DataFrame:
    """A subwords table: the target is the source reversed; sentences of 1 to 12 subwords, or of ``length``."""
    generator = np.random.default_rng(seed)
    rows = []
    for document, sentences in enumerate(documents):
        for sentence in range(sentences):
            ids = generator.integers(len(SPECIALS), size, length or generator.integers(1, 13)).astype(np.int32)
            words = np.arange(len(ids), dtype=np.int32)
            for side, of_side in (("source", ids), ("target", ids[::-1])):
                rows.append((f"doc{document:03d}", sentence, side, of_side, words))
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "side", "ids", "word_of_subword"])


def write_shard(frame: pd.DataFrame, path: Path) -> Path:
    write_table(frame, path, "subwords")
    return path


def dataset(
    folder: Path, documents: list[int], name: str = "train", cut_by: CutBy = "both", repeats: int = 1, **keys: int
) -> ParallelDataset:
    """The dataset of :func:`subwords`; targets are repeated ``repeats`` times."""
    path = folder / f"{name}.arrow"
    frame = subwords(documents, **keys)
    for column in ("ids", "word_of_subword"):
        repeated = [np.tile(values, repeats) for values in frame[column]]
        frame[column] = frame[column].where(frame["side"] == "source", pd.Series(repeated))
    write_dataset([frame], path, cut_by)
    return ParallelDataset(path)


class ToyNetwork(nn.Module):
    """Predicts the next target token from the one before and the mean of the source; its output is tied."""

    def __init__(self, size: int = SIZE, width: int = 8, dropout: float = 0.0) -> None:
        super().__init__()
        self.word_dropout = 0.5
        self.embedding = nn.Embedding(size, width)
        self.context = nn.Linear(width, width)
        self.unused = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(width, size, bias=False)
        self.output.weight = self.embedding.weight
        self.output_bias = None

    @property
    def output_matrix(self) -> torch.Tensor:
        """The embedding: [V, d]."""
        return self.output.weight

    def final_states(self, source_ids: Tensor, target_input: Tensor, wanted: Tensor | None = None) -> Tensor:
        present = (source_ids != 0).unsqueeze(-1)
        mean = (self.embedding(source_ids) * present).sum(1) / present.sum(1)
        states = self.dropout(self.embedding(target_input) + torch.tanh(self.context(mean))[:, None])
        return states if wanted is None else states[wanted]

    def forward(self, source_ids: Tensor, target_input: Tensor, wanted: Tensor | None = None) -> Tensor:
        return self.output(self.final_states(source_ids, target_input, wanted))


def toy_objective(smoothing: float) -> Objective[nn.Module, Batch]:
    """The objective of translation for any network with the attributes of a Transformer that it reads."""
    return cast(Objective[nn.Module, Batch], translation_objective(smoothing))


def fabric() -> Fabric:
    return make_fabric("cpu", 1, "fp32", threads=1)


def training(
    folder: Path,
    network: nn.Module,
    settings: TrainingSettings,
    data: tuple[ParallelDataset, ParallelDataset],
    *,
    seed: int = 3,
    objective: Objective | None = None,
    bleu: DevelopmentBleu | None = None,
    processes: Fabric | None = None,
    deadline: float | None = None,
) -> Training:
    """A run on sentences, like those of discourse_nmt.training.run.run for a system of the registry."""
    processes = processes or fabric()
    names = [name for name, _ in network.named_parameters()]
    return Training(
        processes,
        network,
        Optimiser(network, settings, rates_of(settings, set(), names)),
        objective or toy_objective(settings.label_smoothing),
        settings,
        precision="fp32" if settings.precision == "auto" else settings.precision,
        seed=seed,
        width=8,
        training=training_feed(SentenceTask(data[0]), "sentence", settings, seed),
        development=Development(processes, development_feed(SentenceTask(data[1]), "sentence", settings), bleu),
        work=WorkFolder(folder),
        deadline=deadline,
    )


def toy(dropout: float = 0.0, seed: int = 1) -> ToyNetwork:
    torch.manual_seed(seed)
    return ToyNetwork(dropout=dropout)


def same(one: nn.Module, other: nn.Module) -> bool:
    """Whether all weights are equal bit for bit."""
    return all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def largest_difference(one: nn.Module, other: nn.Module) -> float:
    return max((a - b).abs().max().item() for a, b in zip(one.parameters(), other.parameters(), strict=True))


def splits(folder: Path) -> tuple[ParallelDataset, ParallelDataset]:
    """Three documents to train on and one to develop on."""
    return dataset(folder, [10, 12, 8]), dataset(folder, [6], name="dev", seed=1)
