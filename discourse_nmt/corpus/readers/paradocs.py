"""ParaDocs (Wicks, Post and Koehn 2024): sentence pairs of ParaCrawl, Europarl and News Commentary with the documents
they come from; https://aclanthology.org/2024.findings-acl.589.

A line has 18 tab-separated fields without a header. Consecutive lines of one pair of documents are read as the authors'
program paradocs-hf does: a line that is not fit ends a document and is left out, and so does a gap on the source side.
What remains are pieces of documents.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.requests import Request

FIELDS = (
    *("src", "tgt", "sim_score_one", "sim_score_two", "collection"),
    *("src_paragraph_id", "tgt_paragraph_id", "src_sentence_id", "tgt_sentence_id"),
    *("src_start_id", "src_end_id", "tgt_start_id", "tgt_end_id"),
    *("src_lid_prob", "tgt_lid_prob", "duplication_count", "src_docid", "tgt_docid"),
)
PLACES = FIELDS[5:13]  # where a sentence stands in its document; None where that is not known
GAP = 2  # characters between consecutive sentences at most


@dataclass(frozen=True)
class Options:
    """Which lines are fit, and which pieces are kept; the defaults are those of paradocs-hf."""

    most_duplicates: int = setting(100, "how often a sentence pair may occur in the original data", minimum=1)
    least_language: float = setting(0.5, "least probability that a side is in its language", minimum=0, maximum=1)
    least_sentences: int = setting(2, "shortest piece of a document in sentences", minimum=1)
    least_similarity: float = setting(0, "least mean of the second similarity score of a piece")
    swap: bool = setting(False, "take the second language of the files as the source language")


@dataclass(frozen=True)
class AnnotatedLine:
    """One line: its number and its fields by name."""

    number: int
    fields: dict[str, str]

    @property
    def documents(self) -> tuple[str, str]:
        """The ids of both documents."""
        return self.fields["src_docid"], self.fields["tgt_docid"]

    def fault(self, options: Options) -> str:
        """Why the line is not fit; empty if it is."""
        if "None" in (self.fields[name] for name in PLACES):
            return "place in the document not known"
        if int(self.fields["duplication_count"]) > options.most_duplicates:
            return "most_duplicates"
        if min(float(self.fields["src_lid_prob"]), float(self.fields["tgt_lid_prob"])) < options.least_language:
            return "least_language"
        return "" if has_text(self.fields["src"]) and has_text(self.fields["tgt"]) else "empty sentence"

    def follows(self, other: "AnnotatedLine") -> bool:
        """Whether the line continues ``other`` on the source side, which alone the authors' program compares."""
        return int(self.fields["src_start_id"]) - int(other.fields["src_end_id"]) <= GAP


def read(request: Request, options: Options) -> Iterator[Document]:
    """The pieces of documents: ids are ``SPLIT-DOCUMENT+PIECE``, numbered in the order of the files.

    Left out and counted are lines that are not fit and pieces that are too short or too dissimilar. Raises
    :class:`InputError` for a line with other than 18 fields or without a number where one belongs.
    """
    number = 0
    for source in request.sources["files"]:
        piece: list[AnnotatedLine] = []
        documents, piece_number = None, 0
        for count, text in enumerate(source.lines(), start=1):
            line = _line(text, count, source.name)
            fault = _checked(line, options, source.name)
            if line.documents != documents or fault or (piece and not line.follows(piece[-1])):
                yield from _finished(piece, f"{request.split}-{number}+{piece_number}", source.name, request, options)
                piece, piece_number = [], piece_number + 1
            if line.documents != documents:
                documents, number, piece_number = line.documents, number + 1, 0
            if fault:
                doc_id = f"{request.split}-{number}+{piece_number}"
                request.drops.append(Drop(doc_id, count, fault, line.fields["src"], 1))
            else:
                piece.append(line)
        yield from _finished(piece, f"{request.split}-{number}+{piece_number}", source.name, request, options)


def _line(text: str, number: int, file: str) -> AnnotatedLine:
    fields = text.split("\t")
    if len(fields) != len(FIELDS):
        message = f"{len(fields)} tab-separated fields, not {len(FIELDS)}"
        raise InputError(message, file=file, line=number, remedy="take a file of ParaDocs as it was published")
    return AnnotatedLine(number, dict(zip(FIELDS, fields)))


def _checked(line: AnnotatedLine, options: Options, file: str) -> str:
    try:
        if not (fault := line.fault(options)):
            line.follows(line)
            float(line.fields["sim_score_two"])
        return fault
    except ValueError as error:
        remedy = "take a file of ParaDocs as it was published"
        raise InputError(str(error), file=file, line=line.number, remedy=remedy) from None


def _finished(
    piece: list[AnnotatedLine], doc_id: str, file: str, request: Request, options: Options
) -> Iterator[Document]:
    """The document of a piece, unless it is too short or too dissimilar, which is counted."""
    if not piece:
        return
    similarity = sum(float(line.fields["sim_score_two"]) for line in piece) / len(piece)
    reason = "least_sentences" if len(piece) < options.least_sentences else ""
    reason = reason or ("least_similarity" if similarity < options.least_similarity else "")
    if reason:
        request.drops.append(Drop(doc_id, None, reason, piece[0].fields["src"], len(piece)))
        return
    document = Document.start(doc_id, file, file, piece[0].number)
    for line in piece:
        sides = line.fields["src"], line.fields["tgt"]
        document.add(*(sides[::-1] if options.swap else sides), line.number)
    yield document
