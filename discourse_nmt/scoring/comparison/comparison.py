"""Comparison of a system with its baseline: differences of scores, and p-values of the differences.

Results are scores whose parts say what is compared with which baseline. With several seeds, each paired with one of
the baseline's, they are those of the mean over seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.corpus.groups import units_of
from discourse_nmt.scoring.comparison.significance import (
    Aggregate,
    MeanScore,
    Statistics,
    approximate_randomisation,
    exact_randomisation,
    mean_difference,
    mixed_model,
    paired_bootstrap,
    sacrebleu_randomisation,
    statistics,
    summed_by_unit,
)
from discourse_nmt.scoring.metrics import generation
from discourse_nmt.scoring.metrics.contrastive import subsets
from discourse_nmt.scoring.metrics.score import (
    ACCURACY,
    BOOTSTRAP,
    EXACT,
    MIXED,
    POOLED,
    RANDOMISATION,
    MetricParts,
    Score,
    item_metric,
    with_baseline,
)
from discourse_nmt.scoring.metrics.translation import Segments, measured_segments

SIGNATURES = {"contrastive": "ties:wrong", "generation": generation.SIGNATURE}
"""How items of each task are judged."""


@dataclass(frozen=True)
class Comparison:
    """The seeds of a system and those of its baseline that they are compared with."""

    baseline: str
    """Name of the baseline's experiment."""
    seeds: list[tuple[int, int]]
    """Pairs of a seed of the system and a seed of the baseline."""
    groups: str = ""
    """Regular expression of the group in a document's id; empty if documents are independent of each other."""
    unit: Literal["documents", "lines"] = "documents"
    """What is independent of each other without groups: lines, where nobody tells the boundaries of documents."""

    trainings: Literal["random", "fixed"] = "random"
    """Whether a test of several seeds is about other trainings, too."""

    @property
    def random_trainings(self) -> bool:
        """Whether seeds are a random factor: a seed of the baseline that several are paired with is no new training."""
        return (
            self.trainings == "random" and self.pooled and all(len(set(side)) == len(side) for side in zip(*self.seeds))
        )

    @property
    def pooled(self) -> bool:
        """Whether there are several seeds."""
        return len(self.seeds) > 1

    @property
    def units(self) -> str:
        """Units that are exchanged or drawn as a whole: groups where the corpus names them, else :attr:`unit`."""
        return "groups" if self.groups else self.unit

    def units_of(self, documents: Sequence[str]) -> list[str]:
        """The unit of each of ``documents``; one without a group is a unit by itself."""
        return units_of(documents, self.groups)

    def difference(self, metric: str, value: float, signature: str, better: str = "") -> Score:
        """System minus baseline; ``better`` is the direction of a metric that the user runs."""
        return self._score("difference", metric, value, signature, compared=metric, better=better)

    def p(self, metric: str, test: str, units: str, value: float, signature: str, better: str = "") -> Score:
        """The p-value, 0 to 1, of a difference by a test over units: sentences, items, documents or groups of these."""
        parts = {"compared": metric, "test": test, "units": units, "better": better}
        return self._score("p", f"{metric}, {test} over {units}", value, signature, **parts)

    def p_of_trainings(
        self,
        metric: str,
        computed: Aggregate,
        system: Sequence[Statistics],
        baseline: Sequence[Statistics],
        signature: str,
        better: str = "",
    ) -> Score:
        """The p-value over units and seeds, see :func:`.mixed_model`; a matrix of units' statistics for each seed."""
        value = mixed_model(computed, system, baseline)
        return self.p(metric, MIXED, f"{self.units} and seeds", value, signature, better)

    def _score(self, kind: str, told: str, value: float, signature: str, **parts: str) -> Score:
        name = f"{kind}{', all seeds' if self.pooled else ''} ({told})"
        known = MetricParts(**parts, pooled=POOLED if self.pooled else "", baseline=self.baseline)
        return Score(name, value, with_baseline(signature, self.baseline, self.seeds), known)


@dataclass(frozen=True)
class Resampling:
    """Numbers of draws of the tests."""

    samples: int
    """Samples of the paired bootstrap."""
    trials: int
    """Trials of approximate randomisation."""
    seed: int
    """Seed of all draws."""


def translation_tests(
    system: Sequence[pd.DataFrame],
    baseline: Sequence[pd.DataFrame],
    comparison: Comparison,
    resampling: Resampling,
    *,
    language: str,
    lowercase: bool,
) -> list[Score]:
    """Compare translations by all measures of sacrebleu that the project reports.

    ``system`` and ``baseline`` hold one table of :func:`.pair` for each pair of seeds.
    """
    system_segments, baseline_segments = (
        [measured_segments(pairs, language=language, lowercase=lowercase) for pairs in side]
        for side in (system, baseline)
    )
    by_measure = zip(zip(*system_segments, strict=True), zip(*baseline_segments, strict=True), strict=True)
    return [
        score
        for own, other in progress(list(by_measure), "compare", "measures")
        for score in measure_tests(own, other, comparison, resampling)
    ]


def measure_tests(
    system: Sequence[Segments], baseline: Sequence[Segments], comparison: Comparison, resampling: Resampling
) -> list[Score]:
    """Compare by one measure; ``system`` and ``baseline`` have one entry for each pair of seeds."""
    own, other = (
        [statistics(segments.measure, segments.hypotheses, segments.references) for segments in side]
        for side in (system, baseline)
    )
    first, measure, metric = system[0], system[0].measure, system[0].measure.metric
    bootstrapped = measure.signature(bs=resampling.samples, seed=resampling.seed)
    randomised = measure.signature(ar=resampling.trials, seed=resampling.seed)

    def bootstrap(units: str, own_rows: Statistics, other_rows: Statistics) -> Score:
        value = paired_bootstrap(metric, own_rows, other_rows, resampling.samples, resampling.seed)
        return comparison.p(measure.name, BOOTSTRAP, units, value, bootstrapped)

    totals = [[rows.sum(0) for rows in side] for side in (own, other)]
    scores = [comparison.difference(measure.name, mean_difference(metric, *totals), measure.signature())]
    if first.unit == "sentence" and not comparison.pooled:
        value = sacrebleu_randomisation(metric, own[0], other[0], resampling.trials, resampling.seed)
        scores.append(bootstrap("sentences", own[0], other[0]))
        scores.append(comparison.p(measure.name, RANDOMISATION, "sentences", value, randomised))
    units = comparison.units_of(first.documents)
    own, other = ([summed_by_unit(rows, units) for rows in side] for side in (own, other))
    if not comparison.pooled:
        scores.append(bootstrap(comparison.units, own[0], other[0]))
    if comparison.random_trainings:
        return [*scores, comparison.p_of_trainings(measure.name, metric, own, other, measure.signature())]
    value = approximate_randomisation(metric, own, other, resampling.trials, resampling.seed)
    return [*scores, comparison.p(measure.name, RANDOMISATION, comparison.units, value, randomised)]


def accuracy_tests(
    task: str,
    system: Sequence[pd.DataFrame],
    baseline: Sequence[pd.DataFrame],
    documents: Mapping[str, str],
    comparison: Comparison,
    *,
    file: str | Path,
) -> list[Score]:
    """Compare the accuracy of a task, contrastive or generation, overall and for each subset of the items.

    ``system`` and ``baseline`` hold the items of one pair of seeds each, as :func:`.judge` and
    :func:`.generation_items` give them; ``documents`` maps items to their documents, and ``file`` is the name of the
    system's table in messages.

    Raises :class:`InputError`: an item is missing in a table.
    """
    signature = SIGNATURES[task]
    items = system[0].set_index("item_id")
    for judged in [*system, *baseline]:
        if set(judged["item_id"]) ^ set(items.index) or set(items.index) - documents.keys():
            raise InputError("other items than the baseline's", file=file, remedy="score both with the same items")
    own, other = (
        [judged.set_index("item_id")["right"].reindex(items.index).astype(int) for judged in side]
        for side in (system, baseline)
    )
    gains = [mine - others for mine, others in zip(own, other, strict=True)]
    items = items.assign(gain=sum(gains), document=items.index.map(documents)).reset_index()
    scores = []
    for subset, chosen in subsets(items, file=file):
        if "gain" not in chosen:  # blocks are not items
            continue
        metric, gain = item_metric(task, ACCURACY, subset), chosen["gain"].to_numpy()
        scores.append(comparison.difference(metric, 100 * gain.sum() / len(gain) / len(gains), signature))
        if not comparison.pooled:
            scores.append(comparison.p(metric, EXACT, "items", exact_randomisation(gain), signature))
        units = comparison.units_of(chosen["document"].tolist())
        if comparison.random_trainings:
            ones = np.ones(len(gain))
            first, second = (
                [summed_by_unit(np.stack([100 * right[chosen["item_id"]], ones], axis=1), units) for right in side]
                for side in (own, other)
            )
            scores.append(comparison.p_of_trainings(metric, MeanScore(), first, second, signature))
            continue
        value = exact_randomisation(summed_by_unit(gain, units))
        scores.append(comparison.p(metric, EXACT, comparison.units, value, signature))
    return scores
