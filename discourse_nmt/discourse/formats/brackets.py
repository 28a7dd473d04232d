"""The .brackets format of DPLP (Ji and Eisenstein 2014): one line per node, children before parents, without the root.

``((1, 2), 'Nucleus', 'span')``: first and last EDU (from 1), role, relation. The file of a document with one EDU is
empty.
"""

import re
from collections.abc import Sequence

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import blaming, lines_of, whole_number
from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, Nuclearity, RstTree, assemble

ROLES: dict[str, Nuclearity] = {"Nucleus": NUCLEUS, "Satellite": SATELLITE}
LINE = re.compile(r"\(\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*,\s*u?['\"](\w+)['\"]\s*,\s*u?(?:'([^']+)'|\"([^\"]+)\")\s*\)")


def read_brackets(content: str | bytes, name: str, texts: Sequence[str] = ()) -> RstTree:
    """The tree of a .brackets file; ``texts`` are the texts of its EDUs (from the .merge file), if known."""
    roles: dict[tuple[int, int], tuple[Nuclearity, str]] = {}
    for number, line in lines_of(content, name):
        if not line.strip():
            continue
        match = LINE.fullmatch(line.strip())
        if match is None or match[3] not in ROLES:
            raise InputError(f"{line[:40]!r} is not like ((1, 2), 'Nucleus', 'span')", file=name, line=number)
        first, last = (whole_number(match[group], "EDU", name, number) for group in (1, 2))
        if (first, last) in roles or not 1 <= first <= last:
            raise InputError(f"span {first} to {last} is there twice or empty", file=name, line=number)
        roles[first, last] = (ROLES[match[3]], match[4] or match[5])
    root = (1, max((last for _, last in roles), default=1))
    if root in roles:
        raise InputError(f"span {root[0]} to {root[1]} holds all others: the root has no line", file=name)
    children: dict[tuple[int, int], list[tuple[int, int]]] = {}
    branch = [root]
    for span in sorted(roles, key=lambda span: (span[0], -span[1])):
        while branch[-1][1] < span[0]:
            branch.pop()
        if branch[-1][1] < span[1]:
            raise InputError(f"span {span[0]} to {span[1]} crosses {branch[-1][0]} to {branch[-1][1]}", file=name)
        children.setdefault(branch[-1], []).append(span)
        branch.append(span)
    for span in [root, *roles]:
        expected = span[0]
        for first, last in children.get(span, [span] if span[0] == span[1] else []):
            if first != expected:
                break
            expected = last + 1
        if expected != span[1] + 1:
            problem = f"EDU {expected} is in no child of span {span[0]} to {span[1]}"
            raise InputError(problem, file=name)
    edus = {span: span[0] - 1 for span in [root, *roles] if span[0] == span[1]}
    with blaming(name):
        return assemble(root, children, roles, edus, texts)
