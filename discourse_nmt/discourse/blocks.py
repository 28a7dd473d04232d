"""Blocks of plain text: paragraphs, items of lists, headings, quotations and cells of tables, without their marks.

A mark stands at the beginning of a line: a bullet, the number or letter of an item, ``#`` of a heading, ``>`` of a
quotation, ``|`` of a row of a table. It belongs to no sentence.
"""

import re

from discourse_nmt.base.characters import has_text

Span = tuple[int, int]

LINE = re.compile(r"[^\n]+")
SPACE = r"(?:[^\S\n]++|$)"
QUOTATION = rf">++(?:{SPACE}|(?=[^\W\d]))"
HEADING = rf"#{{1,6}}+{SPACE}"
BULLET = rf"[-+*•‣▪●○◦■□·–—]{SPACE}(?:\[[ xX]\]{SPACE})?"
LETTER = rf"(?:\((?:[a-zA-Z]|[ivxIVX]{{1,4}}|\d{{1,3}})\)|[a-zA-Z]\)|\d{{1,3}}\.?\)){SPACE}"
CHINESE = r"[(（][一二三四五六七八九十]{1,3}[)）]|(?:\d{1,3}|[一二三四五六七八九十]{1,3})、"
MARK = re.compile(rf"[^\S\n]*+(?:{QUOTATION}|{HEADING}|{BULLET}|{LETTER}|{CHINESE})")
NUMBER = re.compile(rf"[^\S\n]*+(\d{{1,3}})\.{SPACE}")
INSERTION = re.compile(r"[^\S\n]*+[–—][^\S\n]++(?=(\w))")
ONE_LINE = re.compile(rf"[^\S\n>]*+(?:{QUOTATION})*+{HEADING}")
RULE = re.compile(r"[-=_*~+|:\s]*")  # dividing lines, underlines of headings, the line below the head of a table
ROW = re.compile(r"[^\S\n]*\|")
CELL = re.compile(r"(?:\\.|[^|\\\n])+")
FINISHED = re.compile(r"[.!?:;…。！？：；][\"'”’»)\]]*\s*$")


def blocks_of(text: str, by_line: bool = False) -> list[Span]:
    """The characters of each block with text, in order: between them lie space and marks alone.

    A line without a mark continues the block before it, unless each line is a block (``by_line``). A heading and each
    cell of a row is a block of its own.
    """
    blocks: list[Span] = []
    number, end_above = 0, 0
    continued = False  # whether a line without a mark continues the last block
    unfinished = False  # whether the line above may be the beginning of a sentence that goes on
    for match in LINE.finditer(text):
        line, start = match.group(), match.start()
        if not has_text(line):
            continue
        unfinished = unfinished and text.count("\n", end_above, start) == 1
        end_above = match.end()
        if RULE.fullmatch(line) or ROW.match(line):
            blocks += _cells(text, start, match.end()) if ROW.match(line) else []
            continued = unfinished = False
            continue
        mark, number = _mark(line, unfinished, number)
        filled = has_text(line[mark:])
        if filled and continued and not mark and not by_line:
            blocks[-1] = (blocks[-1][0], _without_space(text, start, match.end())[1])
        elif filled:
            blocks.append(_without_space(text, start + mark, match.end()))
        continued = filled and not ONE_LINE.match(line)
        unfinished = not mark and not FINISHED.search(line)
    return blocks


def _cells(text: str, start: int, end: int) -> list[Span]:
    """The cells with text of a row of a table; none for a line that divides rows."""
    if RULE.fullmatch(text, start, end):
        return []
    return [_without_space(text, *cell.span()) for cell in CELL.finditer(text, start, end) if has_text(cell[0])]


def _mark(line: str, unfinished: bool, number: int) -> tuple[int, int]:
    """The end of the marks at the beginning of a line, and the number of the last item.

    A number is one of an item unless it may belong to a sentence that began above, as may a dash.
    """
    end = 0
    while True:
        inserted = unfinished and (dash := INSERTION.match(line, end)) and dash[1].islower()
        if not inserted and (match := MARK.match(line, end)):
            end = match.end()
        elif (match := NUMBER.match(line, end)) and (not unfinished or int(match[1]) in (1, number + 1)):
            end, number = match.end(), int(match[1])
        else:
            return end, number


def _without_space(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())
