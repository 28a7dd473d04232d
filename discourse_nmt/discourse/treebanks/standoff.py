"""Chains apart from their text: a table for each document, laid over a text that the user has.

A table has the columns ``line``, ``characters_of_words`` and ``mentions``, with a row for each line of the text.
Words are counted in characters other than white space (``2 1 3``). A mention is ``ENTITY:START-END``: words of the
line from 0, the end excluded. A text in other characters of the same number, traditional ones, fits as well.
"""

import csv
import io
import re
from collections.abc import Sequence

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention

COLUMNS = ["line", "characters_of_words", "mentions"]
MENTION = re.compile(r"([0-9]{1,9}):([0-9]{1,9})-([0-9]{1,9})")


def write_standoff(document: CoreferenceDocument) -> str:
    """The table of a document, without its words."""
    content = io.StringIO()
    table = csv.writer(content, delimiter="\t", lineterminator="\n")
    table.writerow(COLUMNS)
    start = 0
    for line, words in enumerate(document.sentences, start=1):
        end = start + len(words)
        mentions = [mention for mention in document.mentions if start <= mention.start and mention.end <= end]
        places = [f"{mention.entity}:{mention.start - start}-{mention.end - start}" for mention in mentions]
        table.writerow([line, " ".join(str(len(word)) for word in words), " ".join(places)])
        start = end
    return content.getvalue()


def place_on_text(table: str, lines: Sequence[str], name: str, text_name: str) -> CoreferenceDocument:
    """The document of a table and the lines of its text, whose white space does not count.

    Raises :class:`.InputError` where the table is damaged or a line has another number of characters.
    """
    rows = list(csv.reader(io.StringIO(table), delimiter="\t"))
    if not rows or rows[0] != COLUMNS:
        raise InputError(f"the columns are not {', '.join(COLUMNS)}", file=name, line=1)
    if len(rows) - 1 != len(lines):
        fault = f"{len(lines)} lines of text, {len(rows) - 1} in {name}"
        raise InputError(fault, file=text_name, remedy="give the whole document, a sentence a line")
    sentences: list[tuple[str, ...]] = []
    mentions: list[EntityMention] = []
    first_word = 0
    for number, (row, line) in enumerate(zip(rows[1:], lines, strict=True), start=1):
        lengths, places = _row(row, number, name)
        characters = "".join(line.split())
        if len(characters) != sum(lengths):
            fault = f"{len(characters)} characters, {sum(lengths)} in {name}"
            raise InputError(fault, file=text_name, line=number, remedy="give the edition that was annotated")
        ends = [sum(lengths[: word + 1]) for word in range(len(lengths))]
        sentences.append(tuple(characters[end - length : end] for end, length in zip(ends, lengths, strict=True)))
        mentions += [
            EntityMention(first_word + start, first_word + end, entity, "entity") for entity, start, end in places
        ]
        first_word += len(lengths)
    document = name.rpartition("/")[2].removesuffix(".tsv")
    return CoreferenceDocument(document, tuple(sentences), tuple(sorted(mentions)))


def _row(row: Sequence[str], number: int, name: str) -> tuple[list[int], list[tuple[str, int, int]]]:
    """Lengths of words and mentions of a row; ``number`` counts the lines of text from 1."""
    if len(row) != len(COLUMNS) or row[0] != str(number) or not re.fullmatch(r"[1-9][0-9]*( [1-9][0-9]*)*", row[1]):
        raise InputError(f"not a row of line {number}", file=name, line=number + 1, remedy="fetch the file again")
    lengths = [int(length) for length in row[1].split()]
    places = []
    for item in row[2].split():
        match = MENTION.fullmatch(item)
        if match is None or not int(match[2]) < int(match[3]) <= len(lengths):
            raise InputError(f"mention {item!r} is not in the line", file=name, line=number + 1)
        places.append((match[1], int(match[2]), int(match[3])))
    return lengths, places
