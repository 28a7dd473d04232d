"""List the translation systems."""

import argparse
from collections.abc import Collection
from dataclasses import MISSING, Field
from typing import Any

from discourse_nmt.base.settings import declared_fields

SUMMARY = "List the translation systems: paper, structure that each reads, switches."
EXAMPLES = """\
A system reads a sentence, an instance (whole sentences of a document, at most
512 subwords), a paragraph (16 sentences) or a document at a time. Annotation is
made by the shipped analysers, by Stanza, or by a command of yours, or comes
from your files.

examples:
  discourse-nmt systems
  discourse-nmt systems rst_transformer
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """One system, or none for the list."""
    parser.add_argument("system", nargs="?", metavar="SYSTEM", help="show the switches of this system with defaults")


def annotation_of(name: str) -> str:
    """The tables of annotation that a system with default switches reads, and those that its companions learn from."""
    from discourse_nmt.models.systems import SYSTEMS
    from discourse_nmt.training.kinds import STRUCTURES, companions_of

    switches = SYSTEMS[name].switches({})
    tables = list(STRUCTURES[switches.structure].annotation)
    for companion in companions_of(switches):
        tables += [f"{table} (for its {companion.name})" for table in companion.tables]
    return ", ".join(tables) or "none"


def overview() -> str:
    """Two lines for each system: how it reads, and its paper with its difference from the sentence model."""
    from discourse_nmt.models.systems import SYSTEMS
    from discourse_nmt.workflow.sections.outside_systems import OUTSIDE_SYSTEMS

    lines = []
    for system in SYSTEMS.values():
        lines.append(f"{system.name:<18} reads: {system.unit}; annotation: {annotation_of(system.name)}")
        lines.append(f"{'':<18} {system.paper}: {system.adds}")
    for outside in OUTSIDE_SYSTEMS.values():
        lines.append(f"{outside.name:<18} reads: {outside.unit}; annotation: {outside.annotation}")
        lines.append(f"{'':<18} not trained: {outside.adds}")
    return "\n".join(lines)


def details(name: str) -> str:
    """A system and its switches, one a line, with default and meaning; :class:`InputError` for an unknown one."""
    from discourse_nmt.models.systems import SYSTEMS
    from discourse_nmt.training.kinds import companions_of
    from discourse_nmt.workflow.sections.outside_systems import OUTSIDE_SYSTEMS, trained_system

    if name in OUTSIDE_SYSTEMS:
        outside = OUTSIDE_SYSTEMS[name]
        lines = [
            f"{outside.name}: {outside.adds}",
            f"reads: {outside.unit}; annotation: {outside.annotation}",
            f"explained in: {outside.page}",
            f"keys ({outside.place}):",
        ]
        return "\n".join([*lines, *keys_of(outside.settings)])
    system = trained_system(name)
    lines = [
        f"{system.name}: {system.adds}",
        f"paper: {system.paper}",
        f"reads: {system.unit}; annotation: {annotation_of(name)}",
        *(f"companion: a {made.title} {made.use}; it {made.origin}" for made in companions_of(system.switches({}))),
        "switches (settings of the experiment; those of the Transformer are in the key model):",
    ]
    own = keys_of(system.settings, () if name == "transformer" else declared_fields(SYSTEMS["transformer"].settings))
    return "\n".join([*lines, *own])


def keys_of(settings: type[object], without: Collection[str] = ()) -> list[str]:
    """A line for each key of a dataclass of settings but those ``without``, with default and meaning."""
    return [
        f"  {name}: {told_default(field)}  # {field.metadata['meaning']}"
        for name, field in declared_fields(settings).items()
        if name not in without
    ]


def told_default(field: Field[Any]) -> str:
    """The default of a key, as it is shown."""
    if field.default_factory is not MISSING:
        return str(field.default_factory())
    return "(must be given)" if field.default is MISSING else str(field.default)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one system."""
    print(details(arguments.system) if arguments.system else overview())
    return 0
