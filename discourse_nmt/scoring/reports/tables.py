"""Cells of the report's tables: all measures, significance, contrastive accuracy and units dropped by filters."""

from collections.abc import Mapping

import pandas as pd

from discourse_nmt.scoring.comparison.unlearnt import beside_unlearnt
from discourse_nmt.scoring.metrics.score import ACCURACY, ITEM_TASKS, ITEMS, POOLED, interval_of, subset_names
from discourse_nmt.scoring.tables.analyses import SYSTEMS
from discourse_nmt.scoring.tables.narrow import MISSING
from discourse_nmt.scoring.tables.summary import decimals_of, spread


def measure_tables(scores: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Corpus, test set and cells: one row per measure of translations, one column per experiment.

    Measures of another table of the report are left out.
    """
    elsewhere = scores["system"].isin(SYSTEMS) | scores["task"].isin(ITEM_TASKS) | (scores["compared"] != "")
    chosen = scores[~elsewhere]
    tables = []
    for (corpus, test_set), group in chosen.groupby(["corpus", "test_set"], sort=False):
        decimals = group["metric"].map({metric: decimals_of(scores, metric) for metric in group["metric"].unique()})
        by_cell = group.assign(decimals=decimals).groupby(["metric", "experiment"], sort=False)
        cells = by_cell[["value", "decimals"]].apply(_cell).unstack(fill_value=MISSING)
        ordered = cells.reindex(index=group["metric"].unique(), columns=group["experiment"].unique())
        tables.append((str(corpus), str(test_set), ordered.rename_axis("measure").reset_index()))
    return tables


def _cell(seeds: pd.DataFrame) -> str:
    return spread(seeds["value"].tolist(), int(seeds["decimals"].iloc[0]))


def significance_table(scores: pd.DataFrame) -> pd.DataFrame:
    """One row per test of a difference from a baseline; for several seeds only the tests over all of them.

    Comparisons with a run in which nothing was learnt are left out.
    """
    rows = []
    for _, group in scores[~beside_unlearnt(scores)].groupby(["corpus", "test_set", "experiment"], sort=False):
        tests = group[group["test"] != ""]
        pooled = tests[tests["pooled"] == POOLED]
        rows += (tests if pooled.empty else pooled).to_dict("records")
    names = {"corpus": "corpus", "test_set": "test set", "experiment": "experiment", "compared": "measure"}
    names |= {"test": "test", "units": "over", "value": "p", "signature": "signature"}
    shown = pd.DataFrame(rows, columns=list(names)).rename(columns=names)
    return shown.assign(p=[f"{value:.4f}" for value in shown["p"]])


def contrastive_tables(scores: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Corpus, test set and cells: one row per subset of the items, one column per experiment.

    The accuracy of the systems' own translations has tables of its own. Cells of one seed show its interval, cells of
    several seeds mean and standard deviation.
    """
    chosen = scores[scores["task"].isin(ITEM_TASKS)]
    chosen = chosen.assign(subset=subset_names(chosen))
    tables = []
    for (corpus, test_set, task), group in chosen.groupby(["corpus", "test_set", "task"], sort=False):
        experiments = list(group["experiment"].unique())
        rows = []
        for subset, of_subset in group.groupby("subset", sort=False):
            items = of_subset.loc[of_subset["figure"] == ITEMS, "value"]
            shares = [accuracy(of_subset[of_subset["experiment"] == experiment]) for experiment in experiments]
            rows.append([subset, f"{items.max():.0f}", *shares])
        cells = pd.DataFrame(rows, columns=["items tested", "number", *experiments])
        name = str(test_set) if task == "contrastive" else f"{test_set}, own translations"
        tables.append((str(corpus), name, cells))
    return tables


def accuracy(figures: pd.DataFrame) -> str:
    """Cell of one experiment and subset of the items: ``62.5 [58.1, 66.7]`` or ``62.51 ± 0.40``.

    Raises :class:`InputError`: the accuracy of one seed has no interval.
    """
    values = {str(name): list(group["value"]) for name, group in figures.groupby("figure")}
    shares = values.get(ACCURACY, [])
    if len(shares) != 1:
        return spread(shares)
    return f"{shares[0]:.1f} [{', '.join(f'{end:.1f}' for end in interval_of(values))}]"


def drop_counts(drops: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The number of units that each filter dropped in each corpus, with an example."""
    rows = [
        [corpus, reason, str(len(group)), group["doc_id"].iloc[0], group["text"].iloc[0]]
        for corpus, frame in drops.items()
        for reason, group in frame.groupby("reason", sort=False)
    ]
    return pd.DataFrame(rows, columns=["corpus", "reason", "dropped", "for example in", "text"])


def test_set_sizes(statistics: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Documents and sentences as text by corpus and split, from :func:`corpus_statistics`."""
    if not {"split", "documents", "sentences"} <= set(statistics.columns):
        return {}
    return {
        (row["corpus"], row["split"]): f"{row['documents']} documents, {row['sentences']} sentences"
        for row in statistics.to_dict("records")
    }


def corpus_statistics(statistics: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The statistics of the splits of all corpora, as text."""
    named = [frame.assign(corpus=corpus) for corpus, frame in statistics.items()]
    if not named:
        return pd.DataFrame()
    joined = pd.concat(named, ignore_index=True)
    cells = joined[["corpus", *joined.columns.drop("corpus")]].astype(str)
    return cells.rename(columns=lambda name: name.replace("_", " "))
