"""The report as one HTML page.

Every text that comes from data is escaped by the template engine, or is JSON that :mod:`.reports.embedding`
has made harmless. The page's own script is the only one that its Content-Security-Policy lets run.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from discourse_nmt.corpus.storage.tables import RELATIONS
from discourse_nmt.scoring.charts.switch_curves import switch_curves
from discourse_nmt.scoring.comparison.marks import legend
from discourse_nmt.scoring.reports.ablations import ablations
from discourse_nmt.scoring.reports.costs import cost_chart, stage_costs
from discourse_nmt.scoring.reports.curves import curves
from discourse_nmt.scoring.reports.documents import Document
from discourse_nmt.scoring.reports.embedding import json_data, packed, script_source
from discourse_nmt.scoring.reports.provenance import Provenance
from discourse_nmt.scoring.reports.tables import contrastive_tables, drop_counts, measure_tables, significance_table
from discourse_nmt.scoring.tables.analyses import SYSTEMS, summarise_analyses
from discourse_nmt.scoring.tables.folders import Run
from discourse_nmt.scoring.tables.summary import signatures, summarise


@dataclass(frozen=True)
class AnalysedDocuments:
    """Analysed documents: their part of the page, how many are ``shown`` there and how many there are, and where all
    of them are drawn."""

    section: Markup
    shown: int
    number: int
    link: str


@dataclass(frozen=True)
class Tables:
    """What the report shows of a run.

    ``scores`` is the long table of scores; ``metrics`` has the columns update, dev_loss and dev_bleu of each run,
    ``drops`` the table of that name of each corpus; ``benchmarks`` is as in :func:`.stage_costs`.
    """

    scores: pd.DataFrame
    metrics: Mapping[Run, pd.DataFrame] = field(default_factory=dict)
    drops: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    benchmarks: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=["corpus", "stage", "seconds", "cpu", "memory"])
    )
    discourse: Sequence[AnalysedDocuments] = ()
    provenance: Provenance | None = None


def page(
    templates: Mapping[str, str], scripts: Sequence[str], title: str, tables: Tables, documents: Iterable[Document]
) -> str:
    """The page from its ``templates`` by name, of which ``page.html`` includes the others, and the parts of its script.

    The script has no text from data: it reads the JSON and the packed documents that stand beside it.
    """
    script = "\n".join(["'use strict';", *scripts])
    environment = Environment(
        loader=DictLoader(dict(templates)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    summary = summarise(tables.scores)
    found, chunks = index(documents)
    return environment.get_template("page.html").render(
        title=title,
        style=Markup(templates["style.css"] + templates["viewer.css"]),
        script=Markup(script),
        script_source=script_source(script),
        index=json_data({"documents": found, "relations": list(RELATIONS)}),
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
        discourse=list(tables.discourse),
        provenance=tables.provenance,
    )


def index(documents: Iterable[Document]) -> tuple[list[dict[str, Any]], list[str]]:
    """The list of the viewer's documents, and each one packed, in the same order."""
    found, chunks = [], []
    for document in documents:
        found.append(
            {
                "corpus": document.corpus,
                "testSet": document.test_set,
                "name": document.name,
                "sentences": document.sentences,
            }
        )
        chunks.append(packed(document.content))
    return found, chunks
