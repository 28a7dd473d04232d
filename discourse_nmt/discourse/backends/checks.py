"""Checks of the rows of a document in every table of its analysis, for all backends."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.backend import DocumentInput, Stage
from discourse_nmt.discourse.structures.dependencies import check_heads
from discourse_nmt.discourse.structures.rows import Row, rows_to_chains, rows_to_edus, rows_to_tree
from discourse_nmt.discourse.structures.trees import StructureError

THEME_LABELS = ("theme-topical", "theme-textual", "theme-interpersonal", "rheme")
PER_WORD = ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "starts", "ends")
Tables = Mapping[str, list[Row]]


def check_rows(stage: Stage, document: DocumentInput, rows: list[Row]) -> None:
    """Raise :class:`InputError`, naming the document, unless ``rows`` are a valid analysis of it."""
    try:
        if any(row["doc_id"] != document.doc_id for row in rows):
            raise StructureError("a row belongs to another document")
        CHECKS[stage](document.sentences, document.tables, rows)
    except StructureError as error:
        raise InputError(f"document {document.doc_id}: table {stage}: {error}") from None


def _check_syntax(sentences: Sequence[str], _: Tables, rows: list[Row]) -> None:
    if [row["sent_id"] for row in rows] != list(range(len(sentences))):
        raise StructureError(f"its rows are not the document's {len(sentences)} sentences in order")
    for number, (text, row) in enumerate(zip(sentences, rows)):
        size = len(row["forms"])
        uneven = [column for column in PER_WORD if len(row[column]) != size]
        if uneven:
            raise StructureError(f"sentence {number} has {size} words but {len(row[uneven[0]])} {uneven[0]}")
        reached = 0
        for word, (form, start, end) in enumerate(zip(row["forms"], row["starts"], row["ends"])):
            if start < reached or text[start:end] != form or not form:
                raise StructureError(f"word {word} of sentence {number}, {form!r}, is not at characters {start}-{end}")
            reached = end
        try:
            check_heads(row["heads"], unit="word")
        except StructureError as error:
            raise StructureError(f"sentence {number}: {error}") from None


def _check_edus(sentences: Sequence[str], _: Tables, rows: list[Row]) -> None:
    edus = rows_to_edus(rows)
    reached = [0] * len(sentences)
    for number, edu in enumerate(edus):
        _check_inside(sentences, edu.sentence, edu.start, edu.end, f"EDU {number} (from 0)")
        _check_gap(sentences, edu.sentence, reached[edu.sentence], edu.start)
        reached[edu.sentence] = edu.end
    for number, text in enumerate(sentences):
        _check_gap(sentences, number, reached[number], len(text))


def _check_rst(_: Sequence[str], tables: Tables, rows: list[Row]) -> None:
    size = len(tables["edus"])
    if not rows and not size:
        return
    tree = rows_to_tree(rows)
    if len(tree.leaves) != size:
        raise StructureError(f"the tree has {len(tree.leaves)} EDUs, the table edus {size}")


def _check_coreference(sentences: Sequence[str], _: Tables, rows: list[Row]) -> None:
    for chain in rows_to_chains(rows):
        for mention in chain.mentions:
            _check_inside(sentences, mention.span.sentence, mention.span.start, mention.span.end, "a mention")


def _check_themes(sentences: Sequence[str], _: Tables, rows: list[Row]) -> None:
    for row in rows:
        _check_inside(sentences, row["sent_id"], row["start"], row["end"], "a span")
        if row["label"] not in THEME_LABELS:
            raise StructureError(f"{row['label']!r} is none of the labels {', '.join(THEME_LABELS)}")
    for left, right in pairwise(rows):
        if (left["sent_id"], left["end"]) > (right["sent_id"], right["start"]):
            raise StructureError(f"the spans of sentence {right['sent_id']} overlap or are not in text order")


CHECKS: dict[Stage, Callable[[Sequence[str], Tables, list[Row]], None]] = {
    "syntax": _check_syntax,
    "edus": _check_edus,
    "rst": _check_rst,
    "coreference": _check_coreference,
    "themes": _check_themes,
}


def _check_inside(sentences: Sequence[str], sentence: int, start: int, end: int, noun: str) -> None:
    if not 0 <= sentence < len(sentences):
        raise StructureError(f"{noun} is in sentence {sentence} of {len(sentences)}")
    if not 0 <= start < end <= len(sentences[sentence]):
        size = len(sentences[sentence])
        raise StructureError(f"{noun} has the characters {start} to {end} of the {size} of sentence {sentence}")


def _check_gap(sentences: Sequence[str], sentence: int, start: int, end: int) -> None:
    missed = sentences[sentence][start:end].strip()
    if any(unicodedata.category(character) != "Cc" for character in missed):
        raise StructureError(f"the EDUs do not tile sentence {sentence}: {missed[:40]!r} is in none")
