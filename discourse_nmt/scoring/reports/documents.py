"""Documents of the viewer: texts, translations, annotation and contrastive items.

Everything is plain lists of texts and numbers. Offsets count code points, as in the tables.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict, TypeVar

import pandas as pd

from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.scoring.reports.runs import ReportRun

Row = dict[str, Any]
"""A row of a table by the names of its columns."""
Rows = list[Row]
Pair = tuple[float, float]
Draw = Callable[[str, Sequence[str], Mapping[str, Rows]], Mapping[str, str]]
Item = TypeVar("Item")


class ShownAnalysis(TypedDict, total=False):
    """An analysis of a document; keys of missing tables are left out."""

    edus: list[list[int]]
    """Sentence, start and end of each discourse unit."""
    drawings: dict[str, str]
    """SVG by title."""
    chains: list[list[list[int]]]
    """Sentence, start and end of each mention of each chain."""
    themes: list[list[int | str]]
    """Sentence, start, end and label of each span."""
    edges: list[list[int]]
    """Relation, sentence and word that an edge comes from, and those that it leads to."""


class ShownItem(TypedDict):
    """A row of the table ``contrastive`` with each experiment's scores of the right and the wrong translation."""

    sentence: int
    phenomenon: str
    distance: int | None
    wrong: str
    scores: dict[str, list[float]]


class ShownAlignment(TypedDict):
    """What an output leaves out and adds."""

    omitted: list[int]
    """Indices of sentences."""
    added: list[list[int | str]]
    """Texts, each after the index of the sentence that it stands before."""
    problem: str | None


class DocumentContent(TypedDict, total=False):
    """A document as the page's script reads it: a text per sentence, None for a missing one."""

    source: list[str]
    reference: list[str | None]
    systems: dict[str, list[str | None]]
    """Translations by experiment."""
    alignments: dict[str, ShownAlignment]
    """By experiment whose output was aligned with the sentences."""
    analyses: dict[str, ShownAnalysis]
    words: list[list[list[int]]]
    """The characters of each word of each sentence."""
    items: list[ShownItem]


class Standing(TypedDict, total=False):
    """What a document is ranked by: its ``bleu``, and ``right``, a 1 or 0 for each of its contrastive items."""

    bleu: float
    right: str


@dataclass(frozen=True)
class SplitTables:
    """The tables of the test set ``name``.

    ``tokens`` and ``analyses`` (tables by analysis and name) are those of the source side; ``translations``,
    ``contrastive_scores`` and ``output_alignments`` are by run. ``bleu`` has the score of each document by experiment,
    ``against`` the name of the texts that it compares with.
    """

    corpus: str
    name: str
    sentences: pd.DataFrame
    translations: Mapping[ReportRun, pd.DataFrame] = field(default_factory=dict)
    tokens: pd.DataFrame | None = None
    analyses: Mapping[str, Mapping[str, pd.DataFrame]] = field(default_factory=dict)
    contrastive: pd.DataFrame | None = None
    contrastive_scores: Mapping[ReportRun, pd.DataFrame] = field(default_factory=dict)
    bleu: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    against: str = ""
    output_alignments: Mapping[ReportRun, pd.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportDocument:
    """A document of the viewer: its entry in the list of documents, and its ``content`` for the page's script."""

    corpus: str
    test_set: str
    name: str
    sentences: int
    content: DocumentContent
    standings: Mapping[str, Standing] = field(default_factory=dict)
    """By experiment."""
    against: str = ""


def documents(tables: SplitTables, number: int, draw: Draw) -> Iterator[ReportDocument]:
    """Yield ``number`` documents spread evenly over a test set, with the first run of each experiment.

    ``draw`` makes SVG by title from a document's id, the texts of its EDUs and its rows of each table.
    """
    chosen = spread_over(list(tables.sentences["doc_id"].unique()), number)
    sentences = by_document(tables.sentences, chosen)
    translations = {
        name: by_document(frame[frame["rank"] == 0], chosen) for name, frame in first_runs(tables.translations).items()
    }
    analyses = {
        name: {table: by_document(frame, chosen) for table, frame in of_analysis.items()}
        for name, of_analysis in tables.analyses.items()
    }
    aligned = {name: by_document(frame, chosen) for name, frame in first_runs(tables.output_alignments).items()}
    tokens = {} if tables.tokens is None else by_document(tables.tokens, chosen)
    items = {} if tables.contrastive is None else by_document(tables.contrastive, chosen)
    scores = {name: item_scores(frame) for name, frame in first_runs(tables.contrastive_scores).items()}
    for document in chosen:
        rows = sentences[document]
        source = [str(row["source"]) for row in rows]
        content: DocumentContent = {
            "source": source,
            "reference": [row["target"] or None for row in rows],  # a test set may have sources alone
            "systems": {
                name: hypotheses([row["sent_id"] for row in rows], of_system.get(document, []))
                for name, of_system in translations.items()
            },
            "alignments": {
                name: alignment(of_system[document][0]) for name, of_system in aligned.items() if document in of_system
            },
            "analyses": {
                name: annotation(
                    document, source, {table: rows_of.get(document, []) for table, rows_of in of_analysis.items()}, draw
                )
                for name, of_analysis in analyses.items()
            },
            "words": [spans(row) for row in tokens.get(document, [])],
            "items": contrastive_items(items.get(document, []), scores),
        }
        standings = {name: Standing() for name in translations}
        for name, standing in standings.items():
            if name in tables.bleu:
                standing["bleu"] = tables.bleu[name][document]
            if name in scores and document in items:
                standing["right"] = verdicts(items[document], scores[name])
        yield ReportDocument(tables.corpus, tables.name, document, len(rows), content, standings, tables.against)


def spread_over(items: Sequence[Item], number: int) -> list[Item]:
    """``number`` of the items at even distances, or all if there are fewer."""
    if len(items) <= number:
        return list(items)
    return [items[index * len(items) // number] for index in range(number)]


def first_runs(tables: Mapping[ReportRun, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The table of each experiment's first run."""
    first: dict[str, pd.DataFrame] = {}
    for run, frame in tables.items():
        first.setdefault(run.experiment, frame)
    return first


def verdicts(items: Rows, scores: Mapping[str, list[Pair]]) -> str:
    """For each item of a document a 1 if its reference scores above every wrong variant, else 0; in their order."""
    names = dict.fromkeys(row["item_id"] for row in items)
    return "".join(str(int(name in scores and all(right > wrong for right, wrong in scores[name]))) for name in names)


def by_document(frame: pd.DataFrame, chosen: Sequence[str]) -> dict[str, Rows]:
    """Rows of the chosen documents, by document."""
    of_chosen = frame[frame["doc_id"].isin(chosen)]
    return {str(document): records(rows) for document, rows in of_chosen.groupby("doc_id", sort=False)}


def records(frame: pd.DataFrame) -> Rows:
    """The rows of a table by the names of their columns."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def hypotheses(sentences: Sequence[int], rows: Rows) -> list[str | None]:
    """The translation of each sentence, None for sentences without one."""
    texts = {row["sent_id"]: row["hypothesis"] for row in rows}
    return [texts.get(sentence) for sentence in sentences]


def alignment(row: Row) -> ShownAlignment:
    """A row of the table ``output_alignment`` for the page."""
    added: list[list[int | str]] = [[int(place), text] for place, text in zip(row["places"], row["added"])]
    problem: str | None = None if pd.isna(row["problem"]) else str(row["problem"])
    return {"omitted": [int(sentence) for sentence in row["omitted"]], "added": added, "problem": problem}


def annotation(document: str, source: Sequence[str], tables: Mapping[str, Rows], draw: Draw) -> ShownAnalysis:
    """An analysis of a document from its rows of each table."""
    analysis: ShownAnalysis = {}
    if "edus" in tables:
        edus = sorted(tables["edus"], key=lambda row: int(row["edu_id"]))
        analysis["edus"] = [numbers(row, "sent_id", "start", "end") for row in edus]
        texts = [source[sentence][start:end] for sentence, start, end in analysis["edus"]]
        analysis["drawings"] = dict(draw(document, texts, tables)) if texts else {}
    if "coreference" in tables:
        chains: dict[int, list[list[int]]] = {}
        for row in tables["coreference"]:
            chains.setdefault(row["chain_id"], []).append(numbers(row, "sent_id", "start", "end"))
        # Numbered by their first mention, as in the drawings of chains.
        analysis["chains"] = sorted(sorted(mentions) for mentions in chains.values())
    if "themes" in tables:
        analysis["themes"] = [[*numbers(row, "sent_id", "start", "end"), row["label"]] for row in tables["themes"]]
    if "document_graph" in tables:
        columns = ("from_sent", "from_token", "to_sent", "to_token")
        analysis["edges"] = [
            [RELATIONS.index(row["relation"]), *numbers(row, *columns)] for row in tables["document_graph"]
        ]
    return analysis


def spans(row: Row) -> list[list[int]]:
    """The characters ``[start, end)`` of each word of a row of the table ``tokens``."""
    return [[int(start), int(end)] for start, end in zip(row["starts"], row["ends"])]


def numbers(row: Row, *columns: str) -> list[int]:
    """The whole numbers in these columns of a row."""
    return [int(row[column]) for column in columns]


def item_scores(table: pd.DataFrame) -> dict[str, list[Pair]]:
    """The scores of the right and the wrong translation of each item's variants."""
    scores: dict[str, list[Pair]] = {}
    for name, right, wrong in zip(table["item_id"], table["right_score"], table["wrong_score"]):
        scores.setdefault(name, []).append((float(right), float(wrong)))
    return scores


def contrastive_items(items: Rows, scores: Mapping[str, Mapping[str, list[Pair]]]) -> list[ShownItem]:
    """The items of a document from its rows of the table ``contrastive``.

    The scores of an item are in the order of its variants; rows of one ``variant`` share theirs.
    """
    variants: dict[str, dict[Hashable, int]] = {}
    shown: list[ShownItem] = []
    for row_index, row in enumerate(items):
        index_of_variant = variants.setdefault(row["item_id"], {})
        variant: Hashable = ("row", row_index) if pd.isna(row["variant"]) else row["variant"]
        index = index_of_variant.setdefault(variant, len(index_of_variant))
        shown.append(
            {
                "sentence": int(row["sent_id"]),
                "phenomenon": row["phenomenon"],
                "distance": None if pd.isna(row["distance"]) else int(row["distance"]),
                "wrong": row["wrong"],
                "scores": {
                    name: [round(score, 3) for score in of_items[row["item_id"]][index]]
                    for name, of_items in scores.items()
                    if index < len(of_items.get(row["item_id"], ()))
                },
            }
        )
    return shown
