"""One item of a suite in memory: a document with its translation, and what a system is asked about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.importing.documents import Document, DocumentSide
from discourse_nmt.corpus.storage.sources import Source

# The translation of a context sentence that a suite gives none for: a suite of generation never scores it.
UNKNOWN = "…"
FARTHEST = 1_000_000  # sentences


@dataclass(slots=True)
class Item:
    """A document whose last sentences are tested.

    ``right`` has context and sentence with their reference translations. ``wrong`` are its wrong translations, each
    with the same source, and ``expected`` forms of which one must occur in a translation of the last sentence: a format
    gives the ones or the others. A ``phenomenon`` may be part of another: ``anaphora/m.sg``. ``distance`` is the number
    of sentences back to the one that decides, None where the suite does not say; items of a ``block`` belong together.
    """

    right: Document
    phenomenon: str
    distance: int | None = None
    block: str | None = None
    wrong: list[Document] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    @property
    def documents(self) -> list[Document]:
        """The right document and the wrong ones."""
        return [self.right, *self.wrong]


def document(files: tuple[Source, Source], line: int, sentences: Iterable[tuple[str, str]], unit: str = "") -> Document:
    """Sentence pairs of one ``line`` of two files, still without an id.

    Where the files are not made of lines, ``unit`` says what is counted instead.
    """
    source, target = (DocumentSide(file.name, unit=unit) for file in files)
    found = Document("", source, target, None if unit else line)
    for original, translation in sentences:
        found.add(original, translation, line)
    return found


def translated(right: Document, targets: Sequence[str], line: int) -> Document:
    """The document with other translations, which stand at ``line``."""
    target = DocumentSide(right.target.file, list(targets), [line] * len(targets), right.target.unit)
    source = DocumentSide(right.source.file, list(right.source.sentences), list(right.source.lines), right.source.unit)
    return Document("", source, target, right.line)


def fault(files: Source, number: int, message: str, remedy: str = "correct the file, or get it again") -> InputError:
    """An error about the group of that number, from 1, in a file that is not made of lines."""
    return InputError(f"group {number}: {message}", file=files.name, remedy=remedy)


def texts(group: object, file: Source, number: int, *keys: str) -> list[str]:
    """The texts under ``keys`` of a group of JSON; raises :class:`InputError` where one is missing or is no text."""
    values = [group.get(key) if isinstance(group, dict) else None for key in keys]
    for key, value in zip(keys, values):
        if not isinstance(value, str):
            raise fault(file, number, f"{key!r} is missing or is no text")
    return [str(value) for value in values]


def distance_of(group: dict[str, object], key: str, file: Source, number: int) -> int | None:
    """A number of sentences, from 0, None where it is not there; raises :class:`InputError` for anything else."""
    value = group.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < FARTHEST):
        return value
    raise fault(file, number, f"{key!r} is {value!r}, no number of sentences")
