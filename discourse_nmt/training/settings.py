"""The keys of ``training:`` in the configuration. Free of torch, as the workflow reads them."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import probability, setting


@dataclass(frozen=True)
class TrainingSettings:
    """How a network is trained; every field is a key of ``training:`` with its default and meaning."""

    batch_tokens: int = setting(
        4096,
        "number of tokens of a batch on its larger side, padding included",
        minimum=1,
    )
    accumulation: int = setting(
        1,
        "number of batches whose gradients are summed for one update; several devices or processes share them",
        minimum=1,
    )
    max_length: int = setting(
        0, "longest training unit in tokens of either side, longer ones are left out; 0 keeps all", minimum=0
    )
    share_of_documents: float = setting(
        1.0,
        "share of the training documents that is learnt from, chosen by a stable hash of their ids, so that a smaller "
        "share lies within a larger one; above 0",
        minimum=0,
        maximum=1,
    )
    skipped_share: float = setting(
        0.0,
        "share of the training documents, before that of share_of_documents in the order of their hashes, that is left "
        "out: with the share of an earlier stage, documents that it has not seen",
        minimum=0,
        maximum=1,
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
        0, "number of updates between evaluations on the development set; 0 evaluates after each epoch", minimum=0
    )
    select_by: Literal["loss", "bleu"] = setting(
        "loss", "development score for patience and for final: best; loss in nats per token, or BLEU"
    )
    bleu_beam: int = setting(1, "select_by: bleu: beam size for translating the development set", minimum=1)
    final: Literal["best", "last", "average"] = setting(
        "best",
        "weights of the final model: the best evaluated ones, the last ones, or the average of the last evaluated ones",
    )
    average_checkpoints: int = setting(5, "final: average: number of evaluated weights in the average", minimum=1)
    learning_rate: float = setting(
        5e-4, "learning rate after warm-up; schedule: noam: factor of its formula", minimum=0
    )
    schedule: Literal["inverse_square_root", "noam", "constant", "polynomial"] = setting(
        "inverse_square_root", "course of the learning rate; docs/systems/common-training.md has the formulae"
    )
    warmup_updates: int = setting(4000, "number of updates in which the learning rate rises linearly", minimum=0)
    warmup_initial_rate: float = setting(0.0, "learning rate at the start of warm-up, not for noam", minimum=0)
    final_rate: float = setting(0.0, "schedule: polynomial: learning rate at max_updates", minimum=0)
    polynomial_power: float = setting(1.0, "schedule: polynomial: its power; 1 decays linearly", minimum=0)
    label_smoothing: float = probability(0.1, "probability mass that is spread evenly over the vocabulary")
    adam_beta1: float = probability(0.9, "decay of Adam's mean of gradients")
    adam_beta2: float = probability(0.98, "decay of Adam's mean of squared gradients")
    adam_epsilon: float = setting(1e-9, "epsilon in Adam's denominator", minimum=0)
    clip_norm: float = setting(
        1.0, "largest 2-norm of an update's gradient per target token; 0 does not clip", minimum=0
    )
    word_dropout_epochs: int = setting(
        0, "number of passes over the data after which word_dropout ends; 0 keeps it throughout", minimum=0
    )
    initialised_rate: float = setting(
        1.0,
        "factor on the learning rate of parameters taken from initialised_from; 0 freezes them, and a system without "
        "others translates with these as they are",
        minimum=0,
    )
    frozen_updates: int = setting(
        0,
        "number of updates in which parameters taken from initialised_from stay as they are, while new ones learn to "
        "use them; then they learn, too",
        minimum=0,
    )
    rates: dict[str, float] = setting(
        {},
        "factor on the learning rate by prefix of parameter names; the longest prefix counts, before initialised_rate; "
        "0 freezes",
        minimum=0,
    )
    precision: Literal["auto", "fp32", "bf16", "fp16"] = setting(
        "fp32",
        "arithmetic of the forward and backward pass, which changes results slightly (weights and optimiser stay in "
        "fp32); auto is bf16 where the processor computes with it, else fp32",
    )
    deterministic: bool = setting(
        True, "on a GPU, use kernels that give the same bits in every run instead of faster ones"
    )
    report_every: int = setting(100, "number of updates between rows of metrics.csv", minimum=1)
    checkpoint_minutes: float = setting(10.0, "minutes between checkpoints, besides one at each evaluation", minimum=0)

    def __post_init__(self) -> None:
        if not (self.max_updates or self.max_epochs or self.max_minutes or self.patience):
            raise InputError(
                "it would never end",
                remedy="set max_updates, max_epochs, max_minutes or patience above 0",
            )
        if not self.share_of_documents:
            raise InputError("share_of_documents is 0", remedy="set it above 0, 1 for all documents")
        if self.skipped_share + self.share_of_documents > 1 + 1e-9:
            shares = f"skipped_share {self.skipped_share} and share_of_documents {self.share_of_documents}"
            raise InputError(f"{shares} are more than 1", remedy="lower one of them")
        if self.schedule == "polynomial" and self.max_updates <= self.warmup_updates:
            raise InputError(
                f"schedule polynomial ends at max_updates, {self.max_updates}",
                remedy=f"set it above warmup_updates, {self.warmup_updates}",
            )
