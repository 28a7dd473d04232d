"""Groups of documents, which the beginning of a document's id may name."""

import re


def group_named(doc_id: str, pattern: str) -> str | None:
    """The beginning of ``doc_id`` that the regular expression ``pattern`` matches; None if it matches nothing."""
    found = re.match(pattern, doc_id)
    return None if found is None else found.group() or None
