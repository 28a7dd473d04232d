"""Sentence templates: English with marked units, themes and mentions, German with clause fields.

English: ``[NAME form]`` is an entity in a form, ``|`` separates discourse units, and inside a unit ``~`` ends a textual
theme, ``=`` an interpersonal one and ``/`` the topical theme; the rest is rheme. A lower-case slot name (``[k a]``) has
the words of the entity without referring to it. German: see :func:`.clause`; ``{du|Sie}`` depends on politeness.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.demo import german
from discourse_nmt.demo.entities import Entity, Person, Phrase
from discourse_nmt.demo.lexicon import FOLDER, WRITER, Connective, rows

MARKS = {"~": "theme-textual", "=": "theme-interpersonal", "/": "theme-topical"}
WRITER_WORDS = ("I", "me", "my")
ROLES = ("theme-subject", "theme-other", "rheme-subject", "rheme-other")
_TOKEN = re.compile(r"\[[^\]]*\][^\s\[]*|\S+")
_SLOT = re.compile(r"\[(\w)(?: ([^\]]*))?\]")
_ADDRESS = re.compile(r"\{([^|{}]*)\|([^|{}]*)\}")

Bindings = Mapping[str, Entity]


@dataclass(frozen=True)
class Frame:
    """A sentence pair with slots.

    ``use`` is the position in a text for which it is meant. ``roles`` are those of the slots K and L: topical theme or
    rheme, subject or not. ``relation`` joins its discourse units; ``order`` has N or S for each unit.
    """

    use: str
    roles: tuple[str, ...]
    relation: str
    order: str
    english: str
    german: str


@dataclass(frozen=True)
class DemoMention:
    """Characters of a mention and of its head word, and the entity it refers to."""

    identity: str
    start: int
    end: int
    head_start: int
    head_end: int


@dataclass
class Wording:
    """An English sentence with the spans of its units, themes (with label) and mentions."""

    text: str = ""
    units: list[tuple[int, int]] = field(default_factory=list)
    themes: list[tuple[int, int, str]] = field(default_factory=list)
    mentions: list[DemoMention] = field(default_factory=list)


@cache
def load_frames(name: str, folder: Path = FOLDER) -> dict[str, tuple[Frame, ...]]:
    """The frames of one table, by use; raises InputError with the line of an invalid frame."""
    frames: dict[str, list[Frame]] = {}
    for line, row in rows(name, folder):
        relation, _, order = row["clauses"].partition(" ")
        frame = Frame(row["use"], tuple(row["roles"].split()), relation, order, row["english"], row["german"])
        fault = _fault(frame)
        if fault:
            raise InputError(fault, file=folder / name, line=line, remedy="see the README beside it")
        frames.setdefault(frame.use, []).append(frame)
    return {use: tuple(group) for use, group in frames.items()}


def _fault(frame: Frame) -> str:
    units = frame.english.split(" | ")
    if len(units) != max(1, len(frame.order)):
        return f"{len(units)} units, but order {frame.order or 'N'!r}"
    if any(unit.count(" / ") != 1 for unit in units):
        return "not exactly one topical theme in each unit"
    if frame.german.count("^") != 2:
        return "the German clause has not exactly three fields"
    # In German K may be just {du|Sie}; in English it may be elided.
    source, target = ({*_SLOT.findall(text)} for text in (frame.english, frame.german))
    slots = [{name for name, _ in side_slots} - {"K"} for side_slots in (source, target)]
    return "" if slots[0] == slots[1] else "the two languages have different slots"


def _bound(name: str, bindings: Bindings) -> Entity:
    return bindings[name if name in bindings else name.upper()]


def english(frame: Frame, bindings: Bindings, connective: Connective | None = None) -> Wording:
    """The English side, after the ``connective`` (a textual theme) if there is one."""
    wording = Wording()
    words: list[str] = []
    length = 0  # characters so far, with the space before the next word
    theme_start = unit_start = 0

    def close(label: str) -> None:
        nonlocal theme_start
        wording.themes.append((theme_start, length - 1, label))
        theme_start = length

    for token in ([*connective.english.split(), "~"] if connective else []) + _TOKEN.findall(frame.english):
        if token in MARKS:
            close(MARKS[token])
        elif token == "|":
            close("rheme")
            wording.units.append((unit_start, length - 1))
            unit_start = length
        else:
            slot = _SLOT.match(token)
            if slot:
                phrase = _bound(slot[1], bindings).english(slot[2] or "")
                if phrase.head and slot[1].isupper():
                    wording.mentions.append(_placed(_bound(slot[1], bindings).identity, phrase, length))
                token = phrase.text + token[slot.end() :]
            elif token in WRITER_WORDS:
                wording.mentions.append(_placed(WRITER.identity, Phrase(token, (0, len(token))), length))
            words.append(token)
            length += len(token) + 1
    close("rheme")
    wording.units.append((unit_start, length - 1))
    text = " ".join(words)
    wording.text = text[0].upper() + text[1:]
    return wording


def _placed(identity: str, phrase: Phrase, start: int) -> DemoMention:
    assert phrase.head is not None
    return DemoMention(identity, start, start + len(phrase.text), start + phrase.head[0], start + phrase.head[1])


def german_text(frame: Frame, bindings: Bindings, connective: Connective | None = None) -> str:
    """The German side."""
    opening = (connective.german, connective.inverts) if connective else ("", False)
    template = german.clause(frame.german, *opening)
    key = bindings.get("K")
    if isinstance(key, Person):
        template = _ADDRESS.sub(r"\2" if key.polite else r"\1", template)
    worded = _SLOT.sub(lambda slot: _bound(slot[1], bindings).german(slot[2] or ""), template)
    return german.finished(worded)
