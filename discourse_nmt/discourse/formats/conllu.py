"""CoNLL-U (Universal Dependencies) and the .tok and .conllu files of the DISRPT shared tasks.

Ten tab-separated columns, with blank lines between sentences. A .tok file has one block of words per document, with
only the form and the last column. All columns are kept as text, so that written files equal the files read. (The
``conllu`` library loses repeated keys, values with ``=`` and comments without a value, and its errors name no line.)
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import blaming, lines_of, whole_number
from discourse_nmt.discourse.structures.dependencies import check_heads
from discourse_nmt.discourse.structures.mentions import Span, edus_of_starts
from discourse_nmt.discourse.structures.trees import StructureError

EMPTY = "_"
DOCUMENT_KEYS = ("newdoc id", "newdoc_id")
NEW_DOCUMENT = re.compile(r"#\s*newdoc(?:[\s_]+id\s*=\s*(?P<id>.*?))?\s*")
BEGINS = {"beginseg": {"yes": True, "no": False}, "seg": {"b-seg": True, "o": False}}
"""Marks of DISRPT, in lower case: whether an EDU begins at the word."""


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
    def edu_marks(self) -> dict[str, bool]:
        """Whether an EDU begins here, by kind of mark: ``BeginSeg=`` or ``Seg=`` (DISRPT), or ``Discourse=`` (GUM)."""
        marks: dict[str, bool] = {}
        for entry in self.misc.split("|"):
            key, _, value = entry.partition("=")
            if key == "Discourse":
                marks[key] = True
            elif (begins := BEGINS.get(key.lower(), {}).get(value.lower())) is not None:
                kind = "BeginSeg" if key.lower() == "beginseg" else "Seg"
                marks[kind] = marks.get(kind, False) or begins
        return marks

    @property
    def begins_edu(self) -> bool:
        """Whether any mark says that an EDU begins here; :func:`edu_starts` checks that they agree."""
        return any(self.edu_marks.values())


@dataclass(frozen=True)
class Sentence:
    """Comment lines (with ``#``) and rows of a sentence; in a .tok file, of a document."""

    comments: tuple[str, ...]
    rows: tuple[ConlluRow, ...]
    file: str | None = field(default=None, compare=False)
    line: int = field(default=1, compare=False)
    """The line of the file on which the sentence begins; comments and rows follow one another."""

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

    @property
    def begins_document(self) -> bool:
        """Whether a comment ``# newdoc`` begins a document here, with an id or without."""
        return any(NEW_DOCUMENT.fullmatch(line) for line in self.comments)

    def fault(self, row: int, message: str, remedy: str) -> InputError:
        """An error about the row of this index."""
        line = None if self.file is None else self.line + len(self.comments) + row
        return InputError(message, file=self.file, line=line, remedy=remedy)


def read_conllu(content: str | bytes, name: str, *, heads: bool = True) -> list[Sentence]:
    """Read sentences; word ids must count from 1.

    Heads, if present, must form a tree with one root. Without ``heads``, for readers of words and EDUs alone, they are
    not looked at.
    """
    sentences: list[Sentence] = []
    comments: list[str] = []
    rows: list[ConlluRow] = []
    words, start, number = 0, 1, 0
    for number, line in lines_of(content, name):
        if not line.strip():
            if rows:
                sentences.append(Sentence(tuple(comments), tuple(rows), name, start))
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
        sentences.append(Sentence(tuple(comments), tuple(rows), name, start))
    elif comments:
        raise InputError("comments without words", file=name, line=number)
    for sentence in sentences if heads else ():
        _check_heads(sentence, name)
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


def _check_heads(sentence: Sentence, name: str) -> None:
    sent_id = sentence.comment("sent_id")
    label = f"sentence {sent_id}" if sent_id else "a sentence"
    has_head = [word.head != EMPTY for word in sentence.words]
    if not any(has_head):
        return
    if not all(has_head):
        fault = f"{label}: word {has_head.index(False) + 1} has no head"
        remedy = "give every word of the sentence a head, or none"
        raise InputError(fault, file=name, line=sentence.line, remedy=remedy)
    heads = [whole_number(word.head, "head", name, sentence.line) - 1 for word in sentence.words]
    if heads.count(-1) != 1:
        remedy = "let one word have the head 0, or divide the sentence"
        raise InputError(f"{label} has {heads.count(-1)} roots", file=name, line=sentence.line, remedy=remedy)
    with blaming(name, sentence.line, "correct the heads, or leave them out"):
        check_heads(heads, first=1, unit="word")


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
    """Group sentences by ``# newdoc id`` (or ``# newdoc_id``, or ``# newdoc`` without an id).

    The id is None for a document without one, and before the first such comment.
    """
    document: str | None = None
    group: list[Sentence] = []
    for sentence in sentences:
        if sentence.begins_document:
            if group:
                yield document, group
                group = []
            document = sentence.comment(*DOCUMENT_KEYS) or None
        group.append(sentence)
    if group:
        yield document, group


def tokens_of(sentence: Sentence) -> list[tuple[str, list[int]]]:
    """The written tokens of a sentence: form and row indices of each; a multiword token has the rows of its words."""
    tokens: list[tuple[str, list[int]]] = []
    inside = 0  # last word of the multiword token that is open
    for number, row in enumerate(sentence.rows):
        if "-" in row.id:
            inside = int(row.id.partition("-")[2])
            tokens.append((row.form, [number]))
        elif row.id.isdigit():
            if int(row.id) <= inside:
                tokens[-1][1].append(number)
            else:
                tokens.append((row.form, [number]))
    return tokens


def paragraphs_of(sentences: Sequence[Sentence]) -> frozenset[int] | None:
    """Indices of the sentences that begin a paragraph (``# newpar``); None for a document without such comments."""
    begins = [index for index, sentence in enumerate(sentences) if _begins_paragraph(sentence)]
    return frozenset((0, *begins)) if begins else None


def speakers_of(sentences: Iterable[Sentence]) -> tuple[str | None, ...]:
    """Who says each sentence (``# speaker = NAME``), None where nobody is named."""
    return tuple(sentence.comment("speaker") or None for sentence in sentences)


def _begins_paragraph(sentence: Sentence) -> bool:
    names = (line.lstrip("# ").split("=")[0].strip() for line in sentence.comments)
    return any(name.split(" ")[0] == "newpar" for name in names)


def edus_of_sentences(sentences: Iterable[Sentence]) -> tuple[Span, ...]:
    """EDUs of one document as word spans, from the marks in the last column; every sentence begins an EDU.

    Raises :class:`.StructureError` for a document without marks, and :class:`InputError` as :func:`edu_starts` does.
    """
    starts = edu_starts(sentences)
    if not any(map(any, starts)):
        raise StructureError("no word is marked as the beginning of an EDU")
    return edus_of_starts(starts)


def edu_starts(sentences: Iterable[Sentence]) -> list[list[bool]]:
    """Whether the marks of a document say that an EDU begins, for each word of each sentence.

    A mark on a multiword token is one on its first word. Raises :class:`InputError`, naming file and line, for marks
    that contradict each other, for one on an empty node, which is no word, and for one inside a multiword token, which
    is one piece of text.
    """
    sentences = list(sentences)
    kinds = {kind for sentence in sentences for row in sentence.rows for kind in row.edu_marks}
    starts: list[list[bool]] = []
    alone: set[str] = set()  # notations of DISRPT that mark a word without the other notation
    for sentence in sentences:
        starts.append([])
        for number, marks in _marks_of_words(sentence):
            begins = {kind for kind, here in marks.items() if here}
            notations = begins - {"Discourse"}
            alone |= notations if len(notations) == 1 else set()
            if fault := _contradiction(begins, marks.keys(), kinds, alone):
                remedy = "let all marks of a document begin EDUs at the same words"
                raise sentence.fault(number, f"word {sentence.rows[number].id}: {fault}", remedy)
            starts[-1].append(bool(begins))
    return starts


def _marks_of_words(sentence: Sentence) -> Iterator[tuple[int, dict[str, bool]]]:
    """The row of each word and its marks, with those of the multiword token that it begins."""
    first, last, of_token = 0, 0, dict[str, bool]()
    for number, row in enumerate(sentence.rows):
        marks = row.edu_marks
        if "-" in row.id:
            first, last = map(int, row.id.split("-"))
            of_token = marks
        elif row.id.isdigit():
            if first < int(row.id) <= last and row.begins_edu:
                fault = f"word {row.id} begins an EDU inside the token {first}-{last}"
                raise sentence.fault(number, fault, "mark the first word of the token, or the word after it")
            if int(row.id) == first:
                marks = {kind: any((marks.get(kind), of_token.get(kind))) for kind in marks | of_token}
            yield number, marks
        elif row.begins_edu:
            fault = f"the empty node {row.id} begins an EDU, but is no word"
            raise sentence.fault(number, fault, "mark the first word of the EDU")


def _contradiction(begins: set[str], named: Collection[str], kinds: set[str], alone: set[str]) -> str:
    """Why the marks of a word contradict each other or those of its document; empty if they do not."""
    if begins and (denied := set(named) - begins):
        return f"{' and '.join(sorted(begins))} begins an EDU, {' and '.join(sorted(denied))} does not"
    of_disrpt = kinds - {"Discourse"}
    if begins and of_disrpt and "Discourse" in kinds and not ("Discourse" in begins and begins & of_disrpt):
        other = " or ".join(sorted(of_disrpt)) if "Discourse" in begins else "Discourse"
        return f"{' and '.join(sorted(begins))} begins an EDU, {other} does not"
    if begins and of_disrpt <= alone and len(of_disrpt) > 1:
        return "BeginSeg and Seg begin EDUs at different words of the document"
    return ""
