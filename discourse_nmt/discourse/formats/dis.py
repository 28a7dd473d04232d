"""The .dis format of the RST Discourse Treebank: a tree as a Lisp expression, n-ary or binary.

Texts are enclosed in ``_!`` and ``_!`` and may contain parentheses. EDUs are counted from 1.
"""

import re

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import blaming, text_of, whole_number
from discourse_nmt.discourse.structures.trees import NUCLEUS, ROOT_ROLE, SATELLITE, Nuclearity, RstTree, assemble

ROLES: dict[str, Nuclearity] = {"Root": ROOT_ROLE, "Nucleus": NUCLEUS, "Satellite": SATELLITE}
OPENING = re.compile(
    r"\(\s*(?P<role>Root|Nucleus|Satellite)"
    r"\s*\(\s*(?:leaf\s+(?P<leaf>\d+)|span\s+(?P<first>\d+)\s+(?P<last>\d+))\s*\)"
    r"(?:\s*\(\s*rel2par\s+(?P<relation>[^\s()]+)\s*\))?"
    r"(?:\s*\(\s*text\s+_!(?P<text>.*?)_!\s*\))?\s*",
    re.DOTALL,
)
CLOSING = re.compile(r"\)\s*(?://TT_ERR\s*)?")


def read_dis(content: str | bytes, name: str) -> RstTree:
    """The tree of a .dis file, n-ary or binary as in the file."""
    text = text_of(content, name)
    position = len(text) - len(text.lstrip())
    line, counted = 1, 0
    branch: list[str] = []
    root: str | None = None
    children: dict[str, list[str]] = {}
    roles: dict[str, tuple[Nuclearity, str]] = {}
    edus: dict[str, int] = {}
    texts: list[str] = []
    spans: dict[str, tuple[int, int, int]] = {}
    while position < len(text):
        line, counted = line + text.count("\n", counted, position), position
        if root is not None and not branch:
            raise InputError("text after the end of the tree", file=name, line=line)
        if branch and (match := CLOSING.match(text, position)):
            branch.pop()
        elif match := OPENING.match(text, position):
            first = whole_number(match["leaf"] or match["first"], "EDU", name, line)
            last = whole_number(match["leaf"] or match["last"], "EDU", name, line)
            key = f"{match['role']} of EDU {first}" if match["leaf"] else f"{match['role']} of EDUs {first} to {last}"
            role = ROLES[match["role"]]
            if (role == ROOT_ROLE) != (root is None) or key in spans:
                raise InputError(f"{key} is out of place", file=name, line=line)
            if role != ROOT_ROLE and match["relation"] is None:
                raise InputError(f"{key} has no rel2par", file=name, line=line)
            if (match["leaf"] is None) != (match["text"] is None):
                raise InputError(f"{key}: a leaf has a text and a span has none", file=name, line=line)
            if match["leaf"] and first != len(texts) + 1:
                raise InputError(f"{key}, but EDU {len(texts) + 1} comes next", file=name, line=line)
            if match["leaf"]:
                edus[key] = len(texts)
                texts.append(match["text"])
            if branch:
                children.setdefault(branch[-1], []).append(key)
            root = root or key
            spans[key] = (first - 1, last - 1, line)
            roles[key] = (role, match["relation"] or "")
            branch.append(key)
        else:
            raise InputError(f"not a node of a .dis tree: {text[position : position + 30]!r}", file=name, line=line)
        position = match.end()
    if root is None or branch:
        raise InputError("the tree ends before its last parenthesis", file=name, line=line)
    with blaming(name):
        tree = assemble(root, children, roles, edus, texts)
    for (key, (first, last, opening_line)), node in zip(spans.items(), tree.nodes):
        if (first, last) != (node.first_edu, node.last_edu):
            raise InputError(
                f"{key} covers EDUs {node.first_edu + 1} to {node.last_edu + 1}", file=name, line=opening_line
            )
    return tree
