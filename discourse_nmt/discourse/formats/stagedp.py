"""StageDP's output (Wang, Li and Wang 2017): a binary tree as a Lisp expression, in lines of 150 characters.

``(NS-Elaboration (EDU _!w1_w2!_) (NN-Joint (EDU _!w3!_) (EDU _!w4!_)))``: N and S are the roles of the two children.
Words are joined by ``_``, with ``-LRB-`` and ``-RRB-`` for round brackets. An older version writes EDU numbers from 1
(``(EDU 1)``) instead of words.
"""

import re

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import blaming, text_of
from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, Nuclearity, RstTree, assemble

ROLES: dict[str, Nuclearity] = {"N": NUCLEUS, "S": SATELLITE}
LEAF = re.compile(r"\(\s*EDU\s+(?:_!(?P<words>\S*?)!_|(?P<number>\d+))\s*\)\s*")
OPENING = re.compile(r"\(\s*(?P<left>[NS])(?P<right>[NS])-(?P<relation>[^\s()]+)\s*")
CLOSING = re.compile(r"\)\s*")


def read_stagedp(content: str | bytes, name: str) -> RstTree:
    """The tree of a .parse file; EDUs have texts, with blanks between words, if the file has words."""
    text = text_of(content, name)
    position = len(text) - len(text.lstrip())
    branch: list[str] = []
    children: dict[str, list[str]] = {}
    labels: dict[str, tuple[Nuclearity, Nuclearity, str]] = {}
    edus: dict[str, int] = {}
    texts: list[str] = []
    root: str | None = None
    line, counted = 1, 0
    while position < len(text):
        line, counted = line + text.count("\n", counted, position), position
        if root is not None and not branch:
            raise InputError("text after the end of the tree", file=name, line=line)
        if branch and (match := CLOSING.match(text, position)):
            if len(children.get(branch[-1], ())) != 2:
                raise InputError(f"{branch[-1]} has not two children", file=name, line=line)
            branch.pop()
        else:
            leaf = LEAF.match(text, position)
            match = leaf or OPENING.match(text, position)
            if match is None:
                raise InputError(f"not a node of a tree: {text[position : position + 30]!r}", file=name, line=line)
            key = f"EDU {len(edus) + 1}" if leaf else f"{_label(match)} number {len(labels) + 1}"
            root = root or key
            if branch:
                children.setdefault(branch[-1], []).append(key)
            if leaf:
                if leaf["number"] not in (None, str(len(edus) + 1)):
                    raise InputError(f"{key} has the number {leaf['number']}", file=name, line=line)
                edus[key] = len(edus)
                texts += [] if leaf["words"] is None else [leaf["words"].replace("_", " ")]
            else:
                labels[key] = (ROLES[match["left"]], ROLES[match["right"]], match["relation"])
                branch.append(key)
        position = match.end()
    if root is None or branch:
        raise InputError("the tree ends before its last parenthesis", file=name, line=line)
    roles: dict[str, tuple[Nuclearity, str]] = {}
    for key, (left_child, right_child) in children.items():
        left, right, relation = labels[key]
        roles[left_child], roles[right_child] = (left, relation), (right, relation)
    with blaming(name):
        return assemble(root, children, roles, edus, texts)


def _label(match: re.Match[str]) -> str:
    return f"{match['left']}{match['right']}-{match['relation']}"
