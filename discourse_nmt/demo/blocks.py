"""Passages: a few sentences in which one ambiguous word is decided by one earlier sentence and not by another.

A passage has two competing sentences, P and then Q (or both in one, as main and subordinate clause), and ambiguous
sentences U attached to one of them. The shape of the passage says to which one, and connectives show it to the reader:

==================  ================================================  =============  ==========================
shape               text                                              U belongs to   told by
==================  ================================================  =============  ==========================
digression_return   P, "By the way" Q, "Anyway" U                     P (far)        opening and return
digression_closed   P, "By the way" Q, "But that is another story", U  P (far)       opening and closing
digression_stays    P, "By the way" Q, (In fact) U                    Q (near)       no return
list                P, "Besides" Q, U                                 Q (near)       the list goes on
main_first          "P, while Q", U                                   P (far)        P is the main clause
subordinate_first   "While Q, P", U                                   P (near)       P is the main clause
alone               P, U                                              P (near)       there is no other
==================  ================================================  =============  ==========================

Only training documents have the last one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Literal

from discourse_nmt.demo.decks import Dealer
from discourse_nmt.demo.entities import Choice, Entity, Person
from discourse_nmt.demo.german import GENDERS
from discourse_nmt.demo.lexicon import Connective, DemoLexicon
from discourse_nmt.demo.structure import Part, coordinated, supported
from discourse_nmt.demo.templates import ROLES, Bindings, Frame, load_frames

Phenomenon = Literal["pronoun", "noun", "formality", "ellipsis"]
Register = Literal["narrative", "advice", "message"]

FAR = ("digression_return", "digression_closed", "main_first")
NEAR = ("digression_stays", "list", "subordinate_first")
# For analysers, two clauses of one sentence are the easiest case, and the attachment of a later sentence the hardest.
SHAPES = 6 * (FAR[2], NEAR[2]) + (*FAR[:2], *NEAR[:2])
# Without a misleading sentence, a network can learn that another sentence decides. As long as its attention is divided
# between two words that cancel out, it can hardly begin to learn which one decides.
TRAINING_SHAPES = SHAPES + 12 * ("alone",)
MOST_SENTENCES = 5

# How often the deciding and the misleading word are in the topical theme, in percent of the sentences that can vary;
# inside theme and rheme they are subjects about half of the time.
DECIDING_ROLES = 11 * ("theme-subject",) + 10 * ("theme-other",) + 2 * ("rheme-subject",) + 2 * ("rheme-other",)
MISLEADING_ROLES = 2 * ("theme-subject",) + 2 * ("theme-other",) + 10 * ("rheme-subject",) + 11 * ("rheme-other",)


@dataclass(frozen=True)
class Line:
    """One sentence before it is worded.

    ``role`` is the reading of its slot K (and k): ``right``, ``wrong`` or none; L has the other reading. An ambiguous
    line has the index of its deciding line in the passage, and is worded both ways.
    """

    frame: Frame
    role: Literal["right", "wrong", "none"]
    people: Bindings
    connective: Connective | None = None
    decided_by: int | None = None


@dataclass(frozen=True)
class Passage:
    """Lines, their structure over line indices, and the two readings, of which the second is right when mirrored."""

    phenomenon: Phenomenon
    shape: str
    lines: tuple[Line, ...]
    structure: Part
    choices: tuple[Choice, Choice]

    def bindings(self, line: Line, mirrored: bool, correct: bool = True) -> dict[str, Entity]:
        """The entities in the slots of ``line``; ``correct`` is False for an ambiguous line with the wrong reading."""
        right, wrong = self.choices[::-1] if mirrored else self.choices
        bound: dict[str, Entity] = dict(line.people)
        if line.decided_by is not None:
            return bound | {"K": (right if correct else wrong).entity}
        if line.role == "right":
            return bound | {"K": right.entity, "k": right.clue, "L": wrong.clue}
        if line.role == "wrong":
            return bound | {"K": wrong.clue, "k": wrong.clue}
        return bound


@dataclass(frozen=True)
class Cast:
    """The people of a passage: the main person and another one (of the other sex, unless the first is the writer)."""

    main: Person
    other: Person


class Writer:
    """Plans passages; free choices are balanced, so that only the structure distinguishes the readings."""

    def __init__(self, dealer: Dealer, lexicon: DemoLexicon, shapes: Sequence[str]) -> None:
        self.dealer = dealer
        self.lexicon = lexicon
        self.shapes = shapes

    def passage(self, phenomenon: Phenomenon, register: Register, cast: Cast, opener: str) -> Passage:
        """A passage of 3 to 5 sentences; ``opener`` is the use of its first connective, or empty for none."""
        frames = load_frames("advice.tsv" if register == "advice" else f"{phenomenon}.tsv")
        shape = self.dealer.deal(("shape", phenomenon), self.shapes)
        draft = _Draft(self, phenomenon, frames, shape, "message" if phenomenon == "formality" else register, cast)
        lines, structure = draft.lines_and_structure()
        if opener and shape != "subordinate_first":
            lines[0] = replace(lines[0], connective=self.connective(opener))
        return Passage(phenomenon, shape, tuple(lines), structure, self.choices(phenomenon, shape, cast))

    def connective(self, use: str) -> Connective:
        """A connective of that use."""
        return self.dealer.deal(("connective", use), self.lexicon.connectives[use])

    def choices(self, phenomenon: Phenomenon, shape: str, cast: Cast) -> tuple[Choice, Choice]:
        """Two readings of one ambiguous word; no person of the cast is addressed."""
        deal, lexicon = self.dealer.deal, self.lexicon
        if phenomenon == "pronoun":
            first, second = deal(("genders", shape), tuple(permutations(GENDERS, 2)))
            return deal(("thing", first), lexicon.things[first]), deal(("thing", second), lexicon.things[second])
        if phenomenon == "noun":
            return deal("senses", lexicon.senses)
        if phenomenon == "formality":
            cast_names = [choice for choice in lexicon.familiar if choice.entity in (cast.main, cast.other)]
            return deal("familiar", lexicon.familiar, unlike=cast_names), deal("polite", lexicon.polite)
        one = deal("activity", lexicon.activities)
        return one, deal("activity", lexicon.activities, unlike=(one,))


class _Draft:
    """A passage under construction."""

    def __init__(
        self,
        writer: Writer,
        phenomenon: Phenomenon,
        frames: dict[str, tuple[Frame, ...]],
        shape: str,
        register: Register,
        cast: Cast,
    ) -> None:
        self.writer = writer
        self.dealer = writer.dealer
        self.phenomenon = phenomenon
        self.frames = frames
        self.shape = shape
        self.register = register
        self.cast = cast
        self.lines: list[Line] = []

    def lines_and_structure(self) -> tuple[list[Line], Part]:
        """Choose the lines of the shape and group them."""
        if self.shape in ("main_first", "subordinate_first"):
            both = self.add(self.frame(self.shape), "right", self.cast.main)
            part = self.attach_ambiguous(both, both, self.cast.main)
            if len(self.lines) == 2 or self.dealer.chance(0.25):
                part = supported(part, self.filler("comment"), "evaluation")
            return self.lines, part
        if self.shape == "alone":
            only = self.competing("right", self.cast.main, None)
            head = self.attach_extra(only, self.extras()[0], "right")
            return self.lines, self.attach_ambiguous(head, only, self.cast.main)
        far = self.shape in FAR
        extras = self.extras()
        first = self.competing("right" if far else "wrong", self.cast.main, None)
        head = self.attach_extra(first, extras[0], "right" if far else "wrong")
        opener = self.writer.connective("list" if self.shape == "list" else "digression")
        second = self.competing("wrong" if far else "right", self.cast.other, opener)
        aside = self.attach_extra(second, extras[1], "wrong" if far else "right")
        if self.shape == "digression_closed":
            aside = supported(aside, self.filler("closing"), "evaluation")
        if far:
            return self.lines, self.attach_ambiguous(supported(head, aside, "context"), first, self.cast.main)
        aside = self.attach_ambiguous(aside, second, self.cast.other)
        if self.shape == "list":
            return self.lines, coordinated([head, aside], "joint")
        return self.lines, supported(head, aside, "context")

    def extras(self) -> list[str]:
        """The text after P and Q: nothing, a comment, or the key word once more; short enough to leave room for U."""
        cards = 3 * ("",) + ("comment", "echo")
        kinds = [self.dealer.deal(("extra", self.phenomenon), cards) for _ in "PQ"]
        if self.shape == "digression_closed" and all(kinds):
            kinds[self.dealer.random.randrange(2)] = ""
        return kinds

    def add(self, frame: Frame, role: Literal["right", "wrong", "none"], subject: Person, **more: object) -> int:
        """Append a line; ``subject`` fills the slot S."""
        people = {"A": self.cast.main, "B": self.cast.other, "S": subject}
        self.lines.append(Line(frame, role, people, **more))  # type: ignore[arg-type]
        return len(self.lines) - 1

    def frame(self, use: str, role: str = "") -> Frame:
        """A frame of that use and, if given, role, which the passage does not have yet."""
        frames = [frame for frame in self.frames[use] if not role or frame.roles == (role,)]
        present = [line.frame for line in self.lines]
        return self.dealer.deal((self.phenomenon, self.register, use, role), frames, unlike=present)

    def competing(self, role: Literal["right", "wrong"], subject: Person, opener: Connective | None) -> int:
        """The deciding (``right``) or misleading (``wrong``) sentence."""
        wanted = self.dealer.deal((role, self.phenomenon), DECIDING_ROLES if role == "right" else MISLEADING_ROLES)
        use = "key" if "key" in self.frames else "deciding" if role == "right" else "distractor"
        roles = {frame.roles[0] for frame in self.frames[use]}
        if wanted not in roles:
            wanted = next(other for other in ROLES if other in roles and other[:5] == wanted[:5])
        return self.add(self.frame(use, wanted), role, subject, connective=opener)

    def attach_extra(self, line: int, kind: str, role: Literal["right", "wrong"]) -> Part:
        """The line, alone or followed by a comment or by a repetition of its key word."""
        if not kind:
            return line
        if kind == "comment":
            return supported(line, self.filler("comment"), "evaluation")
        use = "echo" if "echo" in self.frames else "deciding_echo" if role == "right" else "distractor_echo"
        return supported(line, self.add(self.frame(use), role, self.cast.other), "elaboration")

    def filler(self, use: str) -> int:
        """A sentence without a key word."""
        frames = [
            frame for frame in load_frames("fillers.tsv")[use] if not frame.roles or frame.roles == (self.register,)
        ]
        frame = self.dealer.deal(("filler", use, self.register), frames)
        return self.add(frame, "none", self.cast.other)

    def attach_ambiguous(self, part: Part, deciding: int, subject: Person) -> Part:
        """One or two ambiguous sentences about the deciding line, which heads ``part``."""
        room = MOST_SENTENCES - len(self.lines)
        two = room > 1 and self.dealer.chance(0.2 if len(self.lines) == 1 else 0.75)
        ellipsis = self.phenomenon == "ellipsis"
        if two:
            seconds = ("last",) if ellipsis else ("ambiguous", "ambiguous", "last")
            uses = ["ambiguous", self.dealer.deal(("second", self.phenomenon), seconds)]
        else:
            uses = [self.dealer.deal(("only", self.phenomenon), ("ambiguous", "ambiguous", "ambiguous", "last"))]
        attached: list[int] = []
        for place, use in enumerate(uses):
            frame = self.frame(use)
            connective = self.resumption() if place == 0 else self.addition(use)
            # A pronoun in place of the name, except where repeating the name is what ties the two sentences.
            pronominal = self.dealer.chance(0.5) and not (ellipsis and place)
            attached.append(self.ambiguous(frame, deciding, subject, connective, pronominal))
        if ellipsis:
            return coordinated([part, *attached], "joint")
        for line in attached:
            part = supported(part, line, "elaboration")
        return part

    def ambiguous(
        self, frame: Frame, deciding: int, subject: Person, connective: Connective | None, pronominal: bool
    ) -> int:
        """Append an ambiguous line."""
        number = self.add(frame, "right", subject, connective=connective, decided_by=deciding)
        if pronominal:
            line = self.lines[number]
            people = dict(line.people)
            worded = "S" if self.phenomenon == "ellipsis" else "A"
            person = people[worded]
            assert isinstance(person, Person)
            people[worded] = person.as_pronoun()
            self.lines[number] = replace(line, people=people)
        return number

    def resumption(self) -> Connective | None:
        """The connective and link of the first ambiguous sentence."""
        if self.shape == "digression_return":
            return self.writer.connective("return")
        if self.shape in ("digression_stays", "list") and self.dealer.chance(0.5):
            return self.writer.connective("continuation")
        return None

    def addition(self, use: str) -> Connective | None:
        """The continuation by the second ambiguous sentence."""
        return self.writer.connective("addition") if use != "last" and self.dealer.chance(0.5) else None
