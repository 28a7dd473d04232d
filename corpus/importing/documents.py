"""Parallel documents in memory, from the reader to the ``sentences`` and ``drops`` tables."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.tables import TABLES

EXCERPT = 80


@dataclass(slots=True)
class DocumentSide:
    """One side of a document: its sentences, and the file and 1-based line of each sentence for messages.

    For a format without lines, ``unit`` names the unit that ``lines`` counts, for example turns.
    """

    file: str
    sentences: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    unit: str = ""

    def fault(self, position: int, message: str, remedy: str) -> InputError:
        """An error about the sentence at ``position`` (from 0)."""
        if self.unit:
            return InputError(f"{self.unit} {self.lines[position]}: {message}", file=self.file, remedy=remedy)
        return InputError(message, file=self.file, line=self.lines[position], remedy=remedy)


@dataclass(slots=True)
class Document:
    """Sentence pairs in text order; ``line`` is the line of the source file on which the document begins."""

    doc_id: str
    source: DocumentSide
    target: DocumentSide
    line: int | None = None

    @classmethod
    def start(cls, doc_id: str, source_file: str, target_file: str, line: int | None = None) -> "Document":
        """A document without sentences."""
        return cls(doc_id, DocumentSide(source_file), DocumentSide(target_file), line)

    def add(self, source: str, target: str, source_line: int, target_line: int | None = None) -> None:
        """Append a sentence pair; ``target_line`` defaults to ``source_line``."""
        self.source.sentences.append(source)
        self.source.lines.append(source_line)
        self.target.sentences.append(target)
        self.target.lines.append(source_line if target_line is None else target_line)

    def keep(self, positions: list[int]) -> None:
        """Keep only the sentence pairs at these positions."""
        for side in (self.source, self.target):
            side.sentences = [side.sentences[position] for position in positions]
            side.lines = [side.lines[position] for position in positions]

    def __len__(self) -> int:
        return len(self.source.sentences)


@dataclass(frozen=True, slots=True)
class Drop:
    """A dropped sentence pair, or a dropped document where ``line`` is ``None``.

    ``sentences`` counts the pairs. ``between`` is true where sentences before and after the drop are kept.
    """

    doc_id: str
    line: int | None
    reason: str
    text: str
    sentences: int = 1
    between: bool = False

    @property
    def excerpt(self) -> str:
        """The first 80 characters of the text, on one line."""
        return " ".join(self.text.split())[:EXCERPT]


def sentences_table(documents: Iterable[Document]) -> pd.DataFrame:
    """The ``sentences`` table of ``documents``."""
    columns: dict[str, list[object]] = {name: [] for name in TABLES["sentences"]}
    for document in documents:
        columns["doc_id"].extend([document.doc_id] * len(document))
        columns["sent_id"].extend(range(len(document)))
        columns["source"].extend(document.source.sentences)
        columns["target"].extend(document.target.sentences)
    return pd.DataFrame(columns)


def documents_table(entries: Iterable[tuple[str, int]]) -> pd.DataFrame:
    """The ``documents`` table, from the id and the number of sentences of each document of a split in order."""
    return pd.DataFrame(entries, columns=list(TABLES["documents"])).astype({"sentences": "int32"})


def drops_table(drops: Iterable[Drop]) -> pd.DataFrame:
    """The ``drops`` table: one row for each dropped sentence pair or document."""
    rows = [(drop.doc_id, drop.line, drop.reason, drop.excerpt) for drop in drops]
    frame = pd.DataFrame(rows, columns=list(TABLES["drops"]))
    return frame.astype({"line": "Int32"})
