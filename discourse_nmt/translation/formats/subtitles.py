"""Subtitles in the format SubRip (``.srt``): sentences that go over several cues are read as one.

A block is the text of cues that follow each other without a pause, up to a line with the dash of a speaker. The ends of
lines and cues are breaks in it: the translation is cut again where theirs fit.
"""

import re
from collections.abc import Iterator

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.translation.formats.blocks import BlockPiece, FormattedText, Kind, TextBlock, block_of
from discourse_nmt.translation.formats.inline import with_fixed

TIME = r"(\d{1,3}):(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
TIMES = re.compile(rf"\s*{TIME}\s*-->\s*{TIME}(?:\s.*)?$")
NUMBER = re.compile(r"\s*\d+\s*$")
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
MARKUP = re.compile(r"</?(?P<name>[a-zA-Z]+)(?:[ .=][^<>]*)?>|\{\\[^{}]*\}|\\[hN]")
BLANKS: dict[str, Kind] = {"\\N": "break", "\\h": "text"}
"""A line end and a blank."""
SPEAKER = re.compile(r"(?:<[^<>]*>|\{\\[^{}]*\}|\s)*(?:[-–—‐]|>>|♪|#)\s?")
PAUSE = 3.0
"""Seconds between two cues after which no sentence goes on, also of cues that are not in order."""
REMEDY = "write a cue as its number, a line 00:00:01,000 --> 00:00:02,500, its text and an empty line"


def read_subtitles(text: str, name: str = "") -> FormattedText:
    """The blocks of a file; :class:`InputError`, naming the line, for a cue without times."""
    reader = _Reader(name)
    for match in LINE.finditer(text):
        if match.group():
            reader.read(match.group())
    reader.end()
    return FormattedText(tuple(reader.parts))


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        self.parts: list[str | TextBlock] = []
        self.pieces: list[BlockPiece] = []
        self.between = ""  # what was read since the last text
        self.line = 0
        self.state = "before"  # then "number", "times" and "text"
        self.last_end = -1.0
        self.paused = False

    def read(self, line: str) -> None:
        """Read a line with its end."""
        self.line += 1
        content = line.strip("\ufeff \t\r\n") if self.line == 1 else line.strip()
        if self.state in ("times", "text") and TIMES.match(content):
            raise InputError("no empty line before a cue", file=self.name, line=self.line, remedy=REMEDY)
        if self.state in ("times", "text") and content:
            self._text(line)
        elif self.state in ("times", "text"):
            self.between += line
            self.state = "before"
        elif times := TIMES.match(content):
            start, end = (_seconds(times.groups()[i : i + 4]) for i in (0, 4))
            self.paused = abs(start - self.last_end) > PAUSE
            self.last_end = end
            self.between += line
            self.state = "times"
        elif self.state == "before" and (NUMBER.match(content) or not content):
            self.between += line
            self.state = "number" if content else "before"
        elif content:
            raise InputError(
                "no times of a cue" if self.state == "number" else "neither number nor times of a cue",
                file=self.name,
                line=self.line,
                remedy=REMEDY,
            )
        else:
            self.between += line

    def end(self) -> None:
        """Read the end of the file; :class:`InputError` where a cue has no times, or there is none."""
        if self.state == "number" or (self.last_end < 0 and has_text(self.between)):
            raise InputError("no times of a cue", file=self.name, line=self.line, remedy=REMEDY)
        self._flush()
        self.parts.append(self.between)

    def _text(self, line: str) -> None:
        own = line.rstrip("\r\n")
        speaker = SPEAKER.match(own)
        first = self.state == "times"
        if speaker or (first and self.paused) or not self.pieces:
            self._flush()
            self.parts.append(self.between)
        else:
            self.pieces.append(BlockPiece((self.between,), " ", "break"))
        begin = len(own) - len(own.lstrip())
        stop = max(begin, len(own.rstrip()))
        if speaker and not MARKUP.search(speaker.group()):
            begin = min(speaker.end(), stop)  # its blank may be the end of the line
        if not self.pieces:
            self.parts.append(own[:begin])
        elif begin:
            self.pieces.append(BlockPiece((own[:begin],), "", "point"))
        self.pieces += _pieces(own[begin:stop])
        self.between = own[stop:] + line[len(own) :]
        self.state = "text"

    def _flush(self) -> None:
        if self.pieces:
            self.parts.append(block_of(list(with_fixed(self.pieces))))
            self.pieces = []


def _pieces(text: str) -> Iterator[BlockPiece]:
    position = 0
    for match in MARKUP.finditer(text):
        if match.start() > position:
            yield BlockPiece((text[position : match.start()],), text[position : match.start()])
        form = match.group()
        if form in BLANKS:
            yield BlockPiece((form,), " ", BLANKS[form])
        elif match["name"] is None:
            yield BlockPiece((form,), "", "point")
        else:
            yield BlockPiece((form,), "", "close" if form.startswith("</") else "open", match["name"].lower())
        position = match.end()
    if position < len(text):
        yield BlockPiece((text[position:],), text[position:])


def _seconds(parts: tuple[str, ...]) -> float:
    hours, minutes, seconds, thousandths = map(int, parts)
    return 3600 * hours + 60 * minutes + seconds + thousandths / 1000
