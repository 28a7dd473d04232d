"""The keys of ``training:`` in the configuration. Free of torch, as the workflow reads them."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import probability, setting


@dataclass(frozen=True)
class TrainingSettings:
    """How a network is trained; every field is a key of ``training:`` with its default and meaning."""

    batch_tokens: int = setting(
        4096, "tokens of one batch on its larger side, padding included, per device and before accumulation", minimum=1
    )
    accumulation: int = setting(1, "batches per device whose gradients add up to one update", minimum=1)
    max_length: int = setting(
        0, "training units longer than this many tokens on either side are left out; 0 keeps all", minimum=0
    )
    max_updates: int = setting(100_000, "stop after this many updates; 0 sets no limit", minimum=0)
    max_epochs: int = setting(0, "stop after this many passes over the training data; 0 sets no limit", minimum=0)
    max_minutes: float = setting(
        0.0, "stop after this many minutes of training, summed over restarts; 0 sets no limit", minimum=0
    )
    patience: int = setting(
        10, "stop after this many evaluations without a better score; 0 never stops early", minimum=0
    )
    evaluate_every: int = setting(
        0, "updates between evaluations on the development set; 0 evaluates after each epoch", minimum=0
    )
    select_by: Literal["loss", "bleu"] = setting(
        "loss", "development score that patience and final: best go by, loss (nats per token) or bleu"
    )
    bleu_beam: int = setting(
        1, "hypotheses per sentence when the development set is translated for select_by: bleu", minimum=1
    )
    final: Literal["best", "last", "average"] = setting(
        "best",
        "the final model: the best evaluated weights, the last ones, or the average of the last evaluated ones",
    )
    average_checkpoints: int = setting(5, "evaluated weights that final: average averages", minimum=1)
    learning_rate: float = setting(
        5e-4, "learning rate after warm-up; for noam the factor before its formula", minimum=0
    )
    schedule: Literal["inverse_square_root", "noam", "constant", "polynomial"] = setting(
        "inverse_square_root", "course of the learning rate, formulae in docs/training.md"
    )
    warmup_updates: int = setting(4000, "updates in which the learning rate rises linearly", minimum=0)
    warmup_initial_rate: float = setting(0.0, "learning rate that warm-up starts from, not for noam", minimum=0)
    final_rate: float = setting(0.0, "learning rate at max_updates, for polynomial", minimum=0)
    polynomial_power: float = setting(1.0, "power of polynomial; 1 falls on a straight line", minimum=0)
    label_smoothing: float = probability(0.1, "probability spread evenly over the whole vocabulary")
    adam_beta1: float = probability(0.9, "decay of Adam's mean of gradients")
    adam_beta2: float = probability(0.98, "decay of Adam's mean of squared gradients")
    adam_epsilon: float = setting(1e-9, "term in Adam's denominator", minimum=0)
    clip_norm: float = setting(
        1.0, "largest 2-norm of an update's gradient per target token; 0 does not clip", minimum=0
    )
    word_dropout_epochs: int = setting(
        0, "passes after which the system's word_dropout ends; 0 keeps it throughout", minimum=0
    )
    initialised_rate: float = setting(
        1.0,
        "factor on the learning rate of parameters taken from initialised_from; 0 freezes them",
        minimum=0,
    )
    rates: dict[str, float] = setting(
        {},
        "factor on the learning rate by the beginning of parameter names; the longest one counts and goes before"
        " initialised_rate; 0 freezes",
        minimum=0,
    )
    precision: Literal["fp32", "bf16", "fp16"] = setting(
        "fp32", "arithmetic of the forward and backward pass (weights and optimiser stay in fp32)"
    )
    deterministic: bool = setting(True, "on a GPU, prefer kernels that give the same bits in every run to faster ones")
    report_every: int = setting(100, "updates between rows of metrics.csv", minimum=1)
    checkpoint_minutes: float = setting(10.0, "minutes between checkpoints, besides one at each evaluation", minimum=0)

    def __post_init__(self) -> None:
        if not (self.max_updates or self.max_epochs or self.max_minutes or self.patience):
            raise InputError(
                "training: it would never end",
                remedy="set max_updates, max_epochs, max_minutes or patience above 0",
            )
        if self.schedule == "polynomial" and self.max_updates <= self.warmup_updates:
            raise InputError(
                f"training: schedule polynomial ends at max_updates, {self.max_updates}",
                remedy=f"set it above warmup_updates, {self.warmup_updates}",
            )
