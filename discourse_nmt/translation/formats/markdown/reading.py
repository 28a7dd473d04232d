"""Markdown: CommonMark with tables and strikethrough, as markdown-it reads it.

Front matter, code, formulas, comments, definitions of links and all marks of blocks stay. The parser tells the lines of
a block; the places of inline markup are noted while its rules run.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from markdown_it.token import Token

from discourse_nmt.translation.formats.blocks import (
    BlockPiece,
    FormattedText,
    TextBlock,
    Writer,
    block_of,
    element_ends,
)
from discourse_nmt.translation.formats.breaks import with_paragraphs
from discourse_nmt.translation.formats.html_pages import is_kept, read_html
from discourse_nmt.translation.formats.inline import with_fixed
from discourse_nmt.translation.formats.markdown.content import Content
from discourse_nmt.translation.formats.markdown.labels import ImageByText, LinksByText
from discourse_nmt.translation.formats.markdown.marks import Mark, marks_of
from discourse_nmt.translation.formats.markdown.parser import markdown_parser, rules_of
from discourse_nmt.translation.formats.markdown.writing import title_writer, written_alternative, written_text

FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n(?:.*\r?\n)*?(?:\1|\.\.\.)[ \t]*(?:\r?\n|$)")
LINE_END = re.compile(r"\r\n|\n|\r")


def read_markdown(text: str, name: str = "") -> FormattedText:
    """The blocks of a text in Markdown; nothing is refused, as everything is Markdown."""
    front = FRONT_MATTER.match(text)
    begin = front.end() if front else 1 if text.startswith("\ufeff") else 0
    return FormattedText((text[:begin], *_Reader(text, begin).read()))


class _Reader:
    def __init__(self, text: str, begin: int) -> None:
        self.text = text
        self.position = begin
        self.parser = markdown_parser()
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
                begin, content = places[0], Content(token.content, places, self.text)
                for start, end in content.texts():
                    parts.append(self.text[begin : places[start]])
                    parts.append(self._block(content.part(start, end)))
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

    def _block(
        self,
        content: Content,
        write: Writer = written_text,
        filled: Callable[[str], str] = str,
        empty: str | None = None,
    ) -> TextBlock:
        """The block of a content; for the others see :class:`.TextBlock`."""
        links = LinksByText(content)
        pieces: list[BlockPiece] = []
        position = 0
        for mark in marks_of(content.text, rules_of(self.parser, content.text, self.env)):
            pieces += content.pieces(position, mark.start)
            changed = links.changed(mark.label, mark.end) if mark.kind == "close" and mark.label else ""
            pieces.append(BlockPiece(self._form(content, mark), mark.text, mark.kind, mark.name, changed))
            position = mark.end
        pieces += content.pieces(position, len(content.text))
        pieces = with_paragraphs(list(with_fixed(_with_kept(pieces))))
        return block_of(pieces, write, lambda form: filled(links.shortened(form)), empty)

    def _form(self, content: Content, mark: Mark) -> tuple[str | TextBlock, ...]:
        """The form of a mark, with blocks for the texts in it."""
        source = content.form(mark.start, mark.end)
        if mark.name.startswith("<") and source == content.text[mark.start : mark.end]:
            return read_html(source).parts
        form: list[str | TextBlock] = []
        first = mark.start
        if mark.alternative:
            start, end = mark.alternative
            form.append(content.form(first, start))
            text, first = content.part(start, end), end
            if mark.label:
                first = mark.end - 1
                image = ImageByText(content, mark.label, first)
                form.append(self._block(text, written_alternative, image.filled, image.kept))
            else:
                form.append(self._block(text, written_alternative))
        if mark.title:
            start, end = mark.title
            form.append(content.form(first, start))
            form.append(block_of(list(content.pieces(start, end)), title_writer(content.text[start - 1])))
            first = end
        return (*form, content.form(first, mark.end))


def _with_kept(pieces: Sequence[BlockPiece]) -> Iterator[BlockPiece]:
    """The pieces; an element of HTML that is not translated is one, with all that is in it."""
    ends = element_ends((piece.kind, piece.name) for piece in pieces)
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        end = ends.get(index) if piece.name.startswith("<") and is_kept(piece.source) else None
        inside = pieces[index : end + 1] if end is not None else [piece]
        if end is not None:
            text = " ".join("".join(one.text for one in inside).split())
            piece = BlockPiece(("".join(one.source for one in inside),), text, "fixed" if text else "point")
        yield piece
        index += len(inside)
