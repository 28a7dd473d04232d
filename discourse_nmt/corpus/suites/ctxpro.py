"""Ctxpro (Wicks and Post 2023): sentences whose translation needs a form that only the context determines.

``files`` are JSON: ``[{"src segment": ..., "ref segment": ..., "expected": ..., "ante distance": 1, "rule": ...}]``;
``source`` has one line per object: context sentences and the sentence, joined by ``<eos>``. The context has no
translation, unless an object gives it as a list of sentences, ``"ref context"``.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import UNKNOWN
from discourse_nmt.corpus.reading.json_text import Json, fields_of, load, strings_in
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites.items import Item, distance_of, document, fault, texts


@dataclass(frozen=True)
class Options:
    """The notation of lines."""

    separator: str = setting("<eos>", "separator of the sentences of a line")


def read(request: Request, options: Options) -> Iterator[Item]:
    """The items of each pair of files."""
    for file, source in request.aligned_files("files", "source"):
        groups, lines = load(file), list(source.lines())
        if not isinstance(groups, list):
            raise InputError("not a list of objects", file=file.name)
        if len(groups) != len(lines):
            message = f"{len(lines)} lines, {len(groups)} objects in {file.name}"
            raise InputError(message, file=source.name, line=min(len(groups), len(lines)) + 1, remedy="get both again")
        for number, (group, line) in enumerate(zip(groups, lines), start=1):
            yield _item(fields_of(group), line.split(options.separator), (file, source), number)


def _item(group: dict[str, Json], sentences: list[str], files: tuple[Source, Source], number: int) -> Item:
    file, source = files
    segment, reference, rule = texts(group, file, number, "src segment", "ref segment", "rule")
    if segment.split() != sentences[-1].split():
        message = f"{sentences[-1].strip()[:40]!r} is not the 'src segment' of object {number} in {file.name}"
        raise InputError(message, file=source.name, line=number, remedy="get both files again")
    expected = group.get("expected")
    forms = strings_in([expected] if isinstance(expected, str) else expected)
    if not forms or not all(map(str.strip, forms)):
        raise fault(file, number, "'expected' is no form, and no list of forms")
    context = strings_in(group.get("ref context", [UNKNOWN] * (len(sentences) - 1)))
    if context is None or len(context) != len(sentences) - 1:
        raise fault(file, number, f"'ref context' is no list of {len(sentences) - 1} sentences")
    right = document((source, file), number, zip(sentences, [*context, reference]))
    right.target.unit = "group"
    return Item(right, rule, distance_of(group, "ante distance", file, number), expected=forms)
