"""The plan of a suite: what stands under ``corpora.NAME.suites.SUITE`` in the configuration, checked."""

from dataclasses import dataclass
from typing import Any

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import nearest, parse_settings, required, setting
from discourse_nmt.corpus.suites import FORMATS, Format

ROLES = ("source", "target", "source_context", "target_context", "groups", "metadata", "genders", "files")


@dataclass(frozen=True)
class SuiteSettings:
    """Where a suite is, how it is written, and how much context of it is read."""

    format: str = required("how the files are written; docs/reference/contrastive-suites.md shows each format")
    context: int | None = setting(None, "context sentences before those tested; null for all there are", minimum=0)
    options: dict[str, Any] = setting({}, "switches of the format")
    source: list[str] = setting([], "files of the source side")
    target: list[str] = setting([], "files of the target side")
    source_context: list[str] = setting([], "files of the source context, where it is not in the lines")
    target_context: list[str] = setting([], "files of the target context")
    groups: list[str] = setting([], "files of the first line of each group")
    metadata: list[str] = setting([], "files that describe each group")
    genders: list[str] = setting([], "files of the right gender")
    files: list[str] = setting([], "files that hold everything, or what is expected")
    where: str = setting("", "where a user gets the files, shown when one is missing")

    @property
    def roles(self) -> dict[str, list[str]]:
        """The file patterns of each role that is given."""
        return {role: patterns for role in ROLES if (patterns := getattr(self, role))}


@dataclass(frozen=True)
class SuitePlan:
    """A checked suite: its settings, its reader and the reader's options."""

    settings: SuiteSettings
    format: Format
    options: Any


def plan(values: object) -> SuitePlan:
    """Check the settings of a suite (a JSON object); raises :class:`InputError` naming the key at fault."""
    suite = parse_settings(SuiteSettings, values, "suite")
    if suite.format not in FORMATS:
        raise InputError(f"unknown format {suite.format}", remedy=nearest(suite.format, FORMATS))
    chosen = FORMATS[suite.format]
    if not any(set(accepted) == set(suite.roles) for accepted in chosen.roles):
        wanted = "; or ".join(", ".join(accepted) for accepted in chosen.roles)
        raise InputError(
            f"gives {', '.join(suite.roles) or 'no files'}", remedy=f"the format {suite.format} reads {wanted}"
        )
    options: Any = parse_settings(chosen.options, suite.options, "options")
    for name, default in vars(chosen.options()).items():
        if default and not getattr(options, name):
            raise InputError(f"options: {name} is empty", remedy=f"leave it out for {default!r}")
    return SuitePlan(suite, chosen, options)
