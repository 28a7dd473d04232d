"""ContraPro (Müller et al. 2018): groups of lines, the reference first and then its contrastive variants.

Text is line-aligned. A line is ``context <SEP> sentence``, or a sentence with its context in separate files, with a
fixed number of context lines per sentence. Groups are found by line numbers only, never by equal English lines:
``groups`` lists the 0-based first line of each group and then the number of lines; ``metadata``, ContraPro's own JSON,
has one object per group, with its variants (``errors``), pronouns and distance.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.reading.json_text import Json, load, objects_in
from discourse_nmt.corpus.reading.requests import Request, aligned_lines
from discourse_nmt.corpus.suites.items import Item, distance_of, fault, texts
from discourse_nmt.corpus.suites.segments import contrasted

CONTEXTS = ("source_context", "target_context")
REMEDY = "are groups and texts of one suite?"


@dataclass(frozen=True)
class Options:
    """The notation of lines."""

    separator: str = setting("<SEP>", "separator of context and sentence")


def read(request: Request, options: Options) -> Iterator[Item]:
    """The groups of each pair of files, located by ``groups``, ``metadata`` or both."""
    roles = list(request.sources)
    for files in request.aligned_files(*roles):
        file_of_role = dict(zip(roles, files))
        pair = file_of_role["source"], file_of_role["target"]
        lines = [(number, source, target) for number, (source, target) in aligned_lines(pair)]
        contexts = _contexts(file_of_role, len(lines))
        facts = _facts(file_of_role["metadata"]) if "metadata" in file_of_role else []
        borders = (
            _borders(file_of_role["groups"], len(lines))
            if "groups" in file_of_role
            else _counted(facts, file_of_role, len(lines))
        )
        if facts and len(facts) != len(borders):
            message = f"{len(facts)} objects, {len(borders)} groups in {file_of_role['groups'].name}"
            raise InputError(message, file=file_of_role["metadata"].name, remedy=REMEDY)
        for group_index, (start, stop) in enumerate(borders):
            kind, distance = (
                _described(facts[group_index], file_of_role["metadata"], group_index + 1)
                if facts
                else ("pronoun", None)
            )
            context = contexts[start] if contexts else ()
            right, wrong = contrasted(pair, lines[start:stop], options.separator, context)
            yield Item(right, kind, distance, wrong=wrong)


def _borders(file: Source, lines: int) -> list[tuple[int, int]]:
    """First line and line after the last one of each group, from 0."""
    starts: list[int] = []
    for number, text in enumerate(file.lines(), start=1):
        if not re.fullmatch("[0-9]{1,18}", text.strip()):
            raise InputError(f"{text[:40]!r} is no line number", file=file.name, line=number)
        start = int(text)
        if start > lines:
            message = f"line {start} is beyond the end: the texts have {lines} lines"
            raise InputError(message, file=file.name, line=number, remedy=REMEDY)
        if start <= starts[-1] if starts else start != 0:
            wanted = f"above {starts[-1]}" if starts else "0"
            raise InputError(f"a group starts at line {start}, which should be {wanted}", file=file.name, line=number)
        starts.append(start)
    if len(starts) < 2 or starts[-1] != lines:
        message = f"the last number is {starts[-1] if starts else 'missing'}, the texts have {lines} lines"
        raise InputError(message, file=file.name, line=max(1, len(starts)), remedy=REMEDY)
    return list(pairwise(starts))


def _counted(facts: list[dict[str, Json]], file_of_role: dict[str, Source], lines: int) -> list[tuple[int, int]]:
    """The borders of groups with one line for the reference and one for each error."""
    file, borders, start = file_of_role["metadata"], [], 0
    for number, group in enumerate(facts, start=1):
        errors = group.get("errors")
        if not isinstance(errors, list):
            raise fault(file, number, "'errors' is no list")
        borders.append((start, start + 1 + len(errors)))
        start = borders[-1][1]
    if start != lines:
        raise InputError(
            f"stands for {start} lines, {file_of_role['source'].name} has {lines}", file=file.name, remedy=REMEDY
        )
    return borders


def _facts(file: Source) -> list[dict[str, Json]]:
    groups = objects_in(load(file))
    if not groups:
        raise InputError("not a list of objects", file=file.name, remedy="name contrapro.json")
    return groups


def _described(group: dict[str, Json], file: Source, number: int) -> tuple[str, int | None]:
    """Phenomenon (``it:er``) and distance."""
    source, reference = texts(group, file, number, "src pronoun", "ref pronoun")
    return f"{source.lower()}:{reference.lower()}", distance_of(group, "ante distance", file, number)


def _contexts(file_of_role: dict[str, Source], lines: int) -> list[list[tuple[str, str]]]:
    """The context of each line from the separate context files; empty without such files."""
    if CONTEXTS[0] not in file_of_role:
        return []
    pairs = [
        (source, target)
        for _, (source, target) in aligned_lines((file_of_role[CONTEXTS[0]], file_of_role[CONTEXTS[1]]))
    ]
    size, rest = divmod(len(pairs), lines)
    if rest:
        message = f"{len(pairs)} lines, no multiple of the {lines} lines of {file_of_role['source'].name}"
        raise InputError(message, file=file_of_role[CONTEXTS[0]].name, remedy=REMEDY)
    return [pairs[line * size : (line + 1) * size] for line in range(lines)]
