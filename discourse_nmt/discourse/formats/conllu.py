"""CoNLL-U (Universal Dependencies) and the .tok and .conllu files of the DISRPT shared tasks.

Ten tab-separated columns, with blank lines between sentences. A .tok file has one block of words per document, with
only the form and the last column. All columns are kept as text, so that written files equal the files read. (The
``conllu`` library loses repeated keys, values with ``=`` and comments without a value, and its errors name no line.)
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import blaming, lines_of, whole_number
from discourse_nmt.discourse.structures.dependencies import check_heads
from discourse_nmt.discourse.structures.mentions import Span, edus_of_starts
from discourse_nmt.discourse.structures.trees import StructureError

EMPTY = "_"
DOCUMENT_KEYS = ("newdoc id", "newdoc_id")


@dataclass(frozen=True, slots=True)
class ConlluRow:
    """One line: a word (``id`` is ``3``), a multiword token (``3-4``) or an empty node (``3.1``)."""

    id: str
    form: str
    lemma: str = EMPTY
    upos: str = EMPTY
    xpos: str = EMPTY
    feats: str = EMPTY
    head: str = EMPTY
    deprel: str = EMPTY
    deps: str = EMPTY
    misc: str = EMPTY

    @property
    def begins_edu(self) -> bool:
        """Whether an EDU begins here: ``BeginSeg=Yes`` or ``Seg=B-seg`` (DISRPT), or ``Discourse=`` (GUM)."""
        return any(
            field.lower() in ("beginseg=yes", "seg=b-seg") or field.startswith("Discourse=")
            for field in self.misc.split("|")
        )


@dataclass(frozen=True)
class Sentence:
    """Comment lines (with ``#``) and rows of a sentence; in a .tok file, of a document."""

    comments: tuple[str, ...]
    rows: tuple[ConlluRow, ...]

    @cached_property
    def words(self) -> tuple[ConlluRow, ...]:
        """The syntactic words: all rows except multiword tokens and empty nodes."""
        return tuple(row for row in self.rows if row.id.isdigit())

    @property
    def heads(self) -> tuple[int, ...]:
        """Index of each word's head, -1 for the root; empty if the sentence has no syntax."""
        if any(word.head == EMPTY for word in self.words):
            return ()
        return tuple(int(word.head) - 1 for word in self.words)

    def comment(self, *keys: str) -> str | None:
        """Value of the first comment ``# key = value`` with one of the keys, or None."""
        for line in self.comments:
            key, equals, value = line.removeprefix("#").partition("=")
            if equals and key.strip() in keys:
                return value.strip()
        return None


def read_conllu(content: str | bytes, name: str) -> list[Sentence]:
    """Read sentences; word ids must count from 1, and heads, if present, must form a tree with one root."""
    sentences: list[Sentence] = []
    comments: list[str] = []
    rows: list[ConlluRow] = []
    words, start, number = 0, 1, 0
    for number, line in lines_of(content, name):
        if not line.strip():
            if rows:
                sentences.append(_sentence(comments, rows, name, start))
                comments, rows, words = [], [], 0
            start = number + 1
            continue
        if line.startswith("#"):
            if rows:
                raise InputError("a comment between the words of a sentence", file=name, line=number)
            comments.append(line)
            continue
        fields = line.split("\t")
        if len(fields) != 10 or not all(fields):
            raise InputError(f"{sum(map(bool, fields))} filled columns instead of 10", file=name, line=number)
        words = _check_id(fields[0], words, name, number)
        rows.append(ConlluRow(*fields))
    if rows:
        sentences.append(_sentence(comments, rows, name, start))
    elif comments:
        raise InputError("comments without words", file=name, line=number)
    return sentences


def _check_id(text: str, words: int, name: str, line: int) -> int:
    """Number of words up to this row, of which ``words`` come before it; checks the id of the row."""
    if text.isascii() and text.isdigit() and text == str(words + 1):
        return words + 1
    first, separator, last = text.partition("-") if "-" in text else text.partition(".")
    if separator and all(part.isascii() and part.isdigit() and len(part) < 10 for part in (first, last)):
        if separator == "-" and int(first) == words + 1 < int(last):
            return words
        if separator == "." and int(first) == words:
            return words
    raise InputError(f"word {text[:20]!r} does not follow word {words}", file=name, line=line)


def _sentence(comments: Sequence[str], rows: Sequence[ConlluRow], name: str, line: int) -> Sentence:
    sentence = Sentence(tuple(comments), tuple(rows))
    sent_id = sentence.comment("sent_id")
    label = f"sentence {sent_id}" if sent_id else "a sentence"
    has_head = [word.head != EMPTY for word in sentence.words]
    if any(has_head):
        if not all(has_head):
            raise InputError(f"{label}: word {has_head.index(False) + 1} has no head", file=name, line=line)
        heads = [whole_number(word.head, "head", name, line) - 1 for word in sentence.words]
        if heads.count(-1) != 1:
            raise InputError(f"{label} has {heads.count(-1)} roots", file=name, line=line)
        with blaming(name, line):
            check_heads(heads, first=1, unit="word")
    return sentence


def write_conllu(sentences: Iterable[Sentence]) -> str:
    """The CoNLL-U text of sentences, with a blank line after each."""
    lines: list[str] = []
    for sentence in sentences:
        lines.extend(sentence.comments)
        for row in sentence.rows:
            fields = (
                row.id, row.form, row.lemma, row.upos, row.xpos,
                row.feats, row.head, row.deprel, row.deps, row.misc,
            )  # fmt: skip
            lines.append("\t".join(fields))
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


def documents_of(sentences: Iterable[Sentence]) -> Iterator[tuple[str | None, list[Sentence]]]:
    """Group sentences by ``# newdoc id`` (or ``# newdoc_id``); the id is None before the first such comment."""
    document: str | None = None
    group: list[Sentence] = []
    for sentence in sentences:
        opened = sentence.comment(*DOCUMENT_KEYS)
        if opened is not None and group:
            yield document, group
            group = []
        document = opened if opened is not None else document
        group.append(sentence)
    if group:
        yield document, group


def paragraphs_of(sentences: Sequence[Sentence]) -> frozenset[int] | None:
    """Indices of the sentences that begin a paragraph (``# newpar``); None for a document without such comments."""
    begins = [index for index, sentence in enumerate(sentences) if _begins_paragraph(sentence)]
    return frozenset((0, *begins)) if begins else None


def _begins_paragraph(sentence: Sentence) -> bool:
    names = (line.lstrip("# ").split("=")[0].strip() for line in sentence.comments)
    return any(name.split(" ")[0] == "newpar" for name in names)


def edus_of_sentences(sentences: Iterable[Sentence]) -> tuple[Span, ...]:
    """EDUs of one document as word spans, from the marks in the last column; every sentence begins an EDU.

    Raises :class:`.StructureError` for a document without marks.
    """
    starts = [[word.begins_edu for word in sentence.words] for sentence in sentences]
    if not any(map(any, starts)):
        raise StructureError("no word is marked as the beginning of an EDU")
    return edus_of_starts(starts)
