"""Catalogues of gettext (``.po``): messages without a translation get one, everything else stays.

polib checks the file and tells the messages; their text is read from its lines, and the translation written into them.
Fuzzy messages and those with a translation stay as they are; so do obsolete ones and the header.

A message keeps its lines, as a program shows them: no sentence goes on after a colon, an empty line, or before a line
that begins with a blank or a bullet, in which two blanks are the gap of a column. Other lines may be a paragraph folded
by hand, whose sentences are found as in plain text.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

import polib
import regex

from discourse_nmt.base.errors import InputError
from discourse_nmt.translation.formats.blocks import BlockPiece, FormattedText, TextBlock, block_of
from discourse_nmt.translation.formats.inline import FIXED, REFERENCE, TAG, escaped, tagged_pieces, with_fixed

LINE = re.compile(r'[^\r\n"]*"(?:[^"\\\r\n]|\\.)*"\s*|\s*#.*|\s*')
SEPARATORS = "\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"
"""What ends lines for Python, but not in a catalogue."""
SPACE = r"[^\S\n]*"
STRING = r'"((?:[^"\\\n]|\\.)*)"'
MESSAGE = re.compile(rf"^\ufeff?{SPACE}(msgid(?:_plural)?){SPACE}((?:{STRING}\s*)+)", re.MULTILINE)
TRANSLATION = re.compile(
    rf'^(?P<key>{SPACE}msgstr(?:\[(?P<number>\d+)\])?{SPACE})(?P<empty>""(?:{SPACE}\n{SPACE}"")*)(?={SPACE}$)'
    rf'(?!{SPACE}\n{SPACE}")',
    re.MULTILINE,
)
LETTER = re.compile(r"\\r\\n|\\(?:033|x1[bB])\[[\d;]*[a-zA-Z]|\\x[0-9a-fA-F]+|\\[0-7]{1,3}|\\.|[^\\]")
"""A character as it is written in a string; some are several: a line end of Windows, an order to a terminal."""
READ = {r"\n": "\n", r"\r\n": "\n", r"\t": "\t", r"\"": '"', r"\\": "\\"}
"""Escapes that are read as characters."""
BREAKS = frozenset({r"\f", r"\v", *SEPARATORS})
"""What is read as a blank, and takes the place of one."""
LINES = re.compile(r"(?:[^\\]|\\[^n])+(?:\\n)?|\\n")
UNREAD = "\0"
"""What no message has; it becomes a blank."""
KEPT_END = re.compile(r"(?<=[:\n])\n|\n(?=[\s•*+#>|-])")
"""The end of a line over which no sentence goes."""
GAP = regex.compile(r"(?<=^[ \t•*+-].*[^\s.!?,;]) {2,}(?=\S)", regex.MULTILINE)
"""What parts columns: it is read as tabs."""
FORMS = re.compile(r"nplurals\s*=\s*(\d+)")
ACCELERATOR = re.compile(r"(?<![\w_])_(?=[^\W_])|(?<![\w&])&(?=\w)|(?<=[A-Z])_(?=[a-z])|(?<=[a-z])&(?=[a-z])")
UNTRANSLATED = frozenset({"translator-credits", "translator_credits"})
WIDTH = 77


def read_catalogue(text: str, name: str = "") -> FormattedText:
    """The messages without a translation; :class:`InputError`, naming the line, for what is no catalogue."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    for number, line in enumerate(plain.split("\n"), start=1):
        if not LINE.fullmatch(line):
            raise InputError("not a line of a catalogue", file=name, line=number, remedy="correct it, msgfmt -c helps")
    try:
        catalogue = polib.pofile(re.sub(f"[{SEPARATORS}]", " ", plain) + "\n\n", encoding="utf-8")
    except OSError as error:
        place = re.search(r"\(line ([0-9]+)\)", str(error))
        raise InputError(
            "not a catalogue of gettext",
            file=name,
            line=int(place[1]) if place else None,
            remedy="correct this entry, msgfmt -c helps",
        ) from None
    forms = FORMS.search(catalogue.metadata.get("Plural-Forms", ""))
    return FormattedText(tuple(_parts(text, list(catalogue), single_form=forms is not None and forms[1] == "1")))


def _parts(text: str, entries: list[polib.POEntry], single_form: bool) -> Iterator[str | TextBlock]:
    starts = [0, 0, *(match.end() for match in re.finditer("\n", text))]  # of lines, which are counted from 1
    firsts = [starts[entry.linenum or 0] for entry in entries] + [len(text)]
    position = 0
    for entry, first, end in zip(entries, firsts, firsts[1:]):
        if entry.obsolete or entry.fuzzy or not entry.msgid or entry.msgid in UNTRANSLATED:
            continue
        messages = {match[1]: match[2] for match in MESSAGE.finditer(text, first, end)}
        wrapped = re.match(rf'""{SPACE}\n{SPACE}"', messages["msgid"]) is not None
        line_end = "\r\n" if "\r\n" in text[first:end] else "\n"
        for match in TRANSLATION.finditer(text, first, end):
            yield text[position : match.start("empty")]
            position = match.end("empty")
            plural = entry.msgid_plural and (single_form or match["number"] != "0")
            filled = partial(_quoted, wrapped=wrapped, line_end=line_end)
            strings = re.findall(STRING, messages["msgid_plural" if plural else "msgid"])
            yield message_block("".join(strings), filled, match["empty"])
    yield text[position:]


def message_block(message: str, filled: "partial[str]", empty: str) -> TextBlock:
    """The block of a message, as its strings hold it, of a program or manual: with placeholders, tags, accelerator."""
    forms = LETTER.findall(message)
    text = "".join(READ.get(form, form if len(form) == 1 and form not in BREAKS else UNREAD) for form in forms)
    text = GAP.sub(lambda gap: "\t" * len(gap.group()), text).replace(UNREAD, " ")
    tagged = TAG.search(text) is not None or REFERENCE.search(text) is not None
    pieces = tagged_pieces(text) if tagged else _accelerated(text)

    def write(translation: str, source: str) -> str:
        return polib.escape(escaped(translation, source) if tagged else translation)

    return block_of(list(_in_strings(with_fixed(pieces), text, forms)), write, filled, empty)


def _accelerated(text: str) -> Iterator[BlockPiece]:
    """The pieces of a text without tags: the sign of its accelerator, if it has one, is not read."""
    shown = FIXED.sub(lambda fixed: "x" * len(fixed.group()), text)
    signs = list(ACCELERATOR.finditer(shown)) if len(re.findall("[_&]", shown)) == 1 else []
    position = 0
    for sign in signs:
        yield BlockPiece((text[: sign.start()],), text[: sign.start()])
        yield BlockPiece((sign.group(),), "", "point")
        position = sign.end()
    yield BlockPiece((text[position:],), text[position:])


def _in_strings(pieces: Iterable[BlockPiece], text: str, forms: Sequence[str]) -> Iterator[BlockPiece]:
    """The pieces of a message, with the ``forms`` that its letters have in the file."""
    kept = {match.start() for match in KEPT_END.finditer(text)}
    end = 0
    for piece in pieces:
        start, end = end, end + len(piece.source)
        if piece.kind != "text" or piece.source != piece.text:
            yield replace(piece, form=("".join(forms[start:end]),))
            continue
        for plain, group in groupby(range(start, end), lambda index: forms[index] == text[index]):
            places = list(group)
            if plain:
                letters = text[places[0] : places[-1] + 1]
                yield BlockPiece((letters,), letters)
            else:
                yield from (_escape(forms[place], text[place], place in kept) for place in places)


def _escape(form: str, letter: str, kept: bool) -> BlockPiece:
    """A letter that is not read as it is written; bytes and controls, such as ``\\x1b`` and ``\\a``, are not read."""
    if form in READ or letter == "\t":
        return BlockPiece((form,), letter, "line" if kept else "text")
    return BlockPiece((form,), " ", "break") if form in BREAKS else BlockPiece((form,), "", "point")


def _quoted(form: str, wrapped: bool, line_end: str) -> str:
    """The form of a text as strings of a catalogue: one for each of its lines, folded where the source is."""
    lines = LINES.findall(form)
    if wrapped:
        fold = textwrap.TextWrapper(
            WIDTH,
            drop_whitespace=False,
            replace_whitespace=False,
            expand_tabs=False,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines = [part for line in lines for part in _folded(line, fold)]
    strings = [f'"{line}"' for line in lines]
    return strings[0] if len(strings) == 1 else line_end.join(['""', *strings])


def _folded(line: str, fold: textwrap.TextWrapper) -> list[str]:
    """A line in parts; a space at its end stays at the end of a part."""
    parts = fold.wrap(line)
    for index in range(1, len(parts)):
        blanks = len(parts[index]) - len(parts[index].lstrip(" "))
        parts[index - 1] += parts[index][:blanks]
        parts[index] = parts[index][blanks:]
    return [part for part in parts if part]
