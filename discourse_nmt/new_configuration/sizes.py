"""Sizes and updates that fit a corpus and a machine.

The rows of :data:`SIZES` are those of the presets: the demo, ``config/ted_ende.yaml``, and the Base of Vaswani et al.
2017; between them widths and merges grow with the corpus. The passes over it are those of
:data:`.networks.PASSES`; training stops by itself when the development loss no longer falls (``patience``).
"""

from dataclasses import dataclass, replace
from typing import Any

from discourse_nmt import ROOT
from discourse_nmt.discourse.backends.builtin.models import has_model
from discourse_nmt.new_configuration.facts import Facts
from discourse_nmt.new_configuration.machine import Machine
from discourse_nmt.workflow.estimates.networks import passes

SUBWORDS_PER_WORD = 1.3
FILL = 0.8  # share of a batch that is no padding
# Least number of sentence pairs: layers, width, heads, dropout, merges, learning rate.
SIZES = (
    (0, (2, 128, 4, 0.3, 1_000, 0.002)),
    (3_000, (3, 192, 4, 0.3, 4_000, 0.001)),
    (30_000, (4, 256, 4, 0.3, 8_000, 0.001)),
    (200_000, (6, 512, 8, 0.2, 16_000, 0.0007)),
    (1_000_000, (6, 512, 8, 0.1, 32_000, 0.0007)),
)
LARGEST_ON_CPU = 2  # row of SIZES
# A test that exchanges the systems of n documents has 2 ** n outcomes: the best p is 2 / 2 ** n, above 0.05 for five.
LEAST_TESTED = 6
LEAST_UPDATES, MOST_UPDATES = 200, 100_000
# Several processes share an update faster than threads share a step, as long as the part of each holds whole documents.
LEAST_BATCH_TOKENS = 1_000
# Rates relative to the sentence model, docs/reference/figures/speed.md#training-rate.
RELATIVE_RATE = {"g_transformer": 0.91, "rst_transformer": 0.97}


@dataclass(frozen=True)
class Sizes:
    """Values of the configuration."""

    model: dict[str, Any]
    merges: int
    batch_tokens: int
    """Target subwords of an update: those of ``processes`` batches."""
    processes: int
    """Of a training on the CPU."""
    threads: int
    """Of each process."""
    learning_rate: float
    updates: int
    systems: tuple[str, ...]
    """Document-level systems beside the sentence model."""
    held_out: int
    """Documents to develop on, and as many to test on."""

    @property
    def vocabulary(self) -> int:
        """About the number of subwords: merges and characters."""
        return self.merges + 300

    @property
    def later_updates(self) -> int:
        """Updates of a document-level system, which starts from the sentence model."""
        return max(LEAST_UPDATES // 2, self.updates // 3)

    def training_seconds(self, rate: float) -> float:
        """Seconds for all systems at a rate of target subwords per second of the sentence model."""
        seconds = self.updates * self.batch_tokens * FILL / rate
        later = self.later_updates * self.batch_tokens * FILL / rate
        return seconds + sum(later / RELATIVE_RATE[system] for system in self.systems)


def sizes_for(facts: Facts, machine: Machine, source_language: str) -> Sizes:
    """Model, batches and updates for a corpus; a document-level system with trees where there is an analyser."""
    row = max(index for index, (least, _) in enumerate(SIZES) if facts.pairs >= least)
    row = row if machine.gpu_memory else min(row, LARGEST_ON_CPU)
    layers, width, heads, dropout, merges, learning_rate = SIZES[row][1]
    model = {
        "encoder_layers": layers,
        "decoder_layers": layers,
        "width": width,
        "feed_forward_width": 4 * width,
        "heads": heads,
        "dropout": dropout,
    }
    batch_tokens = 2_500 if row < LARGEST_ON_CPU else 4_000
    if machine.gpu_memory >= 40 and row > LARGEST_ON_CPU:
        batch_tokens = 16_000
    elif machine.gpu_memory >= 16 and row > LARGEST_ON_CPU:
        batch_tokens = 8_000
    processes = 1 if machine.gpu_memory else max(1, min(machine.cores, batch_tokens // LEAST_BATCH_TOKENS))
    subwords = SUBWORDS_PER_WORD * max(facts.source_words, facts.target_words)
    updates = round(passes(facts.pairs) * subwords / (batch_tokens * FILL))
    trees = has_model(ROOT / "resources" / "analysers" / source_language, "rst")
    return Sizes(
        model,
        min(merges, 1_000 * max(1, round(subwords / 20_000))),
        batch_tokens,
        processes,
        machine.cores // processes,
        learning_rate,
        _rounded(min(max(updates, LEAST_UPDATES), MOST_UPDATES)),
        ("g_transformer", "rst_transformer") if trees else ("g_transformer",),
        min(max(1, round(0.05 * facts.documents)), max(1, round(2_000 * facts.documents / facts.pairs)), 100),
    )


def significance(sizes: Sizes, facts: Facts) -> list[str]:
    """A warning where too few documents are tested on for any difference to be significant."""
    if sizes.held_out >= LEAST_TESTED:
        return []
    kept = facts.documents >= 4 * LEAST_TESTED  # then half of them is still learnt from
    remedy = f"set held_out: {{dev: {sizes.held_out}, test: {LEAST_TESTED}}} or more" if kept else "give more documents"
    return [
        f"warning: {facts.documents} documents give {sizes.held_out} to test on: significance will be impossible, "
        f"since it takes {LEAST_TESTED} documents that all speak for one system; {remedy}"
    ]


def limited(sizes: Sizes, rate: float, seconds: float) -> Sizes:
    """The same with fewer updates, so that training takes at most about ``seconds``; never fewer than 200."""
    needed = sizes.training_seconds(rate)
    if needed <= seconds:
        return sizes
    return replace(sizes, updates=_rounded(max(LEAST_UPDATES, sizes.updates * seconds / needed)))


def _rounded(number: float) -> int:
    """A whole number with two digits that count, so that nobody takes it for exact."""
    unit = 10 ** max(0, len(str(int(number))) - 2)
    return int(number // unit * unit)
