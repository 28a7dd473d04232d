"""Groups of documents, which the beginning of a document's id may name."""

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
