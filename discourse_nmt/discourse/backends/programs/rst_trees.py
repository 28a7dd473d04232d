"""Discourse units or trees by isanlp_rst (Chistova 2024, 2025), for the backend ``command``.

It reads the folder INPUT and writes the folder OUTPUT as docs/analysers/backends.md says. Documents with units (.edus)
get trees on these units (.dis), others get units (.edus). The interpreter needs isanlp_rst and nothing of this project.
A parser that fails on the text of :mod:`.programs.canary` gets no document.
"""

import argparse
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from discourse_nmt.discourse.backends.programs.canary import REMEDY, units_fault
else:  # beside this file, wherever the interpreter is
    from canary import REMEDY, units_fault

MARKS = ("<S>", "<P>")
NUCLEUS, SATELLITE = "Nucleus", "Satellite"
PACKAGES = ("isanlp_rst", "isanlp", "transformers", "torch")
# Languages of the models that are not English, by version and by the beginning of the inventory.
LANGUAGES = {"rstreebank": "ru", "deu": "de", "fra": "fr", "rus": "ru", "spa": "es", "zho": "zh"}


def dense(text: str) -> str:
    """The text without white space, in which texts are compared."""
    return "".join(text.split())


def pieces(text: str, lengths: list[int]) -> list[str]:
    """The parts of a text that have these numbers of characters without white space, in order; blanks are single."""
    found, place = [], 0
    for length in lengths:
        first = place
        while length:
            length -= not text[place].isspace()
            place += 1
        found.append(" ".join(text[first:place].split()))
    return found


def units_of(path: Path, text: str) -> list[str]:
    """The units of an .edus file as they are written in the text; the file has spaces around words."""
    lines = path.read_text(encoding="utf-8").splitlines()
    units = [dense("".join(word for word in line.split() if word not in MARKS)) for line in lines]
    if "".join(units) != dense(text):
        sys.exit(f"{path.name}: the units are not the text")
    return pieces(text, [len(unit) for unit in units])


class IsanlpUnit(Protocol):
    """A unit of isanlp, elementary or of two units."""

    left: "IsanlpUnit | None"
    right: "IsanlpUnit | None"
    text: str
    relation: str
    nuclearity: str


def leaves(unit: IsanlpUnit) -> Iterator[IsanlpUnit]:
    """The elementary units below a unit, in order."""
    pending = [unit]
    while pending:
        unit = pending.pop()
        if unit.left is None or unit.right is None:
            yield unit
        else:
            pending += [unit.right, unit.left]


def divided(sentences: list[str], tree: IsanlpUnit, name: str) -> list[str]:
    """The units of a parsed text, which also end where a sentence does."""
    found = [dense(leaf.text) for leaf in leaves(tree)]
    if "".join(found) != dense("".join(sentences)):
        sys.exit(f"{name}: isanlp_rst has changed the text")
    ends = set()
    for lengths in (map(len, found), (len(dense(sentence)) for sentence in sentences)):
        place = 0
        for length in lengths:
            place += length
            ends.add(place)
    places = [0, *sorted(ends - {0})]
    return pieces("\n".join(sentences), [end - first for first, end in pairwise(places)])


def dis(tree: IsanlpUnit, units: list[str]) -> str:
    """A tree over the units in the format of the RST Discourse Treebank."""
    lines: list[str] = []
    reached = 0
    # Units with their depth, role and relation; a text is a bracket that closes.
    pending: list[tuple[IsanlpUnit | None, int, str, str]] = [(tree, 0, "Root", "")]
    while pending:
        unit, depth, role, relation = pending.pop()
        indent = "  " * depth
        if unit is None:
            lines.append(f"{indent})")
            continue
        label = f" (rel2par {relation})" if relation else ""
        if unit.left is None:
            if reached == len(units) or dense(unit.text) != dense(units[reached]):
                sys.exit(f"isanlp_rst has other units than those given, first {unit.text[:60]!r}")
            text = units[reached].replace("_!", "_ !")
            reached += 1
            lines.append(f"{indent}( {role} (leaf {reached}){label} (text _!{text}_!) )")
            continue
        last = reached + sum(1 for _ in leaves(unit))
        lines.append(f"{indent}( {role} (span {reached + 1} {last}){label}")
        own = "_".join(unit.relation.split()).replace("(", "").replace(")", "")
        roles = [NUCLEUS if letter == "N" else SATELLITE for letter in unit.nuclearity]
        labels = [own if SATELLITE not in roles or role == SATELLITE else "span" for role in roles]
        pending.append((None, depth, "", ""))
        pending += [
            (child, depth + 1, role, label)
            for child, role, label in reversed(list(zip((unit.left, unit.right), roles, labels)))
        ]
    if reached != len(units):
        sys.exit(f"isanlp_rst has left out units, first {units[reached][:60]!r}")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Parse the arguments, load the model once, analyse each document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path, help="folder to read")
    parser.add_argument("output", type=Path, help="folder to write")
    parser.add_argument("--version", default="gumrrg", help="version of the model: gumrrg, rstdt, rstreebank, unirst")
    parser.add_argument("--inventory", help="relations of unirst, for example eng.erst.gum")
    parser.add_argument("--model", default="tchewik/isanlp_rst_v3", help="name of the model on its hub")
    parser.add_argument("--device", type=int, default=-1, help="number of the GPU; -1 is the CPU")
    options = parser.parse_args()

    from isanlp_rst.parser import Parser

    inventory = {} if options.inventory is None else {"relinventory": options.inventory}
    parse = Parser(
        hf_model_name=options.model, hf_model_version=options.version, cuda_device=options.device, **inventory
    )
    given = any(options.input.glob("*.edus"))

    def divide(sentences: list[str]) -> list[str]:
        [tree] = (parse.from_edus(sentences) if given else parse("\n".join(sentences)))["rst"]
        return [leaf.text for leaf in leaves(tree)]

    model = options.version if options.inventory is None else options.inventory.partition(".")[0]
    if fault := units_fault(divide, PACKAGES, LANGUAGES.get(model, "en")):
        sys.exit(f"{fault}\n{REMEDY}")
    for path in sorted(options.input.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        edus = path.with_suffix(".edus")
        if edus.exists():
            units = units_of(edus, text)
            tree = parse.from_edus(units)["rst"][0]
            (options.output / f"{path.stem}.dis").write_text(dis(tree, units), encoding="utf-8")
        else:
            units = divided(text.splitlines(), parse(text)["rst"][0], path.name)
            (options.output / edus.name).write_text("".join(f"{unit}\n" for unit in units), encoding="utf-8")
        print(f"{path.stem}: {len(units)} units", flush=True)


if __name__ == "__main__":
    main()
