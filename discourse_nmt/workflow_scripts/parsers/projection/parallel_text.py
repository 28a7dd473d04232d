"""Parallel text for projection: documents of tables and folders, the words of both sides, and an aligner of them."""

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.base.storage.shard_files import read_shards
from discourse_nmt.discourse.analysers.segmentation import Segmenter
from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.discourse.backends.builtin.models import SHIPPED
from discourse_nmt.discourse.structures.parallel import ParallelDocument
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.word_alignment.model import Aligner, learn


@dataclass(frozen=True)
class ParallelLines:
    """The two sides of a document, line by line."""

    name: str
    sides: tuple[list[str], list[str]]

    def __len__(self) -> int:
        return len(self.sides[0])


@dataclass(frozen=True)
class DividedSide:
    """One side of a document: the words of its sentences, and the line of each sentence."""

    forms: list[list[str]]
    lines: list[int]

    def words(self, count: int) -> list[list[str]]:
        """The words of each of ``count`` lines."""
        words: list[list[str]] = [[] for _ in range(count)]
        for forms, line in zip(self.forms, self.lines):
            words[line] += forms
        return words


@dataclass(frozen=True)
class ParallelText:
    """Documents with the words of both sides, and an aligner that has learnt from all of them."""

    documents: Sequence[ParallelLines]
    first: Sequence[DividedSide]
    second: Sequence[DividedSide]
    aligner: Aligner

    def aligned(self, number: int, first: Sequence[Syntax], second: Sequence[Syntax]) -> ParallelDocument:
        """The document ``number`` with these analyses of its sentences, and the links of its words."""
        document, left, right = self.documents[number], self.first[number], self.second[number]
        found = self.aligner.align(left.words(len(document)), right.words(len(document)))
        links = [one.tolist() for one in found]
        return ParallelDocument(document.name, first, second, left.lines, right.lines, links)


def add_parallel(parser: argparse.ArgumentParser) -> None:
    """Add the options of parallel text, and those of folders."""
    add = parser.add_argument
    add("--parallel", nargs="+", required=True, metavar="PLACE", help="tables of sentences (Parquet), or folders")
    add(
        "--more", nargs="*", default=[], metavar="PLACE", help="more of them, which only the word alignment learns from"
    )
    add("--from", dest="first", default="en", help="language to project from, ISO 639-1")
    add("--to", dest="second", required=True, help="language to project to")
    add("--source", help="language of the source side of the tables; default: that of --from")
    add(
        "--analysers",
        nargs=2,
        metavar=("FIRST", "SECOND"),
        help="folders with weights of the two languages; default: the shipped ones",
    )
    add("--spaced", action="store_true", help="lines are sentences whose words are divided by spaces already")
    add("--output", required=True, metavar="FOLDER", help="folder to write")


def analyser_folders(options: argparse.Namespace) -> tuple[Path, Path]:
    """The folders with the weights of both languages."""
    first, second = options.analysers or (SHIPPED / language for language in (options.first, options.second))
    return Path(first), Path(second)


def read_parallel_text(options: argparse.Namespace) -> ParallelText:
    """The documents that the options name; raises :class:`InputError` for none, and for two of one name."""
    languages = options.first, options.second
    source = options.source or options.first
    if source not in languages:
        raise InputError(f"--source is {source}", remedy=f"give {languages[0]} or {languages[1]}")
    documents = list(read_parallel(options.parallel, languages, source))
    more = list(read_parallel(options.more, languages, source))
    repeated = [name for name, count in Counter(one.name for one in documents).items() if count > 1]
    if repeated or not documents:
        fault = f"document {repeated[0]} is there twice" if repeated else "no document"
        raise InputError(fault, file=options.parallel[0], remedy="correct --parallel")
    sides: list[list[DividedSide]] = []
    for number, folder in enumerate(analyser_folders(options)):
        segmenter = None if options.spaced else load_segmenter(folder)
        sides.append([divided(one.sides[number], segmenter) for one in (*documents, *more)])
    words = [
        [line for side, lines in zip(divided_sides, (*documents, *more)) for line in side.words(len(lines))]
        for divided_sides in sides
    ]
    first, second = (divided_sides[: len(documents)] for divided_sides in sides)
    return ParallelText(documents, first, second, Aligner(learn(*words)))


def read_parallel(places: Iterable[str], languages: tuple[str, str], source: str) -> Iterator[ParallelLines]:
    """The documents of tables and folders; ``source`` is the language of the tables' source side."""
    for place in places:
        if Path(place).is_dir():
            yield from _of_folder(Path(place), languages)
            continue
        for file in expand(place):
            for shard in read_shards(file.name, "sentences", ["doc_id", "source", "target"]):
                for name, rows in shard.groupby("doc_id", sort=False):
                    sides = rows["source"].tolist(), rows["target"].tolist()
                    yield ParallelLines(str(name), sides if source == languages[0] else sides[::-1])


def _of_folder(folder: Path, languages: tuple[str, str]) -> Iterator[ParallelLines]:
    files = expand(f"{folder}/*.{languages[0]}")
    for file in files:
        [other] = expand(f"{folder}/{file.stem}.{languages[1]}")
        first, second = list(file.lines()), list(other.lines())
        if len(first) != len(second):
            raise InputError(
                f"{len(second)} lines, {len(first)} in {file.name}",
                file=other.name,
                remedy="give files whose lines translate each other",
            )
        yield ParallelLines(file.stem, (first, second))


def divided(lines: list[str], segmenter: Segmenter | None) -> DividedSide:
    """The words of each sentence; without a segmenter a line is a sentence, and spaces divide it."""
    if segmenter is None:
        found = [(line.split(), number) for number, line in enumerate(lines) if line.split()]
    else:
        found = [
            ([line[start:end] for start, end in sentence.words], number)
            for number, (line, sentences) in enumerate(zip(lines, segmenter.segment(lines)))
            for sentence in sentences
        ]
    return DividedSide([forms for forms, _ in found], [number for _, number in found])
