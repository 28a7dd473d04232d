"""What the document viewer shows of a document: texts, translations, annotation and contrastive items.

Everything is plain lists of texts and numbers. Offsets count code points, as in the tables.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd

from discourse_nmt.corpus.storage.tables import RELATIONS
from discourse_nmt.scoring.reports.runs import Run

Rows = list[dict[str, Any]]
Pair = tuple[float, float]
Draw = Callable[[str, Sequence[str], Mapping[str, Rows]], Mapping[str, str]]
Item = TypeVar("Item")


@dataclass(frozen=True)
class SplitTables:
    """The tables of a test set: ``sentences``, ``tokens`` of the source side, ``translations`` and
    ``contrastive_scores`` by run, tables of annotation of the source side by analysis and name, and ``contrastive``.
    """

    corpus: str
    name: str
    sentences: pd.DataFrame
    translations: Mapping[Run, pd.DataFrame] = field(default_factory=dict)
    tokens: pd.DataFrame | None = None
    analyses: Mapping[str, Mapping[str, pd.DataFrame]] = field(default_factory=dict)
    contrastive: pd.DataFrame | None = None
    contrastive_scores: Mapping[Run, pd.DataFrame] = field(default_factory=dict)


@dataclass(frozen=True)
class Document:
    """A document of the viewer: how the list of documents names it, and its ``content`` for the page's script."""

    corpus: str
    test_set: str
    name: str
    sentences: int
    content: Mapping[str, Any]


def documents(tables: SplitTables, number: int, draw: Draw) -> Iterator[Document]:
    """``number`` documents spread evenly over a test set; of each experiment the first run counts.

    ``draw`` makes SVG by title from a document's id, the texts of its EDUs and its rows of each table.
    """
    chosen = spread_over(list(tables.sentences["doc_id"].unique()), number)
    sentences = by_document(tables.sentences, chosen)
    translations = {
        name: by_document(frame[frame["rank"] == 0], chosen) for name, frame in first_runs(tables.translations).items()
    }
    analyses = {
        name: {table: by_document(frame, chosen) for table, frame in found.items()}
        for name, found in tables.analyses.items()
    }
    tokens = {} if tables.tokens is None else by_document(tables.tokens, chosen)
    items = {} if tables.contrastive is None else by_document(tables.contrastive, chosen)
    scores = {name: item_scores(frame) for name, frame in first_runs(tables.contrastive_scores).items()}
    for document in chosen:
        rows = sentences[document]
        source = [str(row["source"]) for row in rows]
        content = {
            "source": source,
            "reference": [row["target"] for row in rows],
            "systems": {
                name: hypotheses([row["sent_id"] for row in rows], found.get(document, []))
                for name, found in translations.items()
            },
            "analyses": {
                name: annotation(document, source, {kind: one.get(document, []) for kind, one in found.items()}, draw)
                for name, found in analyses.items()
            },
            "words": [spans(row) for row in tokens.get(document, [])],
            "items": contrastive_items(items.get(document, []), scores),
        }
        yield Document(tables.corpus, tables.name, document, len(rows), content)


def spread_over(items: Sequence[Item], number: int) -> list[Item]:
    """``number`` of the items at even distances, or all where there are no more."""
    if len(items) <= number:
        return list(items)
    return [items[index * len(items) // number] for index in range(number)]


def first_runs(tables: Mapping[Run, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The table of each experiment's first run."""
    found: dict[str, pd.DataFrame] = {}
    for run, frame in tables.items():
        found.setdefault(run.experiment, frame)
    return found


def by_document(frame: pd.DataFrame, chosen: Sequence[str]) -> dict[str, Rows]:
    """Rows of the chosen documents, by document."""
    kept = frame[frame["doc_id"].isin(chosen)]
    return {str(document): records(rows) for document, rows in kept.groupby("doc_id", sort=False)}


def records(frame: pd.DataFrame) -> Rows:
    """The rows of a table by the names of their columns."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def hypotheses(sentences: Sequence[int], rows: Rows) -> list[str | None]:
    """The translation of each sentence, None for one that has none."""
    texts = {row["sent_id"]: row["hypothesis"] for row in rows}
    return [texts.get(sentence) for sentence in sentences]


def annotation(document: str, source: Sequence[str], tables: Mapping[str, Rows], draw: Draw) -> dict[str, Any]:
    """An analysis of a document: ``edus``, ``chains``, ``themes`` and ``edges`` as lists, and ``drawings`` by title.

    Only tables that are given have a key.
    """
    found: dict[str, Any] = {}
    if "edus" in tables:
        edus = sorted(tables["edus"], key=lambda row: int(row["edu_id"]))
        found["edus"] = [numbers(row, "sent_id", "start", "end") for row in edus]
        texts = [source[sentence][start:end] for sentence, start, end in found["edus"]]
        found["drawings"] = dict(draw(document, texts, tables)) if texts else {}
    if "coreference" in tables:
        chains: dict[int, list[list[int]]] = {}
        for row in tables["coreference"]:
            chains.setdefault(row["chain_id"], []).append(numbers(row, "sent_id", "start", "end"))
        # Numbered by their first mention, as in the drawings of chains.
        found["chains"] = sorted(sorted(mentions) for mentions in chains.values())
    if "themes" in tables:
        found["themes"] = [[*numbers(row, "sent_id", "start", "end"), row["label"]] for row in tables["themes"]]
    if "document_graph" in tables:
        columns = ("from_sent", "from_token", "to_sent", "to_token")
        found["edges"] = [
            [RELATIONS.index(row["relation"]), *numbers(row, *columns)] for row in tables["document_graph"]
        ]
    return found


def spans(row: Mapping[str, Any]) -> list[list[int]]:
    """The characters ``[start, end)`` of each word of a row of the table ``tokens``."""
    return [[int(start), int(end)] for start, end in zip(row["starts"], row["ends"])]


def numbers(row: Mapping[str, Any], *columns: str) -> list[int]:
    """These columns of a row."""
    return [int(row[column]) for column in columns]


def item_scores(table: pd.DataFrame) -> dict[str, list[Pair]]:
    """The scores of the right and the wrong translation of each item's variants."""
    found: dict[str, list[Pair]] = {}
    for name, right, wrong in zip(table["item_id"], table["right_score"], table["wrong_score"]):
        found.setdefault(name, []).append((float(right), float(wrong)))
    return found


def contrastive_items(items: Rows, scores: Mapping[str, Mapping[str, list[Pair]]]) -> list[dict[str, Any]]:
    """Rows of the table ``contrastive`` with what each experiment scores the right and the wrong translation.

    The scores of an item stand in the order of its variants; rows of one ``variant`` share theirs.
    """
    variants: dict[str, dict[Hashable, int]] = {}
    found: list[dict[str, Any]] = []
    for number, row in enumerate(items):
        places = variants.setdefault(row["item_id"], {})
        variant: Hashable = ("row", number) if pd.isna(row["variant"]) else row["variant"]
        place = places.setdefault(variant, len(places))
        found.append(
            {
                "sentence": int(row["sent_id"]),
                "phenomenon": row["phenomenon"],
                "distance": None if pd.isna(row["distance"]) else int(row["distance"]),
                "wrong": row["wrong"],
                "scores": {
                    name: [round(score, 3) for score in given[row["item_id"]][place]]
                    for name, given in scores.items()
                    if place < len(given.get(row["item_id"], ()))
                },
            }
        )
    return found
