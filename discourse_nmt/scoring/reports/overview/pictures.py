"""Pictures of the results of a test set: differences from baselines, accuracies, gains in documents, score and cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd
from markupsafe import Markup

from discourse_nmt.scoring.charts.accuracies import accuracy_points, by_distance, by_phenomenon
from discourse_nmt.scoring.charts.differences import difference_chart
from discourse_nmt.scoring.charts.drawing import COLOURS
from discourse_nmt.scoring.charts.gain_bars import gain_chart
from discourse_nmt.scoring.charts.score_costs import score_cost_chart
from discourse_nmt.scoring.comparison.gains import LENGTH, PHENOMENON, POSITION, SEED, WHOLE
from discourse_nmt.scoring.comparison.marks import (
    LEVEL,
    TestedDifference,
    lower_is_better,
    marking,
    tested_differences,
    verdict,
)
from discourse_nmt.scoring.metrics.score import CXMI
from discourse_nmt.scoring.reports.overview.headline import ACCURACIES, BLEU

MOST = len(COLOURS)  # experiments of a picture, so that each has a colour of its own
TASKS = {"contrastive": "Contrastive accuracy", "generation": "Accuracy of own translations"}
GAINS = "Points of BLEU over the baseline; lines: 95 % bootstrap intervals over {units}."
INFORMATION = (
    "Information about the reference that the system takes from what the control lacks, in bits per word; at 0, it "
    "takes none, below, it is misled. Lines: 95 % bootstrap intervals over documents, or over the groups of the tests."
)
DIFFERENCES = (
    "Dots: mean over seeds; small marks: each seed; lines: 95 % bootstrap intervals over {units}, for the models as "
    "they were trained. The axis is logarithmic from about 1 point on. "
    f"Colours: p < {LEVEL}, corrected for the number of systems (Holm)."
)
COST = "Wall-clock time of the last run of an experiment's own training, without that of a model it starts from."
INTERVALS = (
    "Lines: the 95 % Wilson interval of one seed, or ± one sample standard deviation over several. "
    "The items of a distance are those whose deciding sentence is so far back."
)


@dataclass(frozen=True)
class Picture:
    """A drawing with its title and caption."""

    title: str
    caption: str
    drawing: Markup


@dataclass(frozen=True)
class Gallery:
    """The pictures of a test set."""

    corpus: str
    test_set: str
    pictures: Sequence[Picture]


def galleries(
    scores: pd.DataFrame,
    gains: Mapping[tuple[str, str], pd.DataFrame],
    minutes: Mapping[tuple[str, str], float],
    information: Mapping[tuple[str, str], pd.DataFrame] = MappingProxyType({}),
) -> list[Gallery]:
    """The pictures of each corpus and test set that has any.

    ``gains`` are the tables of :meth:`.MeasuredTranslations.gains` by corpus and test set; ``minutes`` are those of the
    training by corpus and experiment; ``information`` are the tables of :func:`.information_table`.
    """
    found, tested = [], tested_differences(scores)
    for (corpus, test_set), group in scores.groupby(["corpus", "test_set"], sort=False):
        names = shown_experiments(group)
        pictures = []
        gained = gains.get((str(corpus), str(test_set)))
        units = " or ".join(
            sorted(marking(group[group["compared"] == BLEU])["units"].str.removesuffix(" and seeds").unique())
        )
        if gained is not None:
            judged = [(corpus, test_set, name, BLEU) in tested for name in gained["experiment"]]
            gained = gained[judged]
            differences = differences_of(gained, str(corpus), str(test_set), tested)
            drawing = difference_chart(differences, gained[gained["by"] == SEED])
            pictures.append(Picture("Differences from the baseline", DIFFERENCES.format(units=units), Markup(drawing)))
        for task, title in TASKS.items():
            points = accuracy_points(group, task, names)
            pictures.append(Picture(f"{title} by phenomenon", INTERVALS, Markup(by_phenomenon(points))))
            pictures.append(Picture(f"{title} by distance", INTERVALS, Markup(by_distance(points))))
        if gained is not None:
            pictures += [
                Picture(f"Gain by {kind}", GAINS.format(units=units), Markup(gain_chart(gained, kind)))
                for kind in (LENGTH, POSITION, PHENOMENON)
            ]
        informed = information.get((str(corpus), str(test_set)))
        if informed is not None:
            informed = informed[informed["experiment"].isin(names)]
            pictures += [
                Picture(f"{title} by {kind}", INFORMATION, Markup(gain_chart(rows, kind, "bits per word")))
                for control, title in CXMI.items()
                for rows in [informed[informed["control"] == control]]
                for kind in (POSITION, PHENOMENON)
            ]
        metric = next((name for name in (BLEU, *ACCURACIES) if (group["metric"] == name).any()), "")
        points = cost_points(group[group["metric"] == metric], str(corpus), minutes)
        pictures.append(Picture("Score and cost", COST, Markup(score_cost_chart(points, metric))))
        drawn = [picture for picture in pictures if picture.drawing]
        if drawn:
            found.append(Gallery(str(corpus), str(test_set), drawn))
    return found


def differences_of(
    gained: pd.DataFrame, corpus: str, test_set: str, tested: Mapping[tuple[str, str, str, str], TestedDifference]
) -> pd.DataFrame:
    """The rows of a table of gains for all sentences, with the verdict of the tests of :func:`.tested_differences`."""
    rows = gained[gained["by"] == WHOLE]
    of_rows = [tested[corpus, test_set, name, BLEU] for name in rows["experiment"]]
    return rows.assign(verdict=[verdict(BLEU, difference) or "not significant" for difference in of_rows])


def shown_experiments(group: pd.DataFrame) -> list[str]:
    """The experiments of a test set, at most :data:`MOST`: the baselines, then the best by the first measure they have.

    They are in the order of the table.
    """
    names = [str(name) for name in group["experiment"].unique()]
    baselines = set(group["baseline"])
    metric = next((name for name in (BLEU, *ACCURACIES) if (group["metric"] == name).any()), "")
    of_metric = group[group["metric"] == metric]
    means = of_metric.groupby("experiment")["value"].mean().to_dict()
    down = len(of_metric) > 0 and lower_is_better(metric, of_metric["better"].iloc[0])
    best = sorted(names, key=lambda name: (name not in baselines, (1 if down else -1) * means.get(name, float("-inf"))))
    return [name for name in names if name in best[:MOST]]


def cost_points(rows: pd.DataFrame, corpus: str, minutes: Mapping[tuple[str, str], float]) -> pd.DataFrame:
    """Experiment, minutes and score of the experiments with a training."""
    means = rows.groupby("experiment", sort=False)["value"].mean()
    points = [
        (name, minutes[corpus, str(name)], score) for name, score in means.items() if (corpus, str(name)) in minutes
    ]
    return pd.DataFrame(points, columns=["experiment", "minutes", "score"])
