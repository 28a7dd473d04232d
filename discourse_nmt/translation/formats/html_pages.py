"""HTML: the text of elements, and of the attributes ``alt`` and ``title``.

Tags, comments, scripts, styles, preformatted text and elements with ``translate="no"`` stay. The parser is the one of
Python's library: it tells where in the file each tag stands, which lxml and HTML5 parsers do not.
"""

import re
from collections.abc import Sequence
from html.parser import HTMLParser

from discourse_nmt.translation.formats.blocks import BlockPiece, FormattedText, Kind, TextBlock, block_of, element_ends
from discourse_nmt.translation.formats.breaks import with_paragraphs
from discourse_nmt.translation.formats.inline import escaped, escaped_attribute, text_pieces, with_fixed

INLINE = frozenset(
    re.findall(
        r"\w+",
        "a abbr acronym b bdi bdo big br button cite code data del dfn em font i img input ins kbd label mark meter "
        "nobr output progress q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr",
    )
)
VOID = frozenset(
    re.findall(
        r"\w+",
        "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
    )
)
CODE = frozenset(["code", "kbd", "rp", "rt", "samp", "tt", "var"])
"""Elements within a line whose text is read and stays."""
KEPT = frozenset(re.findall(r"\w+", "iframe math noembed noframes object pre script style svg template textarea xmp"))
"""Elements whose content stays."""
KINDS: dict[str, Kind] = {"open": "open", "void": "point", "close": "close"}
ATTRIBUTE = re.compile(r"""(?<=[\s"'/])(?:alt|title)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)

UNENDED = re.compile(r"<[a-zA-Z/!?]")
"""How a tag or comment begins; one that never ends is the rest of the file, but text to the parser."""


class _Tokens(HTMLParser):
    """The tags and texts of a file with the characters at which they begin."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[tuple[int, str, str, bool]] = []  # start, kind, name, whether it is not to be translated
        self._text, self._unended = text, False
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self.feed(text)
        self.close()

    def _add(self, kind: str, name: str = "", kept: bool = False) -> None:
        if self._unended:
            return
        line, column = self.getpos()
        start = self._lines[line - 1] + column
        self._unended = kind == "text" and not self.cdata_elem and UNENDED.match(self._text, start) is not None
        self.found.append((start, "comment" if self._unended else kind, name, kept))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._add("void" if tag in VOID else "open", tag, _is_marked(attrs) or tag in KEPT or tag in CODE)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # HTML reads <b/> as <b>; XHTML and foreign elements do not.
        self._add("void", tag, _is_marked(attrs))

    def handle_endtag(self, tag: str) -> None:
        self._add("close", tag)

    def handle_data(self, data: str) -> None:
        self._add("text")

    def handle_entityref(self, name: str) -> None:
        self._add("text")

    def handle_charref(self, name: str) -> None:
        self._add("text")

    def handle_comment(self, data: str) -> None:
        self._add("comment")

    def handle_decl(self, decl: str) -> None:
        self._add("other")

    def handle_pi(self, data: str) -> None:
        self._add("comment")

    def unknown_decl(self, data: str) -> None:
        self._add("other")


def _is_marked(attributes: Sequence[tuple[str, str | None]]) -> bool:
    """Whether a tag says that its element is not translated."""
    given = dict(attributes)
    return (given.get("translate") or "").lower() == "no" or "notranslate" in (given.get("class") or "").split()


def read_html(text: str, name: str = "") -> FormattedText:
    """The blocks of a page, or of a part of one. Whatever it holds, nothing is refused, as no browser refuses it."""
    return _Reader(text).read()


def is_kept(tag: str) -> bool:
    """Whether a tag begins an element that is not translated."""
    return any(kind == "open" and kept for _, kind, _, kept in _Tokens(tag).found)


class _Reader:
    def __init__(self, text: str) -> None:
        found = _Tokens(text).found
        ends = [*(start for start, *_ in found[1:]), len(text)]
        before = text[: found[0][0]] if found else text
        self.tokens = [("other", "", False, before)] if before else []
        for (start, kind, name, kept), end in zip(found, ends):
            if kind == "text" and self.tokens and self.tokens[-1][0] == "text":
                self.tokens[-1] = ("text", "", False, self.tokens[-1][3] + text[start:end])
            else:
                self.tokens.append((kind, name, kept, text[start:end]))
        self.parts: list[str | TextBlock] = []
        self.pieces: list[BlockPiece] = []

    def read(self) -> FormattedText:
        ends = element_ends((kind, name) for kind, name, *_ in self.tokens)
        index = 0
        while index < len(self.tokens):
            kind, name, kept, form = self.tokens[index]
            end = ends.get(index) if kept else None
            inside = self.tokens[index + 1 : end] if end is not None else []
            if end is not None and name in INLINE:
                plain = "".join(one[3] for one in inside if one[0] == "text")
                source = "".join(one[3] for one in self.tokens[index : end + 1])
                words = "".join(piece.text for piece in text_pieces(plain)).strip()
                self.pieces.append(BlockPiece((source,), words, "fixed" if words else "point"))
                index = end
            elif end is not None:
                self._flush()
                self.parts += [one[3] for one in self.tokens[index : end + 1]]
                index = end
            elif kind == "open" and name in KEPT:  # it never ends
                self._flush()
                self.parts += [one[3] for one in self.tokens[index:]]
                index = len(self.tokens)
            elif kind == "text":
                self.pieces += text_pieces(form)
            elif kind == "comment":
                self.pieces.append(BlockPiece((form,), "", "point"))
            elif name in INLINE:
                parts = (form,) if kept else tuple(_with_attributes(form))
                self.pieces.append(
                    BlockPiece(parts, " ", "break") if name == "br" else BlockPiece(parts, "", KINDS[kind], name)
                )
            else:
                self._flush()
                self.parts += [form] if kept or kind not in KINDS else _with_attributes(form)
            index += 1
        self._flush()
        return FormattedText(tuple(self.parts))

    def _flush(self) -> None:
        if self.pieces:
            self.parts.append(block_of(with_paragraphs(list(with_fixed(self.pieces))), escaped))
            self.pieces = []


def _with_attributes(tag: str) -> list[str | TextBlock]:
    """A tag, with the texts of attributes as blocks."""
    parts: list[str | TextBlock] = []
    position = 0
    for match in ATTRIBUTE.finditer(tag):
        group = 1 if match[1] is not None else 2
        quote = tag[match.start(group) - 1]
        parts.append(tag[position : match.start(group)])
        parts.append(block_of(list(with_fixed(list(text_pieces(match[group])))), escaped_attribute(quote)))
        position = match.end(group)
    return [*parts, tag[position:]]
