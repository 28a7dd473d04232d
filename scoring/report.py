"""What the report shows, made from the tables of a run, and the page filled with it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from corpus.errors import InputError
from scoring.curves import CURVES, learning_curve
from scoring.folders import Run
from scoring.summary import MISSING, signatures, spread, summarise

Item = TypeVar("Item")

# Longer documents are cut: the report is read, the translations table is complete.
SENTENCES = 40


@dataclass(frozen=True)
class Sample:
    """A document and its translations; a row holds sentence number, source, reference, each system's text."""

    corpus: str
    test_set: str
    document: str
    systems: list[str]
    rows: list[list[str]]
    length: int


@dataclass(frozen=True)
class AnalysedDocuments:
    """Analysed documents: their part of the page, how many are ``shown`` there and how many there are, and where all
    of them are drawn."""

    section: Markup
    shown: int
    number: int
    link: str


def curves(metrics: Mapping[Run, pd.DataFrame]) -> list[tuple[str, str, Markup]]:
    """Corpus, name of the measure and drawing, for every curve with at least one point."""
    drawn = []
    for corpus in dict.fromkeys(run.corpus for run in metrics):
        frames = [
            frame.assign(experiment=run.experiment, seed=run.seed)
            for run, frame in metrics.items()
            if run.corpus == corpus
        ]
        together = pd.concat(frames, ignore_index=True)
        for measure, title in CURVES.items():
            drawing = learning_curve(together, measure)
            if drawing:
                drawn.append((corpus, title, Markup(drawing)))
    return drawn


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


def stage_times(benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Jobs, seconds in all, longest job (s), most memory (MB) of each corpus and stage, longest stage first.

    ``benchmarks`` has a row per job: corpus, stage, seconds, memory (MB, missing where the job was too
    short).
    """
    groups = benchmarks.groupby(["corpus", "stage"], sort=False)
    times = groups.agg(
        jobs=("seconds", "size"),
        total=("seconds", "sum"),
        longest=("seconds", "max"),
        memory=("memory", "max"),
    )
    times = times.sort_values("total", ascending=False, kind="stable").reset_index()
    shown = times[["corpus", "stage", "jobs"]].copy()
    for column, title, decimals in (
        ("total", "seconds", 1),
        ("longest", "longest job", 1),
        ("memory", "memory (MB)", 0),
    ):
        shown[title] = [MISSING if pd.isna(value) else f"{value:.{decimals}f}" for value in times[column]]
    return shown


def drop_counts(drops: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """How many units each filter dropped in each corpus, with one of them as an example."""
    rows = [
        [corpus, reason, str(len(group)), group["doc_id"].iloc[0], group["text"].iloc[0]]
        for corpus, frame in drops.items()
        for reason, group in frame.groupby("reason", sort=False)
    ]
    return pd.DataFrame(rows, columns=["corpus", "reason", "dropped", "for example in", "text"])


def spread_over(items: Sequence[Item], number: int) -> list[Item]:
    """``number`` of the items at even distances, or all where there are no more."""
    if len(items) <= number:
        return list(items)
    return [items[index * len(items) // number] for index in range(number)]


def samples(
    corpus: str,
    test_set: str,
    sentences: pd.DataFrame,
    translations: Mapping[Run, pd.DataFrame],
    number: int,
) -> list[Sample]:
    """``number`` documents spread evenly over a test set; of each experiment the first run's translation.

    ``sentences`` and ``translations`` are tables of those names, all of this corpus and test set.
    """
    systems: dict[str, pd.DataFrame] = {}
    for run, frame in translations.items():
        systems.setdefault(run.experiment, frame[frame["rank"] == 0])
    chosen = spread_over(list(sentences["doc_id"].unique()), number)
    texts = {
        name: frame[frame["doc_id"].isin(chosen)].set_index(["doc_id", "sent_id"])["hypothesis"].to_dict()
        for name, frame in systems.items()
    }
    found = []
    for document, group in sentences[sentences["doc_id"].isin(chosen)].groupby("doc_id", sort=False):
        rows = [
            [str(row.sent_id), row.source, row.target]
            + [text.get((document, row.sent_id), MISSING) for text in texts.values()]
            for row in group.head(SENTENCES).itertuples()
        ]
        found.append(Sample(corpus, test_set, str(document), list(systems), rows, len(group)))
    return found


def page(
    template: str,
    *,
    title: str,
    scores: pd.DataFrame,
    metrics: Mapping[Run, pd.DataFrame],
    drops: Mapping[str, pd.DataFrame],
    benchmarks: pd.DataFrame,
    documents: Iterable[Sample],
    discourse: Iterable[AnalysedDocuments] = (),
) -> str:
    """The report as one HTML page; every text that comes from data is escaped by the template engine."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        title=title,
        summary=summarise(scores),
        signatures=signatures(scores),
        curves=curves(metrics),
        contrastive=contrastive_tables(scores),
        times=stage_times(benchmarks),
        drops=drop_counts(drops),
        documents=list(documents),
        discourse=list(discourse),
    )
