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

    lines = []
    for system in SYSTEMS.values():
        lines.append(f"{system.name:<18} reads: {system.unit}; annotation: {annotation_of(system.name)}")
        lines.append(f"{'':<18} {system.paper}: {system.adds}")
    return "\n".join(lines)


def details(name: str) -> str:
    """A system and its switches, one a line, with default and meaning; :class:`InputError` for an unknown one."""
    from discourse_nmt.models.systems import SYSTEMS, system_named
    from discourse_nmt.training.kinds import companions_of

    system = system_named(name)
    defaults = system.switches({})
    lines = [
        f"{system.name}: {system.adds}",
        f"paper: {system.paper}",
        f"reads: {system.unit}; annotation: {annotation_of(name)}",
        *(f"companion: a {made.title} {made.use}; it {made.origin}" for made in companions_of(defaults)),
        "switches (settings of the experiment; those of the Transformer are in the key model):",
    ]
    base = {field.name for field in fields(SYSTEMS["transformer"].settings)} if name != "transformer" else set()
    for field in fields(system.settings):
        if field.name not in base:
            meaning = field.metadata["meaning"]
            lines.append(f"  {field.name}: {getattr(defaults, field.name)}  # {meaning}")
    return "\n".join(lines)


def run(arguments: argparse.Namespace) -> int:
    """Print the list, or one system."""
    print(details(arguments.system) if arguments.system else overview())
    return 0
