"""Parallel documents in memory, from the reader to the tables."""

from dataclasses import dataclass, field
from typing import Any

from discourse_nmt.base.errors import InputError

EXCERPT = 80
OF_PAIRS = {"quality": "quality", "speaker": "speakers", "scene": "scenes"}
"""What some formats tell of each sentence pair: by the column of the table ``sentences``, the field of a document."""
# Stands for the missing translation of a context sentence of a suite, which is never scored.
UNKNOWN = "…"


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
    """Sentence pairs in text order; ``line`` is the line of the source file on which the document begins.

    Some formats tell more: ``domain``; the source text as ``gaps``, what stands before each sentence and after the last
    one; ``quality``, how well the sides of each pair fit, from 0 to 1, where the import aligned them; ``speakers``, who
    says each sentence (None: nobody is named); ``scenes``, the number of its scene in the document, from 0.
    """

    doc_id: str
    source: DocumentSide
    target: DocumentSide
    line: int | None = None
    domain: str | None = None
    gaps: list[str] | None = None
    quality: list[float] | None = None
    speakers: list[str | None] | None = None
    scenes: list[int] | None = None

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
        if self.gaps is not None:
            self.gaps = [self.gaps[position] for position in positions] + self.gaps[-1:]
        for name, values in self._of_pairs(positions).items():
            setattr(self, name, values)

    def part(self, doc_id: str, positions: list[int]) -> "Document":
        """The sentence pairs at these positions as a document of their own."""
        source, target = (
            DocumentSide(
                side.file,
                [side.sentences[position] for position in positions],
                [side.lines[position] for position in positions],
                side.unit,
            )
            for side in (self.source, self.target)
        )
        return Document(doc_id, source, target, self.line, self.domain, **self._of_pairs(positions))

    def _of_pairs(self, positions: list[int]) -> dict[str, Any]:
        """What is told of the sentence pairs at these positions, by the field's name."""
        told = {name: getattr(self, name) for name in OF_PAIRS.values()}
        return {name: values and [values[position] for position in positions] for name, values in told.items()}

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
