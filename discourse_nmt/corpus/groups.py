"""What the beginning of a document's id may name: its group, or the document that an item of a suite was made of."""

import re
from collections.abc import Sequence


def group_named(doc_id: str, pattern: str) -> str | None:
    """The beginning of ``doc_id`` that the regular expression ``pattern`` matches; None if it matches nothing."""
    found = re.match(pattern, doc_id)
    return None if found is None else found.group() or None


def units_of(documents: Sequence[str], pattern: str) -> list[str]:
    """The group of each of ``documents``; one without a group, as all are with an empty ``pattern``, is its own."""
    if not pattern:
        return list(documents)
    return [group_named(document, pattern) or document for document in documents]


def text_of_item(doc_id: str, suite: str) -> str:
    """The document that an item of ``suite`` was made of, by the id of the item's document; else this id.

    Items of one text are not independent of each other: tests draw the text as a whole.
    """
    return doc_id.rpartition(f"/{suite}-")[0] or doc_id
