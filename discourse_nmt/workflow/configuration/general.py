"""Sections of the configuration about a run as a whole: report, significance, metrics, hardware."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import required, setting
from discourse_nmt.scoring.external.settings import MetricTextSettings


@dataclass(frozen=True)
class MetricSettings:
    """A metric that a program of the user computes."""

    command: list[str] = required(
        "program and its arguments, run without a shell; {source}, {hypotheses}, {references} and {documents} stand "
        "for text files with a line for each sentence, {source_language} and {target_language} for codes, {experiment} "
        "and {seed} for the run",
        schema={"minItems": 1},
    )
    better: Literal["higher", "lower"] = setting("higher", "which scores are better")
    time_limit: int | None = setting(None, "largest duration of one run in seconds; null for no limit", minimum=1)
    texts: MetricTextSettings = setting(MetricTextSettings(), "what stands in a line of these files")


@dataclass(frozen=True)
class ModelFolderSettings:
    """Model folders, which the target models makes."""

    licence: str | None = setting(None, "licence of the weights, as it is written into the folders; null: not stated")
    precision: Literal["fp32", "bf16"] = setting(
        "fp32",
        "precision of the stored weights; bf16 halves the folder and rounds them, so that translations may differ",
    )


@dataclass(frozen=True)
class HardwareSettings:
    """Resources of the jobs of networks."""

    threads: int = setting(2, "CPU threads of a translation job and of each process of a training", minimum=1)
    gpus: int | Literal["auto"] = setting(
        "auto",
        "GPUs of a training job on each of its nodes, one process each; translation, scoring of contrastive items and "
        "labellers use at most one; 0 computes on the CPU; auto uses one GPU if the machine has one, else the CPU",
        minimum=0,
    )
    processes: int = setting(
        1, "processes of a training on the CPU of each of its nodes, which share the batches of an update", minimum=1
    )
    nodes: int = setting(
        1, "machines of a training, which start together under Slurm; docs/how-to/clusters.md explains", minimum=1
    )
    recompute_activations: bool = setting(
        False,
        "in training, encoder and decoder layers keep only their input for the gradient and are computed again: less "
        "memory for activations, and the time of a further forward pass",
    )
    sentences_per_job: int = setting(
        20_000,
        "sentences that a job translates or scores; a larger split is divided by documents among jobs, at most 256, "
        "in steps of 10,000 sentences, with the same results",
        minimum=1,
    )
    shard_optimiser: bool = setting(
        False, "in training by several processes, each keeps the optimiser's state of a part of the parameters only"
    )

    @property
    def wanted_gpus(self) -> int:
        """The GPUs that a training must have on each of its nodes: none for auto."""
        return 0 if self.gpus == "auto" else self.gpus
