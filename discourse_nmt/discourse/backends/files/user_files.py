"""The files of documents under a pattern like ``gold/{document}.rs4`` or ``gum.tar.xz::dev/{document}.dis``."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from discourse_nmt.base.archives import is_archive, members
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.base.sources import Source
from discourse_nmt.discourse.backends.backend import Context, Stage

PLACEHOLDER = re.compile(r"\{(\w*)\}")
DOCUMENT = "document"


def check_pattern(pattern: str, stage: Stage, context: Context) -> bool:
    """Whether the pattern has ``{document}``; raises :class:`InputError` for an unknown placeholder."""
    known = names_of(stage, context, "")
    used = set(PLACEHOLDER.findall(pattern))
    for name in sorted(used - known.keys()):
        raise InputError(f"{stage}: files has the placeholder {{{name}}}", remedy=nearest(name, known))
    return DOCUMENT in used


def names_of(stage: Stage, context: Context, doc_id: str) -> dict[str, str]:
    """The values of a pattern's placeholders."""
    return {
        "corpus": context.corpus,
        "split": context.split,
        "side": context.side,
        "table": stage,
        DOCUMENT: doc_id,
    }


def file_name(pattern: str, names: Mapping[str, str]) -> str:
    """The pattern with its placeholders replaced; raises :class:`InputError` if an id leads out of its folder."""
    document = names[DOCUMENT]
    if f"{{{DOCUMENT}}}" in pattern and (".." in Path(document).parts or Path(document).is_absolute()):
        fault = "is an absolute path" if Path(document).is_absolute() else "holds '..'"
        raise InputError(f"document {document}: its id {fault}", remedy="rename the document to import files")
    return PLACEHOLDER.sub(lambda match: names[match[1]], pattern)


def sources_of(names: Sequence[str]) -> dict[str, Source]:
    """The file of each name; an archive is read once for all its members.

    Raises :class:`InputError` for a missing file.
    """
    inside: dict[str, set[str]] = {}
    for name in names:
        path, separator, member = name.partition("::")
        if separator and is_archive(path):
            inside.setdefault(path, set()).add(member)
    sources = {
        f"{path}::{member}": Source(f"{path}::{member}", None, Path(path), data)
        for path, wanted in inside.items()
        if Path(path).is_file()
        for member, data in members(path, ", ".join(sorted(wanted)[:3]), wanted.__contains__)
    }
    for name in names:
        if name not in sources:
            if not Path(name).is_file():
                raise InputError("no such file", file=name, remedy="correct files, or provide one for every document")
            sources[name] = Source(name, None, Path(name))
    return sources
