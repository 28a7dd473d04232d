"""The request to a reader of a corpus format, and the parallel reading of lines that most readers share."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Protocol

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source, natural
from discourse_nmt.corpus.documents import Drop

ALIGNED = "read texts of documents with the format documents, or wmt_jsonl, which divide and align them"
"""The way for a text that is no sentence."""
SentenceSplitter = Callable[[Sequence[str]], list[list[str]]]
"""The sentences of each text."""


class Correspondence(Protocol):
    """Texts of both sides that belong together, by their indices; one side may have none."""

    @property
    def source(self) -> range:
        """Indices of the source texts."""

    @property
    def target(self) -> range:
        """Indices of the target texts."""


class SentenceAligner(Protocol):
    """What aligns texts in order, by their lengths and by the translations of words that it has learnt."""

    def learn(self, documents: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
        """Learn from the texts of both sides of each document."""

    def align(self, source: Sequence[str], target: Sequence[str]) -> Sequence[Correspondence]:
        """The beads of sentences in order; every one of both sides is in a bead."""

    def align_units(self, source: Sequence[str], target: Sequence[str]) -> Sequence[Correspondence]:
        """The same for lines, paragraphs and blocks."""

    def quality(self, source: str, target: str) -> float:
        """How well two texts fit, from 0 to 1."""


@dataclass(frozen=True)
class Request:
    """Files to read as documents of ``split``, by role (source, target, documents, files), and the languages.

    Readers append the text that their format leaves out to ``drops``, and count in ``notes`` further decisions that a
    user should know. ``splitters`` are by side; a language may have none. ``references`` tells whether the split has a
    target side. ``aligner`` is there for formats that align sentences.
    """

    split: str
    sources: dict[str, list[Source]]
    source_language: str
    target_language: str
    drops: list[Drop] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    splitters: Mapping[str, SentenceSplitter] = field(default_factory=dict)
    references: bool = True
    aligner: SentenceAligner | None = None

    def aligned_files(self, *roles: str) -> list[tuple[Source, ...]]:
        """The n-th files of all roles together; raises :class:`InputError` for roles with unequal numbers of files."""
        counts = {role: len(self.sources[role]) for role in roles}
        if len(set(counts.values())) > 1:
            listed = ", ".join(f"{count} {role}" for role, count in counts.items())
            raise InputError(f"split {self.split}: {listed} files", remedy="give the same number of files for each")
        aligned = list(zip(*(self.sources[role] for role in roles)))
        for files in aligned:
            if len({file.key for file in files} - {None}) > 1:
                raise InputError(
                    f"has no partner of the same name (next is {files[-1].name})",
                    file=files[0].name,
                    remedy="wildcards of source and target must match the same names",
                )
        return aligned

    def files_by_key(self, endings: Sequence[str]) -> Iterator[tuple[str, Source | None, Source | None]]:
        """Each key of :func:`by_key` in natural order with the source and the target file; None where a side lacks it.

        Raises :class:`InputError` if no key has both.
        """
        sources, targets = (by_key(self.sources[role], endings) for role in ("source", "target"))
        if not sources.keys() & targets.keys():
            remedy = "wildcards of source and target must match the same names"
            raise InputError("no target file of this name", file=next(iter(sources.values())).name, remedy=remedy)
        for key in sorted(sources.keys() | targets.keys(), key=natural):
            yield key, sources.get(key), targets.get(key)


def aligned_lines(sources: tuple[Source, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each 1-based line number with the lines of all files.

    Raises :class:`InputError` if one file has fewer lines than another.
    """
    number = 0
    for number, lines in enumerate(zip_longest(*(source.lines() for source in sources)), start=1):
        if None in lines:
            short = sources[lines.index(None)]
            full = next(source for source, line in zip(sources, lines) if line is not None)
            raise InputError(
                f"line without a partner: {short.name} ends after {number - 1:,} lines",
                file=full.name,
                line=number,
                remedy="line n of one file must belong to line n of the other",
            )
        yield number, lines
    if number == 0:
        raise InputError("the file is empty", file=sources[0].name)


def by_key(sources: Sequence[Source], endings: Sequence[str] = ()) -> dict[str, Source]:
    """Files by what their wildcards matched, without one of ``endings``, or by their name up to its first dot.

    Raises :class:`InputError` for a second file of a key.
    """
    source_of: dict[str, Source] = {}
    for source in sources:
        key = source.stem if source.key is None else source.key
        key = next((key.removesuffix(ending) for ending in endings if key.endswith(ending)), key)
        if key in source_of:
            raise InputError(
                f"document {key} is also in {source_of[key].name}",
                file=source.name,
                remedy="let the wildcard cover the part of the name that differs",
            )
        source_of[key] = source
    return source_of


def one_line(text: str) -> str:
    """``text`` with a space for each line break, for formats that allow line breaks in sentences."""
    return text.replace("\r\n", " ").replace("\n", " ")
