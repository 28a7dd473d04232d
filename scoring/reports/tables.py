"""Cells of the report's tables: all measures, significance, contrastive accuracy and what filters dropped."""

import re
from collections.abc import Mapping

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.scoring.tables.analyses import SYSTEMS
from discourse_nmt.scoring.tables.summary import MISSING, spread

P_VALUE = re.compile(r"p(?P<pooled>, all seeds)? \((?P<measure>.+), (?P<test>.+) over (?P<units>.+)\)")
# Measures that another table of the report has.
ELSEWHERE = re.compile(r"(p|difference)(, all seeds)? \(|contrastive ")


def measure_tables(scores: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Corpus, test set and cells: a row for each measure of translations, a column per experiment."""
    chosen = scores[~scores["system"].isin(SYSTEMS) & ~scores["metric"].str.match(ELSEWHERE)]
    tables = []
    for (corpus, test_set), group in chosen.groupby(["corpus", "test_set"], sort=False):
        values = group.groupby(["metric", "experiment"], sort=False)["value"].agg(list)
        cells = values.map(spread).unstack(fill_value=MISSING)
        ordered = cells.reindex(index=group["metric"].unique(), columns=group["experiment"].unique())
        tables.append((str(corpus), str(test_set), ordered.rename_axis("measure").reset_index()))
    return tables


def significance_table(scores: pd.DataFrame) -> pd.DataFrame:
    """A row for each test of a difference from a baseline; of several seeds, the tests over all of them."""
    found = scores.join(scores["metric"].str.extract(P_VALUE)).dropna(subset="measure")
    rows = []
    for names, group in found.groupby(["corpus", "test_set", "experiment"], sort=False):
        pooled = group[group["pooled"].notna()]
        shown = group if pooled.empty else pooled
        for row in shown.to_dict("records"):
            rows.append([*names, row["measure"], row["test"], row["units"], f"{row['value']:.4f}", row["signature"]])
    columns = ["corpus", "test set", "experiment", "measure", "test", "over", "p", "signature"]
    return pd.DataFrame(rows, columns=columns)


def contrastive_tables(scores: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Corpus, test set and cells: a row per subset of the items, a column per experiment.

    One seed shows its interval, several their mean and standard deviation.
    """
    chosen = scores[scores["metric"].str.startswith("contrastive ")]
    kinds = chosen["metric"].str.extract(r"^contrastive ([a-z ,]+) \((.*)\)$")
    chosen = chosen.assign(kind=kinds[0], subset=kinds[1])
    tables = []
    for (corpus, test_set), group in chosen.groupby(["corpus", "test_set"], sort=False):
        experiments = list(group["experiment"].unique())
        rows = []
        for subset, part in group.groupby("subset", sort=False):
            items = part.loc[part["kind"] == "items", "value"]
            shares = [accuracy(part[part["experiment"] == experiment]) for experiment in experiments]
            rows.append([subset, f"{items.max():.0f}", *shares])
        cells = pd.DataFrame(rows, columns=["items tested", "number", *experiments])
        tables.append((str(corpus), str(test_set), cells))
    return tables


def accuracy(part: pd.DataFrame) -> str:
    """Cell of one experiment and subset of the items: ``62.5 [58.1, 66.7]`` or ``62.51 ± 0.40``."""
    values = {kind: list(group["value"]) for kind, group in part.groupby("kind")}
    found = values.get("accuracy", [])
    if len(found) != 1:
        return spread(found)
    bounds = [values.get(f"accuracy, {end} bound") for end in ("lower", "upper")]
    if None in bounds:
        raise InputError("the table of scores lacks an interval of contrastive accuracy", remedy="make it again")
    return f"{found[0]:.1f} [{', '.join(f'{values[0]:.1f}' for values in bounds if values)}]"


def drop_counts(drops: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many units each filter dropped in each corpus, with one of them as an example."""
    rows = [
        [corpus, reason, str(len(group)), group["doc_id"].iloc[0], group["text"].iloc[0]]
        for corpus, frame in drops.items()
        for reason, group in frame.groupby("reason", sort=False)
    ]
    return pd.DataFrame(rows, columns=["corpus", "reason", "dropped", "for example in", "text"])
