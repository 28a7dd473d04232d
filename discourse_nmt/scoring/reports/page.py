"""The report as one HTML page.

Every text from data is escaped by the template engine, or is JSON that :mod:`.reports.embedding` has made harmless. The
Content-Security-Policy of the page allows its own script only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypedDict

import pandas as pd
from markupsafe import Markup

from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.scoring.charts.switch_curves import switch_curves
from discourse_nmt.scoring.comparison.marks import trainings_note
from discourse_nmt.scoring.comparison.unlearnt import unlearnt_note
from discourse_nmt.scoring.reports.costs import cost_chart, stage_costs, training_minutes
from discourse_nmt.scoring.reports.curves import curves
from discourse_nmt.scoring.reports.documents import ReportDocument, Standing
from discourse_nmt.scoring.reports.embedding import json_data, packed, script_source
from discourse_nmt.scoring.reports.overview.headline import headlines
from discourse_nmt.scoring.reports.overview.pictures import galleries
from discourse_nmt.scoring.reports.overview.score_grids import caption, score_grids
from discourse_nmt.scoring.reports.provenance import Provenance
from discourse_nmt.scoring.reports.rendering import render
from discourse_nmt.scoring.reports.runs import ReportRun
from discourse_nmt.scoring.reports.tables import (
    contrastive_tables,
    corpus_statistics,
    drop_counts,
    measure_tables,
    significance_table,
    test_set_sizes,
)
from discourse_nmt.scoring.tables.ablations import ablations
from discourse_nmt.scoring.tables.analyses import SYSTEMS, summarise_analyses
from discourse_nmt.scoring.tables.summary import ALIGNMENT_NOTE, alignment_table, asked_table, signatures, summarise

BLOCK = 16
"""Documents that are packed together: what they share takes no room, and one is shown after little unpacking."""


@dataclass(frozen=True)
class AnalysedDocuments:
    """Analysed documents with their drawings."""

    section: Markup
    """The section of the page with the documents that are shown."""
    shown: int
    """Number of documents in the section."""
    number: int
    """Number of all documents."""
    file: str
    """The page with the drawings of all documents, from the folder of the run."""


@dataclass(frozen=True)
class PaperSheet:
    """A table of a paper, with measured scores beside the published ones."""

    title: str
    notes: Sequence[str]
    cells: pd.DataFrame


@dataclass(frozen=True)
class Tables:
    """The tables of a run that the report shows.

    ``scores`` is the long table of scores. ``metrics`` has the columns update, dev_loss and dev_bleu of each run, and
    ``drops``, ``statistics`` and ``quality`` the tables of these names of each corpus. ``benchmarks`` is as in
    :func:`.stage_costs`, ``gains`` and ``information`` as in :func:`.galleries`. ``languages`` by corpus and ``facts``
    of the report stand in the headline.
    """

    scores: pd.DataFrame
    metrics: Mapping[ReportRun, pd.DataFrame] = field(default_factory=dict)
    drops: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    statistics: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    quality: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    benchmarks: pd.DataFrame = field(
        default_factory=lambda: pd.DataFrame(columns=["corpus", "stage", "experiment", "seconds", "cpu", "memory"])
    )
    gains: Mapping[tuple[str, str], pd.DataFrame] = field(default_factory=dict)
    information: Mapping[tuple[str, str], pd.DataFrame] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)
    facts: Sequence[str] = ()
    discourse: Sequence[AnalysedDocuments] = ()
    papers: Sequence[PaperSheet] = ()
    provenance: Provenance | None = None


@dataclass(frozen=True)
class DocumentBlock:
    """Documents of the viewer as the page holds them: ``documents`` without content, and their packed ``contents``."""

    documents: Sequence[ReportDocument]
    contents: str


def document_blocks(documents: Iterable[ReportDocument]) -> Iterator[DocumentBlock]:
    """Yield blocks of :data:`BLOCK` documents, the last one of fewer; packed they take a tenth of their memory."""
    remaining = iter(documents)
    while block := list(islice(remaining, BLOCK)):
        yield DocumentBlock(
            [replace(document, content={}) for document in block], packed([one.content for one in block])
        )


def page(
    templates: Mapping[str, str],
    scripts: Sequence[str],
    viewer_scripts: Sequence[str],
    title: str,
    tables: Tables,
    blocks: Sequence[DocumentBlock],
) -> str:
    """The page from its ``templates`` by name, among them ``page.html``, and the parts of its script.

    ``viewer_scripts`` are added where there are ``blocks`` of documents, each of :data:`BLOCK` but the last one. The
    script contains no text from data: it reads JSON and packed documents from other elements of the page.
    """
    shown = [document for block in blocks for document in block.documents]
    ranks = standings(shown)
    script = "\n".join(["'use strict';", *scripts, *(viewer_scripts if shown else [])])
    summary = summarise(tables.scores)
    statistics = corpus_statistics(tables.statistics)
    return render(
        templates,
        "page.html",
        title=title,
        style=Markup(templates["style.css"] + templates["viewer.css"] + templates["report.css"]),
        script=Markup(script),
        script_source=script_source(script),
        index=json_data({"documents": list(map(entry, shown)), "block": BLOCK, "relations": list(RELATIONS)}),
        standings=packed(ranks),
        blocks=[block.contents for block in blocks],
        first_block=opening([bleu for bleu, _ in ranks["documents"]]) // BLOCK,
        headlines=headlines(tables.scores, tables.languages, test_set_sizes(statistics)),
        unlearnt=unlearnt_note(tables.scores),
        facts=[*filter(None, [trainings_note(tables.scores)]), *tables.facts],
        grids=score_grids(tables.scores),
        legend=caption(tables.scores),
        galleries=galleries(tables.scores, tables.gains, training_minutes(tables.benchmarks), tables.information),
        significance=significance_table(tables.scores),
        measures=measure_tables(tables.scores),
        analysers=summarise_analyses(tables.scores) if tables.scores["system"].isin(SYSTEMS).any() else None,
        signatures=signatures(tables.scores),
        ablations=ablations(tables.provenance.switches, summary) if tables.provenance else [],
        switch_curves=switch_curves(tables.provenance.switches, tables.scores) if tables.provenance else {},
        curves=curves(tables.metrics),
        contrastive=contrastive_tables(tables.scores),
        costs=stage_costs(tables.benchmarks),
        aligned=alignment_table(tables.scores),
        alignment_note=ALIGNMENT_NOTE,
        asked=asked_table(tables.scores),
        cost_chart=Markup(cost_chart(tables.benchmarks)),
        drops=drop_counts(tables.drops),
        statistics=statistics,
        quality=tables.quality,
        discourse=list(tables.discourse),
        papers=list(tables.papers),
        provenance=tables.provenance,
    )


def entry(document: ReportDocument) -> dict[str, str | int]:
    """A document in the index of the page."""
    return {
        "corpus": document.corpus,
        "testSet": document.test_set,
        "name": document.name,
        "sentences": document.sentences,
    }


class Standings(TypedDict):
    """What documents are ranked by."""

    systems: list[str]
    against: dict[str, str]
    """By test set."""
    documents: list[tuple[list[float | None], list[str | None]]]
    """Of each its BLEU by each system, and the verdicts on its items; None without any."""


def standings(documents: Sequence[ReportDocument]) -> Standings:
    """What the ``documents`` are ranked by."""
    systems = list(dict.fromkeys(name for document in documents for name in document.standings))
    rows: list[tuple[list[float | None], list[str | None]]] = []
    for document in documents:
        of_systems = [document.standings.get(name, Standing()) for name in systems]
        rows.append(([own.get("bleu") for own in of_systems], [own.get("right") for own in of_systems]))
    against = {f"{document.corpus}/{document.test_set}": document.against for document in documents}
    return {"systems": systems, "against": against, "documents": rows}


def opening(scores_of_documents: Sequence[Sequence[float | None]]) -> int:
    """Number of the document that the viewer opens with: the largest difference in BLEU between the first two systems.

    The page's script chooses it; its block comes first in the file, so that it is shown before the rest is read.
    """
    pairs = [[score for score in scores[:2] if score is not None] for scores in scores_of_documents]
    differences = [abs(pair[1] - pair[0]) if len(pair) == 2 else -1.0 for pair in pairs]
    return max(range(len(differences)), key=differences.__getitem__, default=0)
