"""The keys of ``significance:`` in the configuration, which are the defaults of the programs that compare."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import setting


@dataclass(frozen=True)
class SignificanceSettings:
    """Tests of the differences between experiments and a baseline."""

    baseline: str | None = setting(
        None, "experiment or external system that the others are compared with on its corpora; null for no tests"
    )
    units: Literal["groups", "documents"] = setting(
        "groups",
        "what the tests draw and exchange: the groups of documents that the corpus names (documents where it names "
        "none), or documents in any case",
    )
    trainings: Literal["random", "fixed"] = setting(
        "random",
        "what a verdict on several seeds is about: other trainings, too (random: seeds are a random factor beside "
        "units, where each has a seed of the baseline of its own), or these alone (fixed)",
    )
    samples: int = setting(1000, "samples of the paired bootstrap", minimum=1)
    trials: int = setting(10000, "trials of approximate randomisation", minimum=1)
    seed: int = setting(12345, "seed of the draws", minimum=1)
