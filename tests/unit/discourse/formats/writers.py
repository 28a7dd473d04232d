"""Writers of the formats that the project only reads: what they write must be read back equal.

Files of treebanks that are read and written again are equal byte for byte.
"""

import json
from collections.abc import Iterable

from discourse_nmt.discourse.formats import brackets, dis
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, mention_cells
from discourse_nmt.discourse.formats.rsd import RsdDocument
from discourse_nmt.discourse.formats.scidtb import ScidtbDocument
from discourse_nmt.discourse.structures.trees import ROOT_ROLE, RstTree


def write_brackets(tree: RstTree) -> str:
    """The .brackets text of a tree."""
    names = {role: label for label, role in brackets.ROLES.items()}
    pending, order = [0], []
    while pending:  # root, then right before left: the reverse of post-order
        number = pending.pop()
        order.append(number)
        pending.extend(tree.children[number])
    lines: list[str] = []
    for node in (tree.nodes[number] for number in reversed(order[1:])):
        if '"' in node.relation or "\n" in node.relation:
            raise ValueError(f"relation {node.relation!r} cannot be written in .brackets")
        quote = '"' if "'" in node.relation else "'"
        span = (node.first_edu + 1, node.last_edu + 1)
        lines.append(f"({span}, {names[node.nuclearity]!r}, {quote}{node.relation}{quote})\n")
    return "".join(lines)


def write_dis(tree: RstTree) -> str:
    """The .dis text of a tree that has texts (which must not hold ``_!``)."""
    if len(tree.texts) != len(tree.leaves) or any("_!" in text for text in tree.texts):
        raise ValueError("a .dis tree needs a text without '_!' for every EDU")
    names = {role: name for name, role in dis.ROLES.items()}
    lines: list[str] = []
    for number, node in enumerate(tree.nodes):
        lines.extend(_closings(tree, number, node.parent))
        indent = "  " * tree.depths[number]
        relation = "" if node.nuclearity == ROOT_ROLE else f" (rel2par {node.relation})"
        if tree.children[number]:
            span = f"(span {node.first_edu + 1} {node.last_edu + 1})"
            lines.append(f"{indent}( {names[node.nuclearity]} {span}{relation or ' '}")
        else:
            leaf = f"(leaf {node.first_edu + 1}){relation} (text _!{tree.texts[node.first_edu]}_!)"
            lines.append(f"{indent}( {names[node.nuclearity]} {leaf} )")
    lines.extend(_closings(tree, len(tree.nodes), -1))
    return "\n".join(lines) + "\n"


def _closings(tree: RstTree, number: int, parent: int) -> list[str]:
    """Closing parentheses of the inner nodes that end before node ``number``, whose parent is ``parent``."""
    lines: list[str] = []
    open_node = tree.nodes[number - 1].parent if number else -1
    if number and tree.children[number - 1]:
        open_node = number - 1
    while open_node != parent:
        lines.append("  " * tree.depths[open_node] + ")")
        open_node = tree.nodes[open_node].parent
    return lines


def write_rsd(document: RsdDocument) -> str:
    """The .rsd text; levels that are not known are written as 0."""
    dependencies = document.dependencies
    nothing = ("_",) * len(document.texts)
    if any("\t" in text or "\n" in text for text in document.texts):
        raise ValueError("a text in .rsd has no tab and no line break")
    lines = zip(
        document.texts,
        dependencies.levels or (0,) * len(document.texts),
        document.features or nothing,
        dependencies.heads,
        dependencies.relations,
        document.secondary_edges or nothing,
        document.signals or nothing,
        strict=True,
    )
    return "".join(
        f"{number}\t{text}\t{level}\t_\t_\t{features}\t{head + 1}\t{relation}\t{edges}\t{signals}\n"
        for number, (text, level, features, head, relation, edges, signals) in enumerate(lines, start=1)
    )


def write_scidtb(document: ScidtbDocument) -> str:
    """The JSON text, with byte order mark and tabs as the treebank has it."""
    entries = [
        {"id": number, "parent": unit.parent, "text": unit.text, "relation": unit.relation}
        for number, unit in enumerate(document.units, start=1)
    ]
    root = {"id": 0, "parent": -1, "text": "ROOT", "relation": "null"}
    return "\ufeff" + json.dumps({"root": [root, *entries]}, ensure_ascii=False, indent="\t")


def write_gum_coreference(documents: Iterable[CoreferenceDocument]) -> str:
    """GUM's three columns, byte for byte as GUM has them."""
    lines: list[str] = []
    for document in documents:
        cells = mention_cells(
            document, lambda mention: "-".join(filter(None, (mention.type, mention.entity, mention.link)))
        )
        words = [word for sentence in document.sentences for word in sentence]
        lines.append(f"# begin document {document.name}")
        lines += [f"{number}\t{word}\t{''.join(cells[number]) or '_'}" for number, word in enumerate(words)]
        lines += ["# end document", ""]
    return "".join(f"{line}\n" for line in lines)
