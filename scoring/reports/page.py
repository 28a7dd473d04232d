"""The report as one HTML page.

Every text from data is escaped by the template engine, or is JSON that :mod:`.reports.embedding` has made harmless. The
Content-Security-Policy of the page allows its own script only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from markupsafe import Markup

from discourse_nmt.corpus.relations import RELATIONS
from discourse_nmt.scoring.charts.switch_curves import switch_curves
from discourse_nmt.scoring.comparison.marks import legend
from discourse_nmt.scoring.reports.ablations import ablations
from discourse_nmt.scoring.reports.costs import cost_chart, stage_costs
from discourse_nmt.scoring.reports.curves import curves
from discourse_nmt.scoring.reports.documents import ReportDocument
from discourse_nmt.scoring.reports.embedding import json_data, packed, script_source
from discourse_nmt.scoring.reports.provenance import Provenance
from discourse_nmt.scoring.reports.rendering import render
from discourse_nmt.scoring.reports.runs import ReportRun
from discourse_nmt.scoring.reports.tables import (
    contrastive_tables,
    corpus_statistics,
    drop_counts,
    measure_tables,
    significance_table,
)
from discourse_nmt.scoring.tables.analyses import SYSTEMS, summarise_analyses
from discourse_nmt.scoring.tables.summary import signatures, summarise


@dataclass(frozen=True)
class AnalysedDocuments:
    """Analysed documents with their drawings."""

    section: Markup
    """The section of the page with the documents that are shown."""
    shown: int
    """Number of documents in the section."""
    number: int
    """Number of all documents."""
    link: str
    """The page with the drawings of all documents."""


@dataclass(frozen=True)
class Tables:
    """The tables of a run that the report shows.

    ``scores`` is the long table of scores. ``metrics`` has the columns update, dev_loss and dev_bleu of each run, and
    ``drops`` and ``statistics`` the tables of these names of each corpus. ``benchmarks`` is as in :func:`.stage_costs`.
    """

    scores: pd.DataFrame
    metrics: Mapping[ReportRun, pd.DataFrame] = field(default_factory=dict)
    drops: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    statistics: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    benchmarks: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=["corpus", "stage", "seconds", "cpu", "memory"])
    )
    discourse: Sequence[AnalysedDocuments] = ()
    provenance: Provenance | None = None


def page(
    templates: Mapping[str, str],
    scripts: Sequence[str],
    title: str,
    tables: Tables,
    documents: Iterable[ReportDocument],
) -> str:
    """The page from its ``templates`` by name, among them ``page.html``, and the parts of its script.

    The script contains no text from data: it reads JSON and packed documents from other elements of the page.
    """
    script = "\n".join(["'use strict';", *scripts])
    summary = summarise(tables.scores)
    listed, chunks = index(documents)
    return render(
        templates,
        "page.html",
        title=title,
        style=Markup(templates["style.css"] + templates["viewer.css"]),
        script=Markup(script),
        script_source=script_source(script),
        index=json_data({"documents": listed, "relations": list(RELATIONS)}),
        chunks=chunks,
        summary=summary,
        legend=legend(tables.scores),
        significance=significance_table(tables.scores),
        measures=measure_tables(tables.scores),
        analysers=summarise_analyses(tables.scores) if tables.scores["system"].isin(SYSTEMS).any() else None,
        signatures=signatures(tables.scores),
        ablations=ablations(tables.provenance.switches, summary) if tables.provenance else [],
        switch_curves=switch_curves(tables.provenance.switches, tables.scores) if tables.provenance else {},
        curves=curves(tables.metrics),
        contrastive=contrastive_tables(tables.scores),
        costs=stage_costs(tables.benchmarks),
        cost_chart=Markup(cost_chart(tables.benchmarks)),
        drops=drop_counts(tables.drops),
        statistics=corpus_statistics(tables.statistics),
        discourse=list(tables.discourse),
        provenance=tables.provenance,
    )


def index(documents: Iterable[ReportDocument]) -> tuple[list[dict[str, Any]], list[str]]:
    """The viewer's list of documents, and the packed documents in the same order."""
    listed, chunks = [], []
    for document in documents:
        listed.append(
            {
                "corpus": document.corpus,
                "testSet": document.test_set,
                "name": document.name,
                "sentences": document.sentences,
            }
        )
        chunks.append(packed(document.content))
    return listed, chunks
