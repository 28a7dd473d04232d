"""Conversion from tables, whose spans count characters, to analysers, whose spans count words.

Rows are the rows of one document in the table ``syntax``, one per sentence in order of ``sent_id``.
"""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.backend import DocumentInput
from discourse_nmt.discourse.structures.mentions import Characters, Span, WordOffsets
from discourse_nmt.discourse.structures.rows import Rows, rows_to_edus
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.discourse.structures.trees import StructureError


def syntax_of(rows: Rows) -> list[Syntax]:
    """The syntax of each sentence."""
    columns = ("forms", "upos", "xpos", "feats", "lemmas", "heads", "deprels")
    return [Syntax(*(tuple(row[column]) for column in columns)) for row in rows]


def offsets_of(rows: Rows) -> list[list[Characters]]:
    """The characters of each word of each sentence."""
    return [list(zip(row["starts"], row["ends"])) for row in rows]


def in_words(edus: Iterable[Span], offsets: WordOffsets) -> tuple[Span, ...]:
    """EDUs over characters as EDUs over words: a word belongs to the EDU in which it begins.

    Words before the first EDU of a sentence belong to that EDU. Raises :class:`StructureError` for an EDU in which no
    word begins.
    """
    starts = [[start for start, _ in words] for words in offsets]
    edus = list(edus)
    next_edu = {left: right for left, right in pairwise(edus) if left.sentence == right.sentence}
    word_edus: list[Span] = []
    for number, edu in enumerate(edus):
        words = starts[edu.sentence]
        first = word_edus[-1].end if word_edus and word_edus[-1].sentence == edu.sentence else 0
        stop = bisect_left(words, next_edu[edu].start) if edu in next_edu else len(words)
        if stop <= first:
            raise StructureError(f"no word of the syntax begins in EDU {number} (from 0)")
        word_edus.append(Span(edu.sentence, first, stop))
    return tuple(word_edus)


def words_and_edus(document: DocumentInput) -> tuple[list[Syntax], tuple[Span, ...]]:
    """The syntax of a document and its EDUs over words; raises :class:`InputError` for an EDU without words."""
    rows = document.tables["syntax"]
    try:
        return syntax_of(rows), in_words(rows_to_edus(document.tables["edus"]), offsets_of(rows))
    except StructureError as error:
        raise InputError(f"document {document.doc_id}: {error}", remedy="use one analyser for words and EDUs") from None
