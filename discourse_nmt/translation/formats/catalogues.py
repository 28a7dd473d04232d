"""Catalogues of gettext (``.po``): messages without a translation get one, everything else stays.

polib reads and checks the file; the translation is written into its lines. Fuzzy messages and those with a translation
stay as they are; so do obsolete ones and the header.
"""

import re
import textwrap
from collections.abc import Iterator
from functools import partial

import polib

from discourse_nmt.base.errors import InputError
from discourse_nmt.translation.formats.blocks import BlockPiece, FormattedText, TextBlock, block_of
from discourse_nmt.translation.formats.inline import REFERENCE, TAG, escaped, tagged_pieces, with_fixed

LINE = re.compile(r'[^\r\n"]*"(?:[^"\\\r\n]|\\.)*"\s*|\s*#.*|\s*')
TRANSLATION = re.compile(
    r'^(?P<key>[ \t]*msgstr(?:\[(?P<number>\d+)\])?[ \t]*)(?P<empty>""(?:[ \t]*\r?\n[ \t]*"")*)(?=[ \t]*\r?$)'
    r'(?![ \t]*\r?\n[ \t]*")',
    re.MULTILINE,
)
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
        catalogue = polib.pofile(plain + "\n\n", encoding="utf-8")
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
        wrapped = re.search(r'^[ \t]*msgid[ \t]*""[ \t]*\r?\n[ \t]*"', text[first:end], re.M) is not None
        line_end = "\r\n" if "\r\n" in text[first:end] else "\n"
        for match in TRANSLATION.finditer(text, first, end):
            yield text[position : match.start("empty")]
            position = match.end("empty")
            plural = entry.msgid_plural and (single_form or match["number"] != "0")
            filled = partial(_quoted, wrapped=wrapped, line_end=line_end)
            yield message_block(entry.msgid_plural if plural else entry.msgid, filled, match["empty"])
    yield text[position:]


def message_block(message: str, filled: "partial[str]", empty: str) -> TextBlock:
    """The block of a message of a program or manual, with its placeholders, tags and accelerator."""
    if TAG.search(message) or REFERENCE.search(message):
        return block_of(list(with_fixed(list(tagged_pieces(message)))), escaped, filled, empty)
    pieces = [BlockPiece((message,), message)]
    signs = list(ACCELERATOR.finditer(message))
    if len(signs) == 1 and len(re.findall("[_&]", message)) == 1:
        start, end = signs[0].span()
        pieces = [
            BlockPiece((message[:start],), message[:start]),
            BlockPiece((message[start:end],), "", "point"),
            BlockPiece((message[end:],), message[end:]),
        ]
    return block_of(list(with_fixed(pieces)), filled=filled, empty=empty)


def _quoted(text: str, wrapped: bool, line_end: str) -> str:
    """The text as strings of a catalogue: a line for each of its lines, folded where the source is."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
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
    strings = [f'"{polib.escape(line)}"' for line in lines]
    return strings[0] if len(strings) == 1 else line_end.join(['""', *strings])


def _folded(line: str, fold: textwrap.TextWrapper) -> list[str]:
    """A line in parts; a space at its end stays at the end of a part."""
    parts = fold.wrap(line.removesuffix("\n")) or [""]
    for index in range(1, len(parts)):
        blanks = len(parts[index]) - len(parts[index].lstrip(" "))
        parts[index - 1] += parts[index][:blanks]
        parts[index] = parts[index][blanks:]
    if line.endswith("\n"):
        parts[-1] += "\n"
    return [part for part in parts if part]
