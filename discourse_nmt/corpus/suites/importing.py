"""Import of a suite: its files become checked documents and a table of items."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand, files
from discourse_nmt.base.storage.tables import TABLES
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.importing.checks import FORBIDDEN, check
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites.items import Item
from discourse_nmt.corpus.suites.plan import SuitePlan

log = logging.getLogger(__name__)
REMEDY = "correct the file, or get it again"
Row = dict[str, Any]


@dataclass(frozen=True)
class ImportedSuite:
    """The documents of a suite, and its items as a table ``contrastive`` or, for generation, ``expected_forms``."""

    documents: list[Document]
    items: pd.DataFrame


def import_suite(name: str, plan: SuitePlan, *, space_controls: bool = False) -> ImportedSuite:
    """Read and check a suite; raises :class:`InputError` for the first fault found.

    Items are numbered from 1 in the order of the files; their documents are ``NAME-1``, ``NAME-2``, ..., or where items
    are made of the documents of a split ``DOCUMENT/NAME-1`` (:func:`.text_of_item` finds ``DOCUMENT``). A wrong variant
    that differs in more than the last sentence is a document of its own, ``NAME-1-wrong-1``. With ``space_controls``,
    control characters become spaces; otherwise they are errors.
    """
    documents: list[Document] = []
    rows: list[Row] = []
    equal: list[str] = []
    for number, item in enumerate(_items(name, plan, space_controls), start=1):
        doc_id = "/".join(filter(None, (item.right.doc_id, f"{name}-{number}")))
        for document in item.documents:
            _check(document, doc_id, space_controls)
        for name_or_form in (item.phenomenon, *item.expected):
            if not (name_or_form.strip() and name_or_form.isprintable()):
                raise item.right.target.fault(-1, f"{name_or_form!r} is no name of a phenomenon and no form", REMEDY)
        item.wrong, same = _told_apart(item)
        equal += same
        for document in item.documents:
            _shorten(document, plan.settings.context)
        documents.append(item.right)
        item_columns: Row = {"item_id": str(number), "doc_id": item.right.doc_id}
        item_columns |= {"phenomenon": item.phenomenon, "distance": item.distance}
        if plan.format.generated:
            forms: Row = {"forms": item.expected, "other_forms": item.others or None}
            rows.append({**item_columns, "sent_id": len(item.right) - 1, **forms})
        for variant, wrong in enumerate(item.wrong, start=1):
            more, of_variant = _contrasted(item.right, wrong, variant)
            documents += more
            rows += [{**item_columns, "block": item.block, **row} for row in of_variant]
    if not rows:
        raise InputError(f"the suite {name} has no items", remedy=REMEDY)
    if equal:
        log.warning(f"{len(equal)} wrong variants are the right translation and are left out, first {equal[0]}")
    table = pd.DataFrame(rows, columns=list(TABLES["expected_forms" if plan.format.generated else "contrastive"]))
    log.info(f"{name}: {table['item_id'].nunique():,} items, {len(documents):,} documents")
    return ImportedSuite(documents, table)


def _items(name: str, plan: SuitePlan, space_controls: bool) -> Iterator[Item]:
    roles = plan.settings.roles
    for pattern in chain.from_iterable(roles.values()):
        path = pattern.partition("::")[0]
        if not files(pattern) and not Path(path).is_dir():
            remedy = plan.settings.where or "put it there, or correct its path in the configuration"
            if pattern in plan.settings.splits:
                remedy = "make the target corpus of its configuration"
            raise InputError(f"no file {path}", remedy=remedy)
    controls: Literal["space", "error"] = "space" if space_controls else "error"
    sources = {
        role: [replace(source, controls=controls) for pattern in patterns for source in expand(pattern)]
        for role, patterns in roles.items()
    }
    return plan.format.read(Request(name, sources, *plan.languages), plan.options)


def _check(document: Document, doc_id: str, space_controls: bool) -> None:
    """Give a document its id; check and strip its sentences."""
    document.doc_id = doc_id
    for name, side in (("source", document.source), ("target", document.target)):
        for position, sentence in enumerate(side.sentences):
            if not (has_text(sentence) or FORBIDDEN.search(sentence)):
                raise side.fault(position, f"empty sentence on the {name} side", REMEDY)
    check(document, drop_empty=False, space_controls=space_controls, drops=[])


def _told_apart(item: Item) -> tuple[list[Document], list[str]]:
    """The wrong variants that differ from the right one, and file and line of those that do not.

    Raises :class:`InputError` for a contrastive item without any variant.
    """
    right = item.right.target.sentences
    wrong = [variant for variant in item.wrong if variant.target.sentences != right]
    if not wrong and not item.expected:
        raise item.right.target.fault(-1, "the group has no wrong variant", REMEDY)
    same = [variant.target for variant in item.wrong if variant.target.sentences == right]
    return wrong, [f"at {side.file}, {side.unit or 'line'} {side.lines[-1]}" for side in same]


def _shorten(document: Document, context: int | None) -> None:
    """Keep the last sentence and ``context`` before it."""
    if context is not None:
        document.keep(list(range(max(0, len(document) - 1 - context), len(document))))


def _contrasted(right: Document, wrong: Document, variant: int) -> tuple[list[Document], list[Row]]:
    """The document of a wrong variant, if it needs one, and its rows: the sentences that are scored.

    Sentences before the first difference have equal probabilities in both; all later ones have different contexts.
    """
    sides = zip(right.target.sentences, wrong.target.sentences)
    first = next((position for position, (text, other) in enumerate(sides) if text != other), None)
    if first is None:
        raise wrong.target.fault(-1, "the variant differs only in context that is left out", "raise context")
    last = len(right) - 1
    wrong.doc_id = right.doc_id if first == last else f"{right.doc_id}-wrong-{variant}"
    rows = [
        {"sent_id": sent_id, "variant": variant, "wrong_doc_id": wrong.doc_id, "wrong": wrong.target.sentences[sent_id]}
        for sent_id in range(first, last + 1)
    ]
    return [] if first == last else [wrong], rows
