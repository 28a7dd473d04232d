"""The headline of the report: what was compared on which texts, and what came out, all from the table of scores."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from discourse_nmt.scoring.comparison.marks import LEVEL, TestedDifference, lower_is_better, tested_differences, verdict
from discourse_nmt.scoring.metrics.score import ACCURACY, ALL_ITEMS, BOUNDS, ITEM_TASKS, item_metric
from discourse_nmt.scoring.tables.summary import decimals_of, main_metrics, spread

SHOWN = 3  # experiments of a headline; the table has all
BLEU = "s-BLEU"
ACCURACIES = {item_metric(task, ACCURACY, ALL_ITEMS): task for task in ITEM_TASKS}
"""Task of each accuracy of all items."""


@dataclass(frozen=True)
class Change:
    """A measure of a baseline and of a system, as text.

    ``verdict`` is ``better`` or ``worse`` where the difference is significant, else empty.
    """

    measure: str
    before: str
    after: str
    difference: str
    p: str
    verdict: str


@dataclass(frozen=True)
class Outcome:
    """The changes of an experiment from its baseline."""

    experiment: str
    baseline: str
    seeds: int
    changes: Sequence[Change]

    @property
    def seeds_text(self) -> str:
        """``1 seed`` or ``3 seeds``."""
        return f"{self.seeds} seed{'s' if self.seeds != 1 else ''}"


@dataclass(frozen=True)
class Headline:
    """The outcome on a test set."""

    corpus: str
    test_set: str
    languages: str
    """``English → German``; empty if unknown."""
    size: str
    """Documents and sentences; empty if unknown."""
    verdict: str
    """One sentence: how many systems differ from their baseline."""
    outcomes: Sequence[Outcome]
    """Those with the largest gains."""
    left_out: int
    """Number of outcomes that the table alone has."""
    scores: Sequence[tuple[str, str]]
    """Without comparisons: experiments and their scores."""

    @property
    def compares_several(self) -> bool:
        """Whether several systems are compared, so that p-values are corrected."""
        return len(self.outcomes) > 1


def headlines(
    scores: pd.DataFrame, languages: Mapping[str, str], sizes: Mapping[tuple[str, str], str]
) -> list[Headline]:
    """A headline for each corpus and test set with scores of translations.

    ``languages`` are by corpus, ``sizes`` by corpus and test set.
    """
    found = []
    metrics, tested = headline_metrics(scores), tested_differences(scores)
    of_translations = scores[scores["metric"].isin(main_metrics(scores))]
    for (corpus, test_set), _ in of_translations.groupby(["corpus", "test_set"], sort=False):
        group = scores[(scores["corpus"] == corpus) & (scores["test_set"] == test_set)]
        names = [str(name) for name in group["experiment"].unique()]
        by_name: dict[str, dict[str, TestedDifference]] = {name: {} for name in names}
        for (*place, name, metric), difference in tested.items():
            if place == [corpus, test_set]:
                by_name[name][metric] = difference
        outcomes = [one for name in names if (one := outcome_of(group, name, metrics, by_name[name]))]
        outcomes.sort(key=gained, reverse=True)
        listed = [] if outcomes else plain_scores(group, metrics)
        found.append(
            Headline(
                str(corpus),
                str(test_set),
                languages.get(str(corpus), ""),
                sizes.get((str(corpus), str(test_set)), ""),
                verdict_of(outcomes, len(listed)),
                outcomes[:SHOWN],
                len(outcomes[SHOWN:]),
                listed[:SHOWN],
            )
        )
    return found


def headline_metrics(scores: pd.DataFrame) -> list[str]:
    """BLEU, the accuracies, and the metrics that the user runs; those that occur."""
    own = set(scores.loc[scores["better"] != "", "metric"])
    return [name for name in main_metrics(scores) if name in (BLEU, *ACCURACIES) or name in own]


def outcome_of(
    group: pd.DataFrame, experiment: str, metrics: Sequence[str], tested: Mapping[str, TestedDifference]
) -> Outcome | None:
    """The changes of an experiment in the rows of a test set; None without comparisons.

    ``tested`` has the differences of the experiment by metric.
    """
    baseline = next((difference.baseline for difference in tested.values()), "")
    changes = [change_of(group, experiment, baseline, name, tested[name]) for name in metrics if name in tested]
    if not changes:
        return None
    own = group[(group["experiment"] == experiment) & group["metric"].isin(metrics)]
    return Outcome(experiment, baseline, int(own["seed"].nunique()), changes)


def change_of(group: pd.DataFrame, experiment: str, baseline: str, metric: str, tested: TestedDifference) -> Change:
    """The change by one measure."""
    decimals = 1 if metric in ACCURACIES else decimals_of(group, metric)
    unit = " points" if metric in ACCURACIES else ""
    return Change(
        short(metric),
        shown(group[group["experiment"] == baseline], metric, decimals),
        shown(group[group["experiment"] == experiment], metric, decimals),
        f"{tested.value:+.{decimals}f}{unit}".replace("-", "−"),
        p_text(tested.p),
        verdict(metric, tested),
    )


def shown(rows: pd.DataFrame, metric: str, decimals: int) -> str:
    """Mean ± sample standard deviation over seeds; an accuracy of one seed has its 95 % interval in brackets."""
    values = rows.loc[rows["metric"] == metric, "value"].tolist()
    text = spread(values, decimals)
    if metric not in ACCURACIES or len(values) != 1:
        return text
    names = [item_metric(ACCURACIES[metric], bound, ALL_ITEMS) for bound in BOUNDS]
    bounds = [rows.loc[rows["metric"] == name, "value"].tolist() for name in names]
    return f"{text} [{', '.join(f'{bound[0]:.{decimals}f}' for bound in bounds)}]" if all(bounds) else text


def short(metric: str) -> str:
    """The name of a measure in a sentence."""
    return f"{ACCURACIES[metric]} accuracy (%)" if metric in ACCURACIES else metric


def p_text(p: float) -> str:
    """``p < 0.001`` or ``p = 0.032``."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def gained(outcome: Outcome) -> tuple[int, float]:
    """The order of outcomes: by the number of measures that are better less those that are worse, then by the first."""
    verdicts = [change.verdict for change in outcome.changes]
    first = float(outcome.changes[0].difference.split()[0].replace("−", "-"))
    return verdicts.count("better") - verdicts.count("worse"), first


def verdict_of(outcomes: Sequence[Outcome], listed: int) -> str:
    """How many systems are better or worse than their baselines, by each measure."""
    if not outcomes:
        return "No verdict beside a baseline." if listed > 1 else "One system, nothing to compare."
    baselines = list(dict.fromkeys(outcome.baseline for outcome in outcomes))
    against = baselines[0] if len(baselines) == 1 else "their baselines"
    measures = list(dict.fromkeys(change.measure for outcome in outcomes for change in outcome.changes))
    verdicts = {
        measure: [change.verdict for outcome in outcomes for change in outcome.changes if change.measure == measure]
        for measure in measures
    }
    if len(outcomes) == 1:
        named = {
            verdict: [measure.removesuffix(" (%)") for measure in measures if verdicts[measure] == [verdict]]
            for verdict in ("better", "worse", "")
        }
        parts = [f"{name} by {listing(named[name])}" for name in ("better", "worse") if named[name]]
        same = f"no significant difference by {listing(named[''])}" if named[""] else ""
        return f"{outcomes[0].experiment} against {against}: {'; '.join(filter(None, [*parts, same]))}."
    told = []
    for measure in measures:
        better, worse = verdicts[measure].count("better"), verdicts[measure].count("worse")
        parts = [f"{count} {name}" for count, name in ((better, "better"), (worse, "worse")) if count]
        told.append(f"by {measure.removesuffix(' (%)')} {' and '.join(parts) or 'none differs significantly'}")
    return f"{len(outcomes)} systems against {against}: {'; '.join(told)} (p < {LEVEL})."


def listing(names: Sequence[str]) -> str:
    """``one``, ``one and two``, ``one, two and three``."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def plain_scores(group: pd.DataFrame, metrics: Sequence[str]) -> list[tuple[str, str]]:
    """Experiments with their scores by all measures, the best by the first one first."""
    rows: list[tuple[float, str, str]] = []
    for name, own in group.groupby("experiment", sort=False):
        measured = [metric for metric in metrics if (own["metric"] == metric).any()]
        if not measured:
            continue
        texts = [
            f"{short(metric)} {shown(own, metric, 1 if metric in ACCURACIES else decimals_of(group, metric))}"
            for metric in measured
        ]
        first = own[own["metric"] == measured[0]]
        mean = statistics.mean(first["value"])
        down = lower_is_better(measured[0], first["better"].iloc[0])
        rows.append((-mean if down else mean, str(name), "; ".join(texts)))
    rows.sort(key=lambda row: -row[0])
    return [(name, text) for _, name, text in rows]
