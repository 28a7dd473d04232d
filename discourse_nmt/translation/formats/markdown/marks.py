"""Inline markup of a block of Markdown: characters of its content, and what they are."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markdown_it.token import Token

from discourse_nmt.translation.formats.blocks import Kind, Span, element_ends
from discourse_nmt.translation.formats.html_pages import VOID
from discourse_nmt.translation.formats.inline import FIXED as ADDRESS
from discourse_nmt.translation.formats.inline import TAG
from discourse_nmt.translation.formats.markdown.parser import Rule

BOX = re.compile(r"\[[ xX]\](?=\s)")
# Footnotes, formulas, roles of MyST.
FIXED = re.compile(
    r"\[\^[^\]\s]+\]|\$\$[^$]+\$\$|\$(?=\S)[^$\n]*[^\s$\\]\$(?!\d)|\{[\w:-]+\}(?=`)|^\{[.#][^}]*\}$",
    re.MULTILINE,
)
EMPHASIS = ("em", "strong", "s")


@dataclass(frozen=True)
class Mark:
    """Inline markup: characters of the content of a block, and what they are.

    The name of a tag of HTML begins with ``<``. ``alternative`` and ``title`` are the characters of texts in the mark,
    and ``label`` those of the text of a link or image that is its label, too: ``[label]`` or ``[label][]``.
    """

    start: int
    end: int
    kind: Kind
    text: str = ""
    name: str = ""
    alternative: Span | None = None
    title: Span | None = None
    label: Span | None = None


def marks_of(content: str, rules: Sequence[Rule]) -> Iterator[Mark]:
    """The marks in the content of a block, in order and without overlap, given what the parser read of it."""
    marks = list(_marks(content, rules))
    marks = _with_signs(marks, filter(None, [*FIXED.finditer(content), BOX.match(content)]))
    marks = _with_signs(marks, _addresses(content, marks))
    position = 0
    for mark in sorted(marks, key=lambda mark: (mark.start, mark.end)):
        if mark.start >= position:
            yield mark
            position = mark.end


def _marks(content: str, rules: Sequence[Rule]) -> Iterator[Mark]:
    """The marks that the rules of the parser read."""
    for name, start, end, tokens, label in rules:
        types = {token.type for token in tokens}
        if name == "newline":
            first = len(content[:start].rstrip(" "))
            yield Mark(first, end, "break" if "hardbreak" in types else "text", " ")
        elif name in ("escape", "entity"):
            if "hardbreak" in types:
                yield Mark(start, end, "break", " ")
            else:
                made = [token for token in tokens if token.type == "text_special"]
                if made and len(made[-1].content) == 1:
                    yield Mark(start, end, "text", made[-1].content if not made[-1].content.isspace() else " ")
        elif name == "backticks" and "code_inline" in types:
            yield Mark(start, end, "fixed", tokens[-1].content.strip() or " ")
        elif name in ("emphasis", "strikethrough"):
            yield from _delimiters(content, start, end, tokens)
        elif name == "link":
            own = (start + 1, label) if content[label + 1 : end] in ("", "[]") else None
            yield Mark(start, start + 1, "open", name="link")
            yield Mark(label, end, "close", name="link", title=_title(content, label, end, tokens), label=own)
        elif name == "image":
            alt = start + 2, start + 2 + len(tokens[-1].content)
            own = alt if content[alt[1] + 1 : end] in ("", "[]") else None
            title = _title(content, alt[1], end, tokens[-1:])
            yield Mark(start, end, "point", alternative=alt if alt[0] < alt[1] else None, title=title, label=own)
        elif name == "autolink":
            yield Mark(start, end, "fixed", content[start + 1 : end - 1])
        elif name == "html_inline":
            tag = TAG.fullmatch(content, start, end)
            if tag and tag["name"].lower() == "br":
                yield Mark(start, end, "break", " ")
            elif tag and not tag["empty"] and tag["name"].lower() not in VOID:
                yield Mark(start, end, "close" if tag["closing"] else "open", name=f"<{tag['name'].lower()}>")
            else:
                yield Mark(start, end, "point", name="<")


def _delimiters(content: str, start: int, end: int, tokens: list[Token]) -> Iterator[Mark]:
    """Marks of emphasis. The parser has made tags of some of the signs, and emptied their neighbours.

    An emptied sign belongs to the tag of two signs beside it: before an opening one, behind a closing one.
    """
    length = end - start
    signs = tokens[-(length if content[start] != "~" else length % 2 + length // 2) :]
    position = start
    index = 0
    while index < len(signs):
        token = signs[index]
        width = len(token.markup) if token.nesting else max(1, len(token.content))
        if token.nesting == 0 and not token.content and signs[index + 1].nesting == 1:
            token, width = signs[index + 1], 2
            index += 1
        elif token.nesting == -1 and width == 2 and content[start] != "~":
            index += 1
        if token.nesting:
            yield Mark(position, position + width, "open" if token.nesting > 0 else "close", name=token.tag)
        position += width
        index += 1


def _title(content: str, start: int, end: int, tokens: Sequence[Token]) -> Span | None:
    """The characters of the title of a link, where it stands as it is."""
    titles = [str(token.attrs["title"]) for token in tokens if "title" in token.attrs]
    place = content.rfind(titles[0], start, end) if titles and titles[0] and content.startswith("](", start) else -1
    return (place, place + len(titles[0])) if place >= 0 and content[place - 1] in "\"'(" else None


def _with_signs(marks: list[Mark], matches: Iterable[re.Match[str]]) -> list[Mark]:
    """The marks, without those that are signs of what matches, such as a formula: that is one mark."""
    for match in matches:
        across = [mark for mark in marks if mark.start < match.end() and match.start() < mark.end]
        if all(match.start() <= mark.start and mark.end <= match.end() for mark in across):
            boxed = match.group().startswith("[") and match.group()[1:2] in " xX"
            read = match.group().replace("\n", " ")
            whole = Mark(*match.span(), "point" if boxed else "fixed", "" if boxed else read)
            marks = [*(mark for mark in marks if mark not in across), whole]
    return marks


def _addresses(content: str, marks: list[Mark]) -> Iterator[re.Match[str]]:
    """Addresses and placeholders in whose signs emphasis was read; they end before marks that are not theirs."""
    pairs = _pairs(marks)
    for found in ADDRESS.finditer(content):
        match: re.Match[str] | None = found
        own: set[Mark] = set()
        while match:
            start, end = match.span()
            inside = {mark for mark in marks if start < mark.start and mark.end <= end}
            own = {mark for mark in inside if pairs.get(mark) in inside}
            others = [mark.start for mark in marks if start <= mark.start < end and mark not in own]
            if not others:
                break
            match = ADDRESS.match(content, start, min(others))
        if match and own:
            yield match


def _pairs(marks: list[Mark]) -> dict[Mark, Mark]:
    """The two ends of each emphasis, by the other one."""
    signs = [mark for mark in sorted(marks, key=lambda mark: mark.start) if mark.name in EMPHASIS]
    ends = element_ends((sign.kind, sign.name) for sign in signs)
    pairs = {signs[first]: signs[last] for first, last in ends.items()}
    return pairs | {last: first for first, last in pairs.items()}
