"""From tables, which count characters, to analysers, which count words.

Rows are those of one document's table ``syntax``, one per sentence in the order of ``sent_id``.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.discourse.backends.backend import DocumentInput
from discourse_nmt.discourse.structures.mentions import Characters, Span, WordOffsets
from discourse_nmt.discourse.structures.rows import rows_to_edus
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import StructureError


def syntax_of(rows: Iterable[Mapping[str, Any]]) -> list[Syntax]:
    """The sentences of a document."""
    columns = ("forms", "upos", "xpos", "feats", "lemmas", "heads", "deprels")
    return [Syntax(*(tuple(row[column]) for column in columns)) for row in rows]


def offsets_of(rows: Iterable[Mapping[str, Any]]) -> list[list[Characters]]:
    """Where each word of each sentence stands."""
    return [list(zip(row["starts"], row["ends"])) for row in rows]


def in_words(edus: Iterable[Span], offsets: WordOffsets) -> tuple[Span, ...]:
    """EDUs of characters as EDUs of words: a word belongs to the EDU in which it begins.

    The first EDU of a sentence takes what stands before it. Raises :class:`StructureError` for an EDU in which no
    word begins.
    """
    starts = [[start for start, _ in words] for words in offsets]
    edus = list(edus)
    following = {left: right for left, right in pairwise(edus) if left.sentence == right.sentence}
    found: list[Span] = []
    for number, edu in enumerate(edus):
        words = starts[edu.sentence]
        first = found[-1].end if found and found[-1].sentence == edu.sentence else 0
        after = bisect_left(words, following[edu].start) if edu in following else len(words)
        if after <= first:
            raise StructureError(f"no word of the syntax begins in EDU {number} (from 0)")
        found.append(Span(edu.sentence, first, after))
    return tuple(found)


def words_and_edus(document: DocumentInput) -> tuple[list[Syntax], tuple[Span, ...]]:
    """The sentences of a document and its EDUs in words; an EDU without a word is an :class:`InputError`."""
    rows = document.tables["syntax"]
    try:
        return syntax_of(rows), in_words(rows_to_edus(document.tables["edus"]), offsets_of(rows))
    except StructureError as error:
        raise InputError(f"document {document.doc_id}: {error}", remedy="use one analyser for words and EDUs") from None
