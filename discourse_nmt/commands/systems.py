"""List the translation systems."""

import argparse
from dataclasses import fields

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
    """The tables of annotation that a system with default switches reads; a labeller reads some, too."""
    from discourse_nmt.models.systems import SYSTEMS
    from discourse_nmt.training.kinds import STRUCTURES

    switches = SYSTEMS[name].switches({})
    tables = list(STRUCTURES[switches.structure].annotation)
    if switches.needs_labeller:
        tables.append("themes (for its labeller)")
    return ", ".join(tables) or "none"


def overview() -> str:
    """Two lines for each system: how it reads, and its paper with its difference from the sentence model."""
    from discourse_nmt.models.systems import SYSTEMS

    lines = []
    for system in SYSTEMS.values():
        lines.append(f"{system.name:<18} reads: {system.unit}; annotation: {annotation_of(system.name)}")
        lines.append(f"{'':<18} {system.paper}: {system.adds}")
    return "\n".join(lines)


def details(name: str) -> str:
    """A system and its switches, one a line, with default and meaning; :class:`InputError` for an unknown one."""
    from discourse_nmt.models.systems import SYSTEMS, system_named

    system = system_named(name)
    lines = [
        f"{system.name}: {system.adds}",
        f"paper: {system.paper}",
        f"reads: {system.unit}; annotation: {annotation_of(name)}",
        "switches (settings of the experiment; those of the Transformer are in the key model):",
    ]
    base = {field.name for field in fields(SYSTEMS["transformer"].settings)} if name != "transformer" else set()
    defaults = system.switches({})
    for field in fields(system.settings):
        if field.name not in base:
            meaning = field.metadata["meaning"]
            lines.append(f"  {field.name}: {getattr(defaults, field.name)}  # {meaning}")
    return "\n".join(lines)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one system."""
    print(details(arguments.system) if arguments.system else overview())
    return 0
