"""Sentence statistics of the translations of a test set, from which documents are ranked and gains are computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from discourse_nmt.corpus.groups import units_of
from discourse_nmt.scoring.comparison.gains import gains, gains_of_seeds, groups_in, whole
from discourse_nmt.scoring.comparison.significance import Statistics, statistics, summed_by_unit
from discourse_nmt.scoring.metrics.bleu import Measure, bleu
from discourse_nmt.scoring.metrics.distances import Subsets
from discourse_nmt.scoring.reports.overview.pictures import shown_experiments
from discourse_nmt.scoring.reports.runs import ReportRun

KEYS = ["doc_id", "sent_id"]


@dataclass(frozen=True)
class MeasuredTranslations:
    """The statistics of BLEU of each run, a row per sentence.

    ``documents`` has the document of each sentence. ``against`` names the reference: ``the reference``, or where the
    test set has none the experiment whose translations stand for it.
    """

    measure: Measure
    documents: Sequence[str]
    against: str
    statistics: Mapping[ReportRun, Statistics]

    def document_scores(self) -> dict[str, dict[str, float]]:
        """BLEU of each document, to a tenth, by experiment and document; of the first run of each experiment."""
        by_experiment: dict[str, dict[str, float]] = {}
        for run, rows in self.statistics.items():
            if run.experiment not in by_experiment:
                sums = summed_by_unit(rows, self.documents)
                scores = [self.measure.metric._compute_score_from_stats(row.tolist()).score for row in sums]
                names = dict.fromkeys(self.documents)
                by_experiment[run.experiment] = {name: round(score, 1) for name, score in zip(names, scores)}
        return by_experiment

    def gains(self, scores: pd.DataFrame, phenomena: Subsets, groups: str = "") -> pd.DataFrame:
        """The table of :func:`.gains` with columns ``experiment`` and ``baseline``.

        It has each experiment in all sentences, the mean and each seed, and those of :func:`.shown_experiments` also by
        groups. ``scores`` are those of the test set, which name baselines. Seeds are paired by their
        numbers; a seed that the baseline lacks is paired with its first one. ``phenomena`` have the masks of sentences,
        ``groups`` is the regular expression of the group in a document's id where groups are the units of the tests.
        """
        tables, units = [], units_of(self.documents, groups)
        all_sentences, shown = whole(self.documents), shown_experiments(scores)
        all_and_groups = all_sentences | groups_in(self.documents, phenomena)
        for name in scores["experiment"].unique():
            baseline = next(filter(None, scores.loc[scores["experiment"] == name, "baseline"]), None)
            runs, others = self._seeds(name), self._seeds(baseline)
            if not runs or not others:
                continue
            first = next(iter(others.values()))
            system = {seed: self.statistics[run] for seed, run in runs.items()}
            paired = {seed: self.statistics[others.get(seed, first)] for seed in runs}
            table = gains(
                self.measure.metric,
                list(system.values()),
                list(paired.values()),
                units,
                all_and_groups if name in shown else all_sentences,
            )
            of_seeds = gains_of_seeds(self.measure.metric, system, paired)
            tables.append(pd.concat([table, of_seeds]).assign(experiment=name, baseline=baseline))
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()

    def _seeds(self, experiment: str | None) -> dict[int, ReportRun]:
        return {run.seed: run for run in self.statistics if run.experiment == experiment}


def measured(
    sentences: pd.DataFrame, translations: Mapping[ReportRun, pd.DataFrame], *, language: str, lowercase: bool
) -> MeasuredTranslations | None:
    """The statistics of each run; None without translations. ``language`` is the target language."""
    if not translations:
        return None
    keys = pd.MultiIndex.from_frame(sentences[KEYS])
    texts = {run: aligned(table, keys) for run, table in translations.items()}
    references = sentences["target"].tolist()
    first = next(iter(translations))
    against = "the reference"
    if not any(references):
        references, against = texts[first], first.experiment
    measure = bleu("BLEU", language, lowercase)
    return MeasuredTranslations(
        measure,
        sentences["doc_id"].tolist(),
        against,
        {run: statistics(measure, hypotheses, references) for run, hypotheses in texts.items()},
    )


def aligned(table: pd.DataFrame, keys: pd.MultiIndex) -> list[str]:
    """The best translation of each sentence, empty for sentences without one."""
    best = table[table["rank"] == 0].set_index(KEYS)["hypothesis"]
    return best.reindex(keys).fillna("").tolist()
