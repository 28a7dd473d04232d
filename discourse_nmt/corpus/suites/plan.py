"""The plan of a suite: the checked settings under ``corpora.NAME.suites.SUITE`` in the configuration."""

from dataclasses import dataclass
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import FILES, nearest, parse_settings, required, setting
from discourse_nmt.corpus.importing.plan import check_two_files
from discourse_nmt.corpus.suites import FORMATS, SuiteFormat

ROLES = ("source", "target", "source_context", "target_context", "groups", "metadata", "genders", "files", "splits")


@dataclass(frozen=True)
class SuiteSettings:
    """Where a suite is, how it is written, and how much of its context is read."""

    format: str = required(
        "format of the files; docs/reference/contrastive-suites.md shows each", schema={"enum": list(FORMATS)}
    )
    context: int | None = setting(None, "number of context sentences before the tested ones; null for all", minimum=0)
    options: dict[str, Any] = setting({}, "options of the format, see docs/reference/contrastive-suites.md")
    source: list[str] = setting([], "files of the source side", schema=FILES)
    target: list[str] = setting([], "files of the target side", schema=FILES)
    source_context: list[str] = setting([], "files of the source context, if the lines do not contain it", schema=FILES)
    target_context: list[str] = setting([], "files of the target context", schema=FILES)
    groups: list[str] = setting([], "files with the first line number of each group", schema=FILES)
    metadata: list[str] = setting([], "files with the description of each group", schema=FILES)
    genders: list[str] = setting([], "files with the correct gender of each group", schema=FILES)
    files: list[str] = setting([], "files with the whole suite, or with the expected forms", schema=FILES)
    splits: list[str] = setting(
        [], "splits of the corpus that items are made from, for the format address", schema=FILES
    )
    generation: bool = setting(
        False,
        "also translate a suite of given translations, and look for their right and wrong words; a suite of expected "
        "forms always is translated",
    )
    where: str = setting("", "source of the files, shown when one is missing")

    @property
    def roles(self) -> dict[str, list[str]]:
        """The file patterns of each role that has any."""
        return {role: patterns for role in ROLES if (patterns := getattr(self, role))}


@dataclass(frozen=True)
class SuitePlan:
    """A checked suite: its settings, its reader and the reader's options, its source and target language."""

    settings: SuiteSettings
    format: SuiteFormat
    options: Any
    languages: tuple[str, str]


def plan(values: object, languages: tuple[str, str]) -> SuitePlan:
    """Check the settings of a suite (a JSON object); raises :class:`InputError` naming the key at fault.

    ``languages`` are those of source and target.
    """
    suite = parse_settings(SuiteSettings, values, "suite")
    if suite.format not in FORMATS:
        raise InputError(f"unknown format {suite.format}", remedy=nearest(suite.format, FORMATS))
    chosen = FORMATS[suite.format]
    if not any(set(accepted) == set(suite.roles) for accepted in chosen.roles):
        wanted = "; or ".join(", ".join(accepted) for accepted in chosen.roles)
        raise InputError(
            f"gives {', '.join(suite.roles) or 'no files'}", remedy=f"the format {suite.format} reads {wanted}"
        )
    check_two_files(suite.roles, "suite")
    options: Any = parse_settings(chosen.options, suite.options, "options")
    for name, default in vars(chosen.options()).items():
        if default and not getattr(options, name):
            raise InputError(f"options: {name} is empty", remedy=f"leave it out for {default!r}")
    chosen.check_languages(*languages)
    return SuitePlan(suite, chosen, options, languages)
