"""One item of a suite in memory: a document with its translation, its wrong variants or its expected forms."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document, DocumentSide

FARTHEST = 1_000_000  # sentences


@dataclass(slots=True)
class Item:
    """A document whose last sentences are tested.

    ``right`` has context and sentence with their reference translations. A format gives either ``wrong``, wrong
    translations of the same source, or ``expected``, forms one of which must occur in the translation of the last
    sentence, perhaps with ``others`` that are wrong there. A ``phenomenon`` may have parts: ``anaphora/m.sg``.
    ``distance`` is the number of sentences back to the deciding one, None if unknown. Items of one ``block`` belong
    together. ``right`` has the id of the document that the item was made of, empty where there is none.
    """

    right: Document
    phenomenon: str
    distance: int | None = None
    block: str | None = None
    wrong: list[Document] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    @property
    def documents(self) -> list[Document]:
        """The right document and the wrong ones."""
        return [self.right, *self.wrong]


def document(files: tuple[Source, Source], line: int, sentences: Iterable[tuple[str, str]], unit: str = "") -> Document:
    """The document of one ``line`` of two files, still without an id.

    For files without lines, ``unit`` names the unit that is counted instead.
    """
    source, target = (DocumentSide(file.name, unit=unit) for file in files)
    pairs = Document("", source, target, None if unit else line)
    for original, translation in sentences:
        pairs.add(original, translation, line)
    return pairs


def translated(right: Document, targets: Sequence[str], line: int) -> Document:
    """``right`` with other translations, from ``line``."""
    target = DocumentSide(right.target.file, list(targets), [line] * len(targets), right.target.unit)
    source = DocumentSide(right.source.file, list(right.source.sentences), list(right.source.lines), right.source.unit)
    return Document("", source, target, right.line)


def fault(files: Source, number: int, message: str, remedy: str = "correct the file, or get it again") -> InputError:
    """An error about a group, counted from 1, of a file without lines."""
    return InputError(f"group {number}: {message}", file=files.name, remedy=remedy)


def texts(group: object, file: Source, number: int, *keys: str) -> list[str]:
    """The strings under ``keys`` of a JSON group; raises :class:`InputError` where one is missing or no string."""
    values = [group.get(key) if isinstance(group, dict) else None for key in keys]
    for key, value in zip(keys, values):
        if not isinstance(value, str):
            raise fault(file, number, f"{key!r} is missing or is no text")
    return [str(value) for value in values]


def distance_of(group: Mapping[str, object], key: str, file: Source, number: int) -> int | None:
    """A number of sentences, from 0, or None where the key is missing; raises :class:`InputError` for other values."""
    value = group.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < FARTHEST):
        return value
    raise fault(file, number, f"{key!r} is {value!r}, no number of sentences")
