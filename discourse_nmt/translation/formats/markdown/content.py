"""The content of a block of Markdown, and where in the file it stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from discourse_nmt.translation.formats.blocks import BlockPiece

# What other dialects read in a paragraph: formulas, directives, admonitions; marks of notes and definitions; the mark
# of an alert, and the end of its title.
BETWEEN = regex.compile(
    r"^(?:\$\$[^$]+\$\$[ \t]*|:::+.*|(?:!!!|\?\?\?\+?)[ \t].*)(?:\n|\Z)"
    r"|^(?:\[\^[^\]\s]+\]:|:(?=[ \t]))[ \t]*\n?"
    r"|\A\[![^\[\]\s]+\][+-]?(?:[ \t]+|(?=\n)|\Z)\n?|(?<=\A\[![^\[\]\s]+\][+-]?[ \t].*)\n",
    regex.MULTILINE,
)


@dataclass(frozen=True)
class Content:
    """The content of a block as the parser reads it: lines without the marks of quotations, items and cells.

    ``places`` are the characters of the ``file`` at which its characters stand, and the end of the last.
    """

    text: str
    places: Sequence[int]
    file: str

    @property
    def source(self) -> str:
        """The content as it is in the file."""
        return self.form(0, len(self.text))

    def form(self, start: int, end: int) -> str:
        """Characters of the content as they are in the file."""
        return self.file[self.places[start] : self.places[end]]

    def part(self, start: int, end: int) -> "Content":
        """A part of the content."""
        return Content(self.text[start:end], self.places[start : end + 1], self.file)

    def pieces(self, start: int, end: int) -> Iterator[BlockPiece]:
        """The text between marks; in the file it may have escaped bars of tables."""
        if start < end:
            form, plain = self.form(start, end), self.text[start:end]
            if form == plain:
                yield BlockPiece((form,), plain)
            else:
                for index in range(start, end):
                    yield BlockPiece((self.form(index, index + 1),), self.text[index].replace("\n", " "))

    def texts(self) -> Iterator[tuple[int, int]]:
        """The characters of a paragraph that are text, between lines and marks that other dialects read."""
        position = 0
        for match in [*BETWEEN.finditer(self.text), None]:
            end = match.start() if match else len(self.text)
            text = self.text[position:end].rstrip("\n")
            if text:
                yield position, position + len(text)
            position = match.end() if match else end
