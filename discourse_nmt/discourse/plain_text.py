"""Plain text: its characters are checked, and its blocks found.

Blocks are paragraphs, items of lists, headings, quotations and cells of tables, without their marks.

A mark stands at the beginning of a line: a bullet, a box, the number or letter of an item, ``#`` of a heading, ``>`` of
a quotation, ``|`` of a row of a table. It belongs to no sentence. Tabs and wide gaps within a line part the cells of a
row, too, as in a list of options, where a line that begins below the last cell continues it.
"""

import re
import string

from discourse_nmt.base.characters import has_text, tell_controls, without_controls

Span = tuple[int, int]

SEPARATORS = "\u2028\u2029"
"""Unicode's ends of lines and paragraphs: their author has set them, no program has folded a paragraph there."""
LINE = re.compile(rf"[^\n{SEPARATORS}]+")
SPACE = r"(?:[^\S\n]++|$)"
QUOTATION = rf">++(?:{SPACE}|(?=[^\W\d]))"
HEADING = rf"#{{1,6}}+{SPACE}"
SYMBOL_FONT_BULLETS = "\uf0a7\uf0b7\uf0d8\uf0fc"  # in text copied from word processors
BULLET = rf"[-+*•‣⁃∙▪●○◦■□◆◇·–—►▸▶➢➤→⇒✓✔✗✘❖{SYMBOL_FONT_BULLETS}]{SPACE}"
BOX = rf"(?:\[[ xX]\]|[☐☑☒]){SPACE}"
LETTER = rf"(?:\((?:[a-zA-Z]|[ivxIVX]{{1,4}}|\d{{1,3}})\)|[a-zA-Z]\)|\d{{1,3}}\.?\)){SPACE}"
CIRCLED = rf"[\u2460-\u2473]{SPACE}?"
CHINESE = r"[(（][一二三四五六七八九十]{1,3}[)）]|(?:\d{1,3}|[一二三四五六七八九十]{1,3})、"
MARK = re.compile(rf"[^\S\n]*+(?:{QUOTATION}|{HEADING}|{BULLET}|{BOX}|{LETTER}|{CIRCLED}|{CHINESE})")
NUMBER = re.compile(rf"[^\S\n]*+(\d{{1,3}})\.{SPACE}")
# Small, as a large one may be an initial, and not before another abbreviated word, as in "z. B.".
ORDERED_LETTER = re.compile(r"[^\S\n]*+(?=([a-z]|[ivx]{2,4})\.)\1\.[^\S\n]++(?=\W*([^\W\d_]))(?!\w+\.)")
LETTERS, ROMAN = string.ascii_lowercase, ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
INSERTION = re.compile(r"[^\S\n]*+[–—][^\S\n]++(?=(\w))")
ONE_LINE = re.compile(rf"[^\S\n>]*+(?:{QUOTATION})*+{HEADING}")
RULE = re.compile(r"[-=_*~+|:\s]*")  # dividing lines, underlines of headings, the line below the head of a table
ROW = re.compile(r"[^\S\n]*\|")
CELL = re.compile(r"(?:\\.|[^|\\\n])+")
# Justified text has narrower gaps, and wide ones between sentences.
GAP = r"[^\S\n]*\t[^\S\n]*|(?<![\s.!?,;])[^\S\n]{{{least},}}"
GAPS, GAPS_OF_OPTIONS = (re.compile(GAP.format(least=least)) for least in (3, 2))
OPTION = re.compile(r"--?[^\W\d]")
FINISHED = re.compile(r"[.!?:;…。！？：；][\"'”’»)\]]*\s*$")


def check_text(text: str, name: str) -> str:
    """``text`` without byte order mark and with blanks for control characters, of which a warning tells.

    Lines end with ``\\n``, in the text with ``\\r\\n``, too, or with ``\\r`` where there are no others.

    Raises :class:`InputError`, naming the line, for a NUL character, which no text has.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    text = text.replace("\r", " " if "\n" in text else "\n")  # as in a corpus
    cleaned, count = without_controls(text, name, nul="NUL character")
    tell_controls(name, count)
    return cleaned


def blocks_of(text: str, by_line: bool = False) -> list[Span]:
    """The characters of each block with text, in order: between them lie space and marks alone.

    A line without a mark continues the block before it, unless each line is a block (``by_line``). A heading and each
    cell of a row is a block of its own.
    """
    reader = _BlockReader(text, by_line)
    for line in LINE.finditer(text):
        if has_text(line[0]):
            reader.read(line)
    return reader.blocks


class _BlockReader:
    """The blocks of the lines read so far, and what the next line may continue."""

    def __init__(self, text: str, by_line: bool) -> None:
        self.text, self.by_line = text, by_line
        self.blocks: list[Span] = []
        self.end = 0
        self.number = 0  # of the last item
        self.letter = self.roman = 0  # places of the last items with a letter and with a Roman number
        self.continued = False  # whether a line without a mark continues the last block
        self.column: int | None = None  # so does a line that begins there
        self.unfinished = False  # whether the line above may be the beginning of a sentence that goes on

    def read(self, line: re.Match[str]) -> None:
        """Read a line with text."""
        between = self.text[self.end : line.start()]
        self.unfinished = self.unfinished and between == "\n"
        self.continued = self.continued and set(SEPARATORS).isdisjoint(between)
        self.column = self.column if between == "\n" else None
        self.end = line.end()
        if RULE.fullmatch(line[0]) or ROW.match(line[0]):
            self.blocks += _cells(self.text, *line.span())
            self.continued = self.unfinished = False
            self.column = None
        else:
            self._read_words(line)

    def _read_words(self, line: re.Match[str]) -> None:
        mark = self._mark(line[0])
        start, end = _without_space(self.text, line.start() + mark, line.end())
        cells = _columns(self.text, start, end)
        below = not mark and start - line.start() == self.column
        if len(cells) == 1 and (self.continued or below) and not mark and not self.by_line:
            self.blocks[-1] = (self.blocks[-1][0], end)
        else:
            self.blocks += cells
        if len(cells) > 1 and "\t" not in line[0]:
            self.column = cells[-1][0] - line.start()
        elif not below:
            self.column = None
        self.continued = len(cells) == 1 and not below and not ONE_LINE.match(line[0])
        self.unfinished = not mark and len(cells) < 2 and not FINISHED.search(line[0])

    def _mark(self, line: str) -> int:
        """The end of the marks at the beginning of a line; a number or dash may belong to a sentence that goes on."""
        end = 0
        while True:
            inserted = self.unfinished and (dash := INSERTION.match(line, end)) and dash[1].islower()
            if not inserted and (match := MARK.match(line, end)):
                end = match.end()
            elif (match := NUMBER.match(line, end)) and (not self.unfinished or int(match[1]) in (1, self.number + 1)):
                end, self.number = match.end(), int(match[1])
            elif (match := ORDERED_LETTER.match(line, end)) and match[2].isupper() and self._ordered(match[1]):
                end = match.end()
            else:
                return end

    def _ordered(self, name: str) -> bool:
        """Whether the letter or the Roman number of an item is the first or the next one; then it is the last item."""
        letter = LETTERS.find(name) + 1 if len(name) == 1 else 0
        roman = ROMAN.index(name) + 1 if name in ROMAN else 0
        is_letter, is_roman = letter in (1, self.letter + 1), roman in (1, self.roman + 1)
        self.letter = letter if is_letter else self.letter
        self.roman = roman if is_roman else self.roman
        return is_letter or is_roman


def _cells(text: str, start: int, end: int) -> list[Span]:
    """The cells with text of a row of a table; none for a line that divides rows."""
    if RULE.fullmatch(text, start, end):
        return []
    return [_without_space(text, *cell.span()) for cell in CELL.finditer(text, start, end) if has_text(cell[0])]


def _columns(text: str, start: int, end: int) -> list[Span]:
    """The cells with text of a line, between tabs and wide gaps."""
    gaps = (GAPS_OF_OPTIONS if OPTION.match(text, start) else GAPS).finditer(text, start, end)
    edges = [start, *(edge for gap in gaps for edge in gap.span()), end]
    return [_without_space(text, *cell) for cell in zip(edges[::2], edges[1::2]) if has_text(text[slice(*cell)])]


def _without_space(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())
