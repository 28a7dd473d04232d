"""Texts of scripts in the Wesnoth Markup Language (https://wiki.wesnoth.org/SyntaxWML): who says what, in file order.

``[message]`` has ``message``, ``[part]`` of a ``[story]`` has ``story``: strings joined by ``+``, of which those after
``_`` are translated, with the catalogue that ``#textdomain`` names. A macro may be given such a text,
``{TELL (_ "Hello")}``; its definition tells which of its arguments are texts. Macros are not expanded otherwise: what a
definition says stands where it is defined. All branches of ``[if]`` and ``#ifdef`` are read.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source

TEXTS = {"message": ("message",), "story": ("part", "then", "else")}
"""The tags in which a key is a text. In a macro's definition the tag may be that around the call."""
SPEAKERS = ("speaker", "id", "role")
"""The keys of a message that tell who speaks, the first one first."""
WHOEVER = ("unit", "second_unit")
"""Speakers that are whoever takes part in the event: another one each time."""
CAPTION = "CAPTION"
"""The macro that tells it at the beginning of a part of a story."""
SCENES = ("event", "story")
DOMAIN = "wesnoth"
"""The catalogue of files that name none."""
TOKEN = re.compile(
    r"""\#textdomain[ \t]+(?P<domain>\S+)
    | \#define[ \t]+(?P<definition>[^\s\#]+)(?P<parameters>[^\n\#]*)
    | (?P<enddef>\#enddef)
    | (?P<comment>\#[^\n]*)
    | (?P<mark>(?<!\w)_\s*)?"(?P<string>(?:[^"]++|"")*+)(?P<closed>")?
    | (?P<raw><<(?:[^>]++|>(?!>))*+(?P<raw_closed>>>)?)
    | (?<!\w)\[(?P<tag>[/+]?[a-z_]+)\]
    | \{(?P<macro>[^\s{}()"]*)
    | (?P<close>\})
    | (?P<key>(?<![^\s(])[a-z_]\w*)[ \t]*=
    | (?P<blank>\n|[^\S\n]+)
    | (?P<word>[^\s"{}()\[\]\#<+=]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class WmlString:
    """A string of a text; ``domain`` names the catalogue with its translation and is empty where it has none."""

    text: str
    domain: str


@dataclass(slots=True, eq=False)
class Tag:
    """An element, and what its keys tell about the speaker."""

    name: str
    line: int
    speakers: dict[str, str] = field(default_factory=dict)

    @property
    def speaker(self) -> str | None:
        """Who speaks, as the script names it."""
        name = next((self.speakers[key] for key in (CAPTION, *SPEAKERS) if self.speakers.get(key)), None)
        return None if name in WHOEVER else name


Argument = tuple[str, int]
"""The name of a macro and the number of an argument, from 0."""
Templates = dict[Argument, Tag | None]
"""Arguments that are texts: the tag that the macro's definition puts them into, or None for that around the call."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """What is said at once: its 1-based line, its strings, the tag that tells the speaker, and the event, story or
    definition of a macro that is the scene. ``argument`` is there for what is said only if a macro makes it a text.
    """

    line: int
    pieces: list[WmlString]
    tag: Tag
    scene: object
    argument: Argument | None = None


def read_script(source: Source) -> tuple[list[Utterance], Templates]:
    """The utterances of a script in file order, and what its definitions make of the arguments of macros.

    Raises :class:`InputError` naming the line at fault.
    """
    script = _Script(source)
    script.read()
    return script.found, script.templates


def said(utterances: Iterable[Utterance], templates: Templates) -> Iterator[Utterance]:
    """The utterances without the arguments of macros that are no texts by the ``templates``."""
    for utterance in utterances:
        if utterance.argument is None:
            yield utterance
        elif utterance.argument in templates:
            yield replace(utterance, tag=templates[utterance.argument] or utterance.tag)


@dataclass(slots=True, eq=False)
class _Value:
    """The value of a key; ``depth`` counts the macro calls around it, ``goes_on`` tells that a plus came last."""

    key: str
    line: int
    depth: int
    pieces: list[WmlString] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    goes_on: bool = False


@dataclass(slots=True, eq=False)
class _Call:
    """A macro in braces in the value ``value``, and the argument that is read: its number and its strings."""

    name: str
    line: int
    value: _Value | None
    argument: int = -1
    inside: bool = False
    brackets: int = 0
    pieces: list[WmlString] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Definition:
    """A macro's definition, and the tags around it."""

    name: str
    parameters: dict[str, int]
    line: int
    around: list[Tag]


class _Script:
    """One script while it is read."""

    def __init__(self, source: Source) -> None:
        self.found: list[Utterance] = []
        self.templates: Templates = {}
        self._source, self._line, self._domain = source, 1, DOMAIN
        self._tags: list[Tag] = []
        self._scenes: list[object] = [self]
        self._calls: list[_Call] = []
        self._value: _Value | None = None
        self._definition: _Definition | None = None

    def read(self) -> None:
        """Find the utterances and the templates."""
        for token in TOKEN.finditer(self._source.text()):
            self._take(token)
            self._line += token.group().count("\n")
        self._end_value()
        if self._calls:
            raise self._fault(f"{{{self._calls[-1].name} is not closed", self._calls[-1].line)
        if self._tags and not self._definition:
            raise self._fault(f"[{self._tags[-1].name}] is not closed", self._tags[-1].line)
        if self._definition:
            raise self._fault(f"#define {self._definition.name} has no #enddef", self._definition.line)

    def _fault(self, message: str, line: int) -> InputError:
        return InputError(message, file=self._source.name, line=line, remedy="correct the script")

    def _take(self, token: re.Match[str]) -> None:
        match token.lastgroup:
            case "domain":
                self._domain = token["domain"]
            case "parameters":
                self._define(token["definition"], token["parameters"].split())
            case "enddef":
                self._end_definition()
            case "comment":
                pass
            case "blank":
                self._blank(token.group())
            case "macro":
                self._begin_argument()
                self._calls.append(_Call(token["macro"], self._line, self._value))
                if token["macro"] == CAPTION:
                    self._value = None
            case "close":
                self._end_call()
            case "closed" | "string":
                if not token["closed"]:
                    raise self._fault('the string has no closing "', self._line)
                self._string(token["string"].replace('""', '"'), bool(token["mark"]))
            case "raw" if not token["raw_closed"]:
                raise self._fault("<< has no closing >>", self._line)
            case "tag" if not self._in_value():
                self._tag(token["tag"])
            case "key" if not self._in_value():
                self._begin_argument()
                self._value = _Value(token["key"], self._line, len(self._calls))
            case _:
                self._word(token.group())

    def _in_value(self) -> bool:
        """Whether a value is read that began with this call, or outside of any."""
        return self._value is not None and self._value.depth == len(self._calls)

    def _define(self, name: str, parameters: list[str]) -> None:
        if self._definition:
            raise self._fault(f"#define in #define {self._definition.name}", self._line)
        numbers = {parameter: number for number, parameter in enumerate(parameters)}
        self._definition = _Definition(name, numbers, self._line, self._tags)
        self._scenes.append(self._definition)
        self._tags = []

    def _end_definition(self) -> None:
        if self._definition is None:
            raise self._fault("#enddef without #define", self._line)
        self._end_value()
        while self._scenes.pop() is not self._definition:
            pass
        self._tags, self._definition = self._definition.around, None

    def _tag(self, name: str) -> None:
        if not name.startswith("/"):
            self._tags.append(Tag(name.removeprefix("+"), self._line))
            if name in SCENES:
                self._scenes.append(self._tags[-1])
        elif self._tags and self._tags[-1].name == name[1:]:
            if self._tags.pop() is self._scenes[-1]:
                self._scenes.pop()
        elif self._tags or not self._definition:
            inner = f"[{self._tags[-1].name}] of line {self._tags[-1].line}" if self._tags else "no tag"
            raise self._fault(f"[{name}] where {inner} is open", self._line)

    def _begin_argument(self) -> None:
        if self._value is not None:
            self._value.goes_on = False
        if self._calls and not self._calls[-1].inside:
            self._calls[-1].argument += 1
            self._calls[-1].inside = True

    def _blank(self, text: str) -> None:
        if self._calls and not self._calls[-1].brackets:
            self._end_argument()
        elif self._value is not None and self._in_value():
            self._value.words.append(" ")
            if text == "\n" and not self._value.goes_on:
                self._end_value()

    def _string(self, text: str, marked: bool) -> None:
        self._begin_argument()
        piece = WmlString(text, self._domain if marked else "")
        if self._value is not None:
            self._value.pieces.append(piece)
            self._value.words.append(text)
        elif self._calls:
            self._calls[-1].pieces.append(piece)

    def _word(self, text: str) -> None:
        self._begin_argument()
        if self._value is not None and self._in_value():
            self._value.words.append(text)
            self._value.goes_on = text == "+"
        if self._calls and text in "()":
            self._calls[-1].brackets += 1 if text == "(" else -1

    def _end_argument(self) -> None:
        """What is read of an argument is a text if the macro makes it one, or the speaker's name."""
        call = self._calls[-1]
        if self._in_value():
            self._end_value()
        call.inside = False
        if not call.pieces:
            return
        tag = self._tags[-1] if self._tags else Tag("", self._line)
        if call.name == CAPTION:
            tag.speakers[CAPTION] = "".join(piece.text for piece in call.pieces)
        else:
            self._say(call.line, call.pieces, tag, (call.name, call.argument))
        call.pieces = []

    def _end_call(self) -> None:
        if not self._calls:
            raise self._fault("} without {", self._line)
        self._end_argument()
        call = self._calls.pop()
        self._value = call.value
        if self._value is not None:
            self._value.words.append("{}")
            definition = self._definition
            if definition and call.name in definition.parameters and self._is_text(self._value.key):
                number = definition.parameters[call.name]
                self.templates[definition.name, number] = self._tags[-1] if self._tags else None

    def _is_text(self, key: str) -> bool:
        return key in TEXTS and (not self._tags or self._tags[-1].name in TEXTS[key])

    def _end_value(self) -> None:
        value, self._value = self._value, None
        if value is None:
            return
        tag = self._tags[-1] if self._tags else Tag("", self._line)
        if value.key in SPEAKERS and (name := "".join(value.words).strip()) and "{}" not in name:
            tag.speakers[value.key] = name
        elif self._is_text(value.key):
            self._say(value.line, value.pieces, tag)

    def _say(self, line: int, pieces: list[WmlString], tag: Tag, argument: Argument | None = None) -> None:
        if any(piece.domain for piece in pieces):
            self.found.append(Utterance(line, pieces, tag, self._scenes[-1], argument))
