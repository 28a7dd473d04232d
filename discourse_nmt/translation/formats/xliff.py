"""XLIFF 1.2, 2.0 and later 2.x: units without a target get one, everything else stays.

A parser of XML checks the file and tells where elements stand; the targets are written into its text.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from xml.parsers import expat

import numpy as np

from discourse_nmt.base.errors import InputError
from discourse_nmt.translation.formats.blocks import BlockPiece, FormattedText, Kind, TextBlock, block_of
from discourse_nmt.translation.formats.inline import escaped, text_pieces, with_fixed

REMEDY = "correct it; xmllint names the place"
TAG = re.compile(
    r"""(?P<before><(?P<closing>/?)(?P<name>[^\s/>]+)(?P<attributes>(?:"[^"]*"|'[^']*'|[^>"'])*?))(?P<empty>/?)>"""
)
TOKEN = re.compile(rf"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[(?P<data>.*?)\]\]>|{TAG.pattern}", re.DOTALL | re.VERBOSE)
ATTRIBUTE = re.compile(r"""(?:^|\s)(?P<name>[\w:.-]+)\s*=\s*(?:"(?P<value>[^"]*)"|'(?P<other>[^']*)')""")
AROUND = frozenset({"g", "mrk", "pc"})
CODES = frozenset({"bpt", "ept", "ph", "it"})
"""Elements whose content is code of the original format."""
KEPT = re.compile(r"""\smtype\s*=\s*["']protected["']|\stranslate\s*=\s*["']no["']""")
"""What tells that the text of a ``mrk`` stays."""
DATA = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)


@dataclass
class _Unit:
    """Where the elements of a unit stand: characters of the file."""

    kept: bool
    blanks: bool  # whether blanks are as they are, and not one for any number of them
    source: tuple[int, int] | None = None  # of the whole element
    target: tuple[int, int] | None = None
    segmented: tuple[int, int] | None = None


@dataclass
class _Parsed:
    """The units of a file, and the tags that should tell the language of the targets."""

    units: list[_Unit] = field(default_factory=list)
    tags: list[tuple[int, str]] = field(default_factory=list)
    """Places of tags without the attribute, and its name."""


def read_xliff(text: str, name: str = "", language: str = "") -> FormattedText:
    """The units without a target; ``language`` is that of the targets, where the file does not say it.

    Raises :class:`InputError`, naming the line, for broken XML and for what is no XLIFF.
    """
    parsed = _parse(text, name)
    places: list[tuple[int, int, TextBlock | str]] = []
    for unit in parsed.units:
        if not unit.kept and unit.source is not None and (found := _place(text, unit)) is not None:
            places.append(found)
    if places:
        for start, attribute in parsed.tags:
            place = start + len(_tag(text, start).group("before").rstrip())
            places.append((place, place, f' {attribute}="{language}"'))
    parts: list[str | TextBlock] = []
    position = 0
    for start, end, part in sorted(places, key=lambda place: place[0]):
        parts += [text[position:start], part]
        position = end
    return FormattedText((*parts, text[position:]))


def _tag(text: str, start: int) -> re.Match[str]:
    tag = TAG.match(text, start)
    assert tag is not None, "the parser has read a tag here"
    return tag


def _parse(text: str, name: str) -> _Parsed:
    """Where the units of a file are."""
    data = text.encode()
    # The number of the character to which each byte belongs, as the parser counts bytes.
    characters = np.append(np.cumsum((np.frombuffer(data, np.uint8) & 0xC0) != 0x80) - 1, len(text))
    parsed = _Parsed()
    opened: list[tuple[str, int, bool, bool]] = []  # name, start, whether its text is kept, and its blanks
    parser = expat.ParserCreate("utf-8")

    def refuse(message: str, remedy: str) -> InputError:
        return InputError(message, file=name, line=parser.CurrentLineNumber, remedy=remedy)

    def start(full: str, attributes: dict[str, str]) -> None:
        local, place = full.rpartition(":")[2], int(characters[parser.CurrentByteIndex])
        kept, blanks = opened[-1][2:] if opened else (False, False)
        if "xml:space" in attributes:
            blanks = attributes["xml:space"] == "preserve"
        if not opened:
            version = attributes.get("version", "")
            if local != "xliff" or version.split(".")[0] not in ("1", "2"):
                given = f"its first element is {full} {version}".rstrip()
                raise refuse(f"not XLIFF 1.2 or 2: {given}", "give another --format")
            if version.startswith("2") and "trgLang" not in attributes:
                parsed.tags.append((place, "trgLang"))
        elif local == "file" and "original" in attributes and not {"target-language", "id"} & attributes.keys():
            parsed.tags.append((place, "target-language"))
        if "translate" in attributes and local not in AROUND:
            kept = attributes["translate"] == "no"
        if local in ("trans-unit", "segment", "ignorable"):
            parsed.units.append(_Unit(kept or local == "ignorable", blanks))
        opened.append((local, place, kept, blanks))

    def end(full: str) -> None:
        local, begin, _, blanks = opened.pop()
        kind = {"source": "source", "target": "target", "seg-source": "segmented"}.get(local)
        if kind and opened and opened[-1][0] in ("trans-unit", "segment"):
            tag, place = _tag(text, begin), int(characters[parser.CurrentByteIndex])
            stop = tag.end() if tag["empty"] else text.index(">", place) + 1
            setattr(parsed.units[-1], kind, (begin, stop))
            parsed.units[-1].blanks |= blanks

    def entity(*_: object) -> None:
        raise refuse("it declares entities", "write the characters themselves")

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = start, end, entity
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(
            f"broken XML ({expat.ErrorString(error.code)})", file=name, line=error.lineno, remedy=REMEDY
        ) from None
    return parsed


def _place(text: str, unit: _Unit) -> tuple[int, int, TextBlock] | None:
    """The characters that the target of a unit takes, and the block of its source; None where it has or needs none."""
    assert unit.source is not None
    begin, end = unit.segmented or unit.source
    opening = _tag(text, begin)
    if opening["empty"]:
        return None
    content = text[opening.end() : text.rindex("</", begin, end)]
    if unit.target is None:
        first = unit.source[0]
        before = text[text.rfind(">", 0, first) + 1 : first]
        before = before if not before.strip() else ""
        place = max(unit.source[1], unit.segmented[1] if unit.segmented else 0)
        prefix = opening["name"].rpartition(":")[0]
        filled = partial(_element, before, f"{prefix}:target" if prefix else "target", "")
        taken = place, place
    else:
        taken = unit.target
        target = _tag(text, taken[0])
        if not target["empty"] and _read(text[target.end() : text.rindex("</", *taken)]):
            return None
        filled = partial(_element, "", target["name"], target["attributes"].rstrip())
    return *taken, _block(content, unit.blanks, filled, text[slice(*taken)])


def _element(before: str, name: str, attributes: str, content: str) -> str:
    return f"{before}<{name}{attributes}>{content}</{name}>"


def _block(content: str, kept_space: bool, filled: "partial[str]", empty: str) -> TextBlock:
    if (data := DATA.fullmatch(content)) and "]]>" not in data[1]:
        around = partial(_in_section, content[: data.start(1)], content[data.end(1) :], filled)
        pieces = [BlockPiece((data[1],), data[1])]
        return block_of(list(with_fixed(pieces)), filled=around, empty=empty)
    return block_of(list(with_fixed(list(_pieces(content, blanks=not kept_space)))), escaped, filled, empty)


def _in_section(before: str, after: str, filled: "partial[str]", content: str) -> str:
    return filled(before + content.replace("]]>", "]] >") + after)


def _read(content: str) -> str:
    """The text between tags."""
    return TOKEN.sub(lambda token: token["data"] or "", content).strip()


def _pieces(content: str, blanks: bool) -> Iterator[BlockPiece]:
    position = 0
    while (token := TOKEN.search(content, position)) is not None:
        yield from text_pieces(content[position : token.start()], blanks=blanks)
        position = token.end()
        if token["data"] is not None:
            yield BlockPiece((token.group(),), token["data"], "fixed" if token["data"] else "point")
        elif token["name"] is None:
            yield BlockPiece((token.group(),), "", "point")
        else:
            local = token["name"].rpartition(":")[2]
            kept = local == "mrk" and KEPT.search(token["attributes"]) is not None
            if (kept or local in CODES) and not token["empty"] and not token["closing"]:
                closing = content.find(f"</{token['name']}", position)
                position = content.index(">", closing) + 1
            form = content[token.start() : position]
            if kept and (words := html.unescape(_read(form))):
                yield BlockPiece((form,), words, "fixed")
            else:
                yield _tag_piece(form, local, token)
    yield from text_pieces(content[position:], blanks=blanks)


def _tag_piece(form: str, local: str, tag: "re.Match[str]") -> BlockPiece:
    """A tag, or a code with its content: pairs of codes have one number."""
    given = {found["name"]: found["value"] or found["other"] or "" for found in ATTRIBUTE.finditer(tag["attributes"])}
    kind: Kind = "point"
    name = local
    if local in AROUND and not tag["empty"]:
        kind = "close" if tag["closing"] else "open"
    elif local in ("bpt", "bx"):
        kind, name = "open", given.get("rid") or given.get("id", "")
    elif local in ("ept", "ex"):
        kind, name = "close", given.get("rid") or given.get("id", "")
    elif local in ("sc", "sm"):
        kind, name = "open", given.get("id", "")
    elif local in ("ec", "em"):
        kind, name = "close", given.get("startRef", "")
    return BlockPiece((form,), "", kind, name)
