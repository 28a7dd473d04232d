"""Markdown: CommonMark with tables and strikethrough, as markdown-it reads it.

Front matter, code, formulas, comments, definitions of links and all marks of blocks stay. The parser tells the lines of
a block; the places of inline markup are noted while its rules run.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from discourse_nmt.translation.formats.blocks import BlockPiece, FormattedText, Kind, Span, TextBlock, Writer, block_of
from discourse_nmt.translation.formats.breaks import with_paragraphs
from discourse_nmt.translation.formats.html_pages import VOID, is_kept, read_html
from discourse_nmt.translation.formats.inline import FIXED as ADDRESS
from discourse_nmt.translation.formats.inline import REFERENCE, TAG, with_fixed

FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:.*\r?\n)*?(?:\1|\.\.\.)[ \t]*(?:\r?\n|$)")
BOX = re.compile(r"\[[ xX]\](?=\s)")
LINE_END = re.compile(r"\r\n|\n|\r")
# What other dialects read in a paragraph: formulas, directives, admonitions, alerts; marks of notes and definitions.
BETWEEN = re.compile(
    r"^(?:\$\$[^$]+\$\$[ \t]*|:::+.*|(?:!!!|\?\?\?\+?)[ \t].*|\[![A-Za-z]+\][+-]?[ \t]*)(?:\n|\Z)"
    r"|^(?:\[\^[^\]\s]+\]:|:(?=[ \t]))[ \t]*\n?",
    re.MULTILINE,
)
# Footnotes, formulas, roles of MyST, marks of callouts.
FIXED = re.compile(
    r"\[\^[^\]\s]+\]|\[![A-Za-z]+\]|\$\$[^$]+\$\$|\$(?=\S)[^$\n]*[^\s$\\]\$(?!\d)|\{[\w:-]+\}(?=`)|^\{[.#][^}]*\}$",
    re.MULTILINE,
)
MARKUP = frozenset("\\`*_[]<~|&")
EMPHASIS = ("em", "strong", "s")
BEGINNING = re.compile(r"#{1,6}(?=\s|$)|>|[-+](?=\s|$)|=+\s*$|\d{1,9}(?P<item>[.)])(?=\s|$)")

RuleFunction = Callable[[StateInline, bool], bool]
BlockRule = Callable[[StateBlock, int, int, bool], bool]


@dataclass(frozen=True)
class _Mark:
    """Inline markup: characters of the content of a block, and what they are; ``inner`` are those of a text in it.

    ``label`` are those of the text of a link or image that is its label, too: ``[label]`` or ``[label][]``.
    """

    start: int
    end: int
    kind: Kind
    text: str = ""
    name: str = ""
    inner: tuple[Span, ...] = ()
    label: Span | None = None


class _Rule(NamedTuple):
    """What a rule of the parser read: characters of the content, the tokens it made, the end of the text of a link."""

    name: str
    start: int
    end: int
    tokens: list[Token]
    label: int


@dataclass
class _Noted:
    """What the rules read of the content of a block; the alternative text of an image is parsed by itself."""

    rules: list[_Rule] = field(default_factory=list)
    state: StateInline | None = None

    def of(self, state: StateInline) -> bool:
        """Whether ``state`` is that of the content; the first one is."""
        self.state = self.state or state
        return self.state is state


def read_markdown(text: str, name: str = "") -> FormattedText:
    """The blocks of a text in Markdown; nothing is refused, as everything is Markdown."""
    front = FRONT_MATTER.match(text)
    begin = front.end() if front else 1 if text.startswith("\ufeff") else 0
    return FormattedText((text[:begin], *_Reader(text, begin).read()))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # nothing is shown
    (reference,) = (rule for rule in parser.block.ruler.__rules__ if rule.name == "reference")
    parser.block.ruler.at("reference", partial(_reference, reference.fn))
    parser.disable(["text_join", "inline"])
    parser.inline.ruler2.disable("fragments_join")
    for rule in parser.inline.ruler.__rules__:
        rule.fn = _noting(rule.name, rule.fn)
    parser.inline.ruler.__compile__()
    return parser


def _reference(rule: BlockRule, state: StateBlock, line: int, last: int, silent: bool) -> bool:
    """The rule of definitions of links, without the notes of other dialects."""
    return not state.src.startswith("[^", state.bMarks[line] + state.tShift[line]) and rule(state, line, last, silent)


def _noting(name: str, rule: RuleFunction) -> RuleFunction:
    """The rule, which also notes in ``env["noted"]`` what it read."""

    def noting(state: StateInline, silent: bool) -> bool:
        noted: _Noted | None = None if silent else state.env.get("noted")
        if noted is None or not noted.of(state):
            return rule(state, silent)
        start, count = state.pos, len(state.tokens)
        label = state.md.helpers.parseLinkLabel(state, start, True) if name == "link" and state.src[start] == "[" else 0
        if not rule(state, silent):
            return False
        noted.rules.append(_Rule(name, start, state.pos, state.tokens[count:], label))
        return True

    return noting


class _Reader:
    def __init__(self, text: str, begin: int) -> None:
        self.text = text
        self.position = begin
        self.parser = _parser()
        self.env: dict[str, Any] = {}
        self.starts, self.ends = [begin], []
        for match in LINE_END.finditer(text, begin):
            self.ends.append(match.start())
            self.starts.append(match.end())
        self.ends.append(len(text))

    def read(self) -> list[str | TextBlock]:
        parts: list[str | TextBlock] = []
        source = LINE_END.sub("\n", self.text[self.starts[0] :])
        tokens = self.parser.parse(source, self.env)
        begin = self.position
        for before, token in zip([None, *tokens], tokens):
            if token.map is None or token.type not in ("inline", "html_block"):
                continue
            places = self._places(token, in_cell=before is not None and before.type in ("td_open", "th_open"))
            if places is None:
                continue
            parts.append(self.text[begin : places[0]])
            if token.type == "html_block":
                page = self.text[places[0] : places[-1]]
                if LINE_END.sub("\n", page) != token.content.rstrip("\n"):  # in a quotation, whose signs are in it
                    parts.append(page)
                else:
                    parts += read_html(page).parts
            else:
                begin = places[0]
                for start, end in _texts(token.content):
                    parts.append(self.text[begin : places[start]])
                    parts.append(self._block(token.content[start:end], places[start : end + 1]))
                    begin = places[end]
                parts.append(self.text[begin : places[-1]])
            begin = self.position = places[-1]
        return [*parts, self.text[begin:]]

    def _places(self, token: Token, in_cell: bool) -> list[int] | None:
        """The character of the file at which each character of a token's content stands, and the end of the last.

        None where the content is not in the file as it is, as with tabs that are part of an indentation.
        """
        assert token.map is not None
        content = token.content.rstrip("\n") if token.type == "html_block" else token.content
        places: list[int] = []
        for number, line in enumerate(content.split("\n"), start=token.map[0]):
            if number >= len(self.starts):
                return None
            low, high = max(self.starts[number], self.position), self.ends[number]
            if in_cell:
                found = re.compile(re.escape(line).replace(r"\|", r"\\?\|")).search(self.text, low, high)
                start, end = found.span() if found else (-1, -1)
            else:
                start = self.text.rfind(line, low, high)
                end = start + len(line)
            if start < 0:
                return None
            position = start
            for letter in line:
                places.append(position)
                position += 1 if self.text[position] == letter else 2
            if position != end:
                return None
            places.append(end)  # of the line end in the content, or of the whole
        return places if content else None

    def _block(self, content: str, places: list[int]) -> TextBlock:
        noted = _Noted()
        self.parser.inline.parse(content, self.parser, self.env | {"noted": noted}, [])
        marks = list(_marks(content, noted.rules))
        marks = _with_signs(marks, filter(None, [*FIXED.finditer(content), BOX.match(content)]))
        marks = _with_signs(marks, _addresses(content, marks))
        marks.sort(key=lambda mark: (mark.start, mark.end))
        pieces: list[BlockPiece] = []
        position = 0
        links: dict[str, str] = {}  # their forms with a label, and without one
        for mark in marks:
            if mark.start < position:
                continue
            pieces += _plain(content, places, self.text, position, mark.start)
            changed = ""
            if mark.kind == "close" and mark.label:
                text, label = self._label(content, places, mark.label)
                changed = f"][{label}]"
                links[f"[{text}{changed}"] = f"[{text}{self.text[places[mark.start] : places[mark.end]]}"
            pieces.append(BlockPiece(self._form(content, places, mark), mark.text, mark.kind, mark.name, changed))
            position = mark.end
        pieces += _plain(content, places, self.text, position, len(content))
        source = self.text[places[0] : places[-1]]
        links = {long: short for long, short in links.items() if long not in source}
        filled = partial(_without_labels, links=links) if links else None
        return block_of(with_paragraphs(list(with_fixed(_with_kept(pieces)))), _written, filled)

    def _form(self, content: str, places: list[int], mark: _Mark) -> tuple[str | TextBlock, ...]:
        """The form of a mark, with blocks for the texts in it."""
        form: list[str | TextBlock] = []
        first = mark.start
        for start, end in mark.inner:
            form.append(self.text[places[first] : places[start]])
            pieces, write = list(_plain(content, places, self.text, start, end)), _attribute(content[start - 1])
            if mark.label:
                text, label = self._label(content, places, mark.label)
                first = mark.end - 1
                kept = self.text[places[start] : places[first]]
                form.append(block_of(pieces, write, partial(_labelled, text=text, kept=kept, label=label), kept))
            else:
                form.append(block_of(pieces, write))
                first = end
        return (*form, self.text[places[first] : places[mark.end]])

    def _label(self, content: str, places: list[int], span: Span) -> tuple[str, str]:
        """The text of a link that is its label, and the label on one line: a quotation has its signs between lines."""
        text, label = self.text[places[span[0]] : places[span[1]]], content[slice(*span)]
        return text, " ".join(label.split()) if "\n" in label else text


def _with_signs(marks: list[_Mark], matches: Iterable[re.Match[str]]) -> list[_Mark]:
    """The marks, without those that are signs of what matches, such as a formula: that is one mark."""
    for match in matches:
        across = [mark for mark in marks if mark.start < match.end() and match.start() < mark.end]
        if all(match.start() <= mark.start and mark.end <= match.end() for mark in across):
            boxed = match.group().startswith("[") and match.group()[1:2] in " xX"
            read = match.group().replace("\n", " ")
            whole = _Mark(*match.span(), "point" if boxed else "fixed", "" if boxed else read)
            marks = [*(mark for mark in marks if mark not in across), whole]
    return marks


def _addresses(content: str, marks: list[_Mark]) -> Iterator[re.Match[str]]:
    """Addresses and placeholders in whose signs emphasis was read; they end before marks that are not theirs."""
    pairs = _pairs(marks)
    for found in ADDRESS.finditer(content):
        match: re.Match[str] | None = found
        own: set[_Mark] = set()
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


def _pairs(marks: list[_Mark]) -> dict[_Mark, _Mark]:
    """The two ends of each emphasis, by the other one."""
    pairs: dict[_Mark, _Mark] = {}
    opened: list[_Mark] = []
    for mark in sorted(marks, key=lambda mark: mark.start):
        if mark.name in EMPHASIS and mark.kind == "open":
            opened.append(mark)
        elif mark.name in EMPHASIS and opened:
            first = opened.pop()
            pairs |= {first: mark, mark: first}
    return pairs


def _with_kept(pieces: list[BlockPiece]) -> Iterator[BlockPiece]:
    """The pieces; an element of HTML that is not translated is one, with all that is in it."""
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        end = _end(pieces, index) if piece.name.startswith("<") and is_kept(piece.source) else None
        inside = pieces[index : end + 1] if end is not None else [piece]
        if end is not None:
            text = " ".join("".join(one.text for one in inside).split())
            piece = BlockPiece(("".join(one.source for one in inside),), text, "fixed" if text else "point")
        yield piece
        index += len(inside)


def _end(pieces: list[BlockPiece], index: int) -> int | None:
    """The closing tag of an element, None where it has none."""
    depth = 0
    for place in range(index, len(pieces)):
        if pieces[place].name == pieces[index].name:
            depth += 1 if pieces[place].kind == "open" else -1
            if depth == 0:
                return place
    return None


def _texts(content: str) -> Iterator[tuple[int, int]]:
    """The characters of a paragraph that are text, between lines and marks that other dialects read."""
    position = 0
    for match in [*BETWEEN.finditer(content), None]:
        end = match.start() if match else len(content)
        text = content[position:end].rstrip("\n")
        if text:
            yield position, position + len(text)
        position = match.end() if match else end


def _plain(content: str, places: list[int], text: str, start: int, end: int) -> Iterator[BlockPiece]:
    """The text between marks; in the file it may have escaped bars of tables."""
    if start < end:
        form, plain = text[places[start] : places[end]], content[start:end]
        if form == plain:
            yield BlockPiece((form,), plain)
        else:
            for index in range(start, end):
                yield BlockPiece((text[places[index] : places[index + 1]],), content[index].replace("\n", " "))


def _marks(content: str, rules: list[_Rule]) -> Iterator[_Mark]:
    """The marks that the rules of the parser read."""
    for name, start, end, tokens, label in rules:
        types = {token.type for token in tokens}
        if name == "newline":
            first = len(content[:start].rstrip(" "))
            yield _Mark(first, end, "break" if "hardbreak" in types else "text", " ")
        elif name in ("escape", "entity"):
            if "hardbreak" in types:
                yield _Mark(start, end, "break", " ")
            else:
                made = [token for token in tokens if token.type == "text_special"]
                if made and len(made[-1].content) == 1:
                    yield _Mark(start, end, "text", made[-1].content if not made[-1].content.isspace() else " ")
        elif name == "backticks" and "code_inline" in types:
            yield _Mark(start, end, "fixed", tokens[-1].content.strip() or " ")
        elif name in ("emphasis", "strikethrough"):
            yield from _delimiters(content, start, end, tokens)
        elif name == "link":
            own = (start + 1, label) if content[label + 1 : end] in ("", "[]") else None
            yield _Mark(start, start + 1, "open", name="link")
            yield _Mark(label, end, "close", name="link", inner=_title(content, label, end, tokens), label=own)
        elif name == "image":
            alt = start + 2, start + 2 + len(tokens[-1].content)
            inner = *([alt] if alt[0] < alt[1] else []), *_title(content, alt[1], end, tokens[-1:])
            own = alt if content[alt[1] + 1 : end] in ("", "[]") else None
            yield _Mark(start, end, "point", inner=inner, label=own)
        elif name == "autolink":
            yield _Mark(start, end, "fixed", content[start + 1 : end - 1])
        elif name == "html_inline":
            tag = TAG.fullmatch(content, start, end)
            if tag and tag["name"].lower() == "br":
                yield _Mark(start, end, "break", " ")
            elif tag and not tag["empty"] and tag["name"].lower() not in VOID:
                yield _Mark(start, end, "close" if tag["closing"] else "open", name=f"<{tag['name'].lower()}>")
            else:
                yield _Mark(start, end, "point")


def _delimiters(content: str, start: int, end: int, tokens: list[Token]) -> Iterator[_Mark]:
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
            yield _Mark(position, position + width, "open" if token.nesting > 0 else "close", name=token.tag)
        position += width
        index += 1


def _title(content: str, start: int, end: int, tokens: list[Token]) -> tuple[Span, ...]:
    """The characters of the title of a link, where it stands as it is."""
    titles = [str(token.attrs["title"]) for token in tokens if "title" in token.attrs]
    place = content.rfind(titles[0], start, end) if titles and titles[0] and content.startswith("](", start) else -1
    return ((place, place + len(titles[0])),) if place >= 0 and content[place - 1] in "\"'(" else ()


def _attribute(before: str) -> Writer:
    """The writer of a title or alternative text, which ``before`` begins: its end, and that of a cell, is escaped."""
    ends = {"[": "[]", "(": "()"}.get(before, before)
    signs = re.compile(rf"[\\|{re.escape(ends)}]")
    return lambda text, source: signs.sub(r"\\\g<0>", text)


def _labelled(form: str, text: str, kept: str, label: str) -> str:
    """The alternative text of an image whose source was its label; ``kept`` is the form of the source."""
    return kept if form == text else f"{form}][{label}"


def _without_labels(form: str, links: Mapping[str, str]) -> str:
    """The form of a block, in which links with the text of the source have no label, if they do not become others."""
    for long, short in links.items():
        form = re.sub(re.escape(long) + r"(?![\[(:])", short.replace("\\", r"\\"), form)
    return form


def _written(text: str, source: str) -> str:
    """Text with escaped signs, but for those that stand bare in the source and cannot be markup here, either."""
    begin = BEGINNING.match(text)
    if begin and begin.group()[:1] not in source:
        cut = begin.start("item") if begin["item"] else 0
        return f"{_written(text[:cut], source)}\\{text[cut]}{_written(text[cut + 1 :], source)}"
    parts = []
    for index, sign in enumerate(text):
        before, after = text[index - 1 : index] or " ", text[index + 1 : index + 2] or " "
        if sign == "&":
            reference = REFERENCE.match(text, index)
            bare = reference is None or reference.group() in source
        elif sign == "_":
            bare = before.isalnum() and after.isalnum()
        else:
            bare = sign in source and (sign != "*" or (before.isspace() and after.isspace()))
        parts.append(sign if sign not in MARKUP or bare else f"\\{sign}")
    return "".join(parts)
