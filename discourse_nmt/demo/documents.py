"""Documents: an opening, two passages about different phenomena, sometimes an ending; in mirrored pairs.

The two documents of a pair differ only in the two key words of every passage, which are exchanged, so that the same
ambiguous sentences need the other translation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.demo.blocks import Cast, Line, Passage, Phenomenon, Register, Writer
from discourse_nmt.demo.decks import Dealer
from discourse_nmt.demo.entities import Person
from discourse_nmt.demo.lexicon import WRITER, DemoLexicon
from discourse_nmt.demo.structure import Part, coordinated, introduced, sentence_tree, shifted, supported, tree
from discourse_nmt.demo.templates import Bindings, Frame, Wording, english, german_text, load_frames
from discourse_nmt.discourse.structures.trees import RstTree

NARRATIVES = ("story", "report", "review")
# Text type and phenomena; each phenomenon occurs six times.
KINDS: tuple[tuple[str, Phenomenon, Phenomenon], ...] = (
    ("message", "formality", "pronoun"),
    ("advice", "formality", "pronoun"),
    ("message", "formality", "noun"),
    ("message", "formality", "noun"),
    ("message", "formality", "ellipsis"),
    ("message", "formality", "ellipsis"),
    ("narrative", "pronoun", "noun"),
    ("narrative", "pronoun", "noun"),
    ("narrative", "pronoun", "ellipsis"),
    ("narrative", "pronoun", "ellipsis"),
    ("narrative", "noun", "ellipsis"),
    ("narrative", "noun", "ellipsis"),
)


@dataclass(frozen=True)
class PairPlan:
    """The common plan of the two documents of a mirrored pair."""

    text_type: str
    opening: Line
    passages: tuple[Passage, Passage]
    ending: Line | None


@dataclass(frozen=True)
class DemoItem:
    """An ambiguous sentence, the index of the deciding sentence, and the wrong translation.

    ``start`` is the first character of the ambiguous word, ``anchor`` the entity that links it to the deciding
    sentence. ``right_keys`` and ``wrong_keys`` are the English words for the two readings, ``right_role`` and
    ``wrong_role`` their roles in the deciding and the misleading sentence ("" without a misleading sentence).
    """

    phenomenon: Phenomenon
    shape: str
    sentence: int
    decided_by: int
    start: int
    anchor: str
    right_keys: tuple[str, ...]
    wrong_keys: tuple[str, ...]
    right_role: str
    wrong_role: str
    wrong: str


@dataclass(frozen=True)
class DemoSentence:
    """A worded sentence pair with the annotation of its English side."""

    wording: Wording
    target: str
    frame: Frame

    @property
    def source(self) -> str:
        """The English side."""
        return self.wording.text


@dataclass(frozen=True)
class DemoDocument:
    """A document with its rhetorical structure and its ambiguous sentences."""

    text_type: str
    sentences: tuple[DemoSentence, ...]
    tree: RstTree
    items: tuple[DemoItem, ...]

    @property
    def text(self) -> str:
        """All source sentences, one per line."""
        return "\n".join(sentence.source for sentence in self.sentences)


def plan(dealer: Dealer, lexicon: DemoLexicon, shapes: Sequence[str]) -> PairPlan:
    """The plan of a pair of documents; ``shapes`` are the possible shapes of passages."""
    text_type, *phenomena = dealer.deal("kinds", KINDS)
    if dealer.chance(0.5):
        phenomena = phenomena[::-1]
    if text_type == "narrative":
        text_type = dealer.deal("narratives", NARRATIVES)
    cast = _cast(dealer, lexicon, writer=text_type not in ("story", "report"))
    writer = Writer(dealer, lexicon, shapes)
    passages = []
    for phenomenon, opener in zip(phenomena, ("first", "next")):
        register: Register = "advice" if (text_type, phenomenon) == ("advice", "pronoun") else "narrative"
        used = opener if dealer.chance(0.5 if opener == "first" else 0.75) else ""
        passages.append(writer.passage(phenomenon, register, cast, used))
    people = {"A": cast.main, "B": cast.other}
    return PairPlan(
        text_type,
        Line(_frame(dealer, "opening", text_type), "none", people),
        (passages[0], passages[1]),
        Line(_frame(dealer, "ending", text_type), "none", people) if dealer.chance(0.5) else None,
    )


def _frame(dealer: Dealer, use: str, text_type: str) -> Frame:
    frames = [frame for frame in load_frames("openings.tsv")[use] if frame.roles == (text_type,)]
    return dealer.deal((use, text_type), frames)


def _cast(dealer: Dealer, lexicon: DemoLexicon, writer: bool) -> Cast:
    """The writer or a named person, and another person of the other sex."""
    woman, man = dealer.deal("women", lexicon.women), dealer.deal("men", lexicon.men)
    first, second = (woman, man) if dealer.chance(0.5) else (man, woman)
    return Cast(WRITER if writer else first, second)


def document(plan: PairPlan, mirrored: bool) -> DemoDocument:
    """Word one of the two documents of a pair."""
    sentences = [_worded(plan.opening, dict(plan.opening.people))]
    items: list[DemoItem] = []
    parts: list[Part] = []
    for passage in plan.passages:
        first = len(sentences)
        for line in passage.lines:
            sentences.append(_worded(line, passage.bindings(line, mirrored)))
            if line.decided_by is not None:
                items.append(_item(passage, line, sentences[-1], len(sentences) - 1, first, mirrored))
        parts.append(shifted(passage.structure, first))
    whole: Part = introduced(0, coordinated(parts, "joint"), "organization")
    if plan.ending:
        sentences.append(_worded(plan.ending, dict(plan.ending.people)))
        whole = supported(whole, len(sentences) - 1, "evaluation")
    trees = {
        number: sentence_tree(sentence.frame.relation, sentence.frame.order)
        for number, sentence in enumerate(sentences)
    }
    return DemoDocument(plan.text_type, tuple(sentences), tree(whole, trees), tuple(items))


def _worded(line: Line, bindings: Bindings) -> DemoSentence:
    wording = english(line.frame, bindings, line.connective)
    return DemoSentence(wording, german_text(line.frame, bindings, line.connective), line.frame)


def _item(passage: Passage, line: Line, sentence: DemoSentence, number: int, first: int, mirrored: bool) -> DemoItem:
    """The contrastive item of an ambiguous line."""
    assert line.decided_by is not None
    deciding = passage.lines[line.decided_by].frame.roles
    misleading = next((other.frame.roles for other in passage.lines if other.role == "wrong"), ("",))
    right, wrong = passage.choices[::-1] if mirrored else passage.choices
    if passage.phenomenon == "ellipsis":
        subject = line.people["S"]
        assert isinstance(subject, Person)
        anchor, start = subject.identity, sentence.source.index("did")
    else:
        anchor = right.entity.identity
        start = next(mention.start for mention in sentence.wording.mentions if mention.identity == anchor)
    return DemoItem(
        phenomenon=passage.phenomenon,
        shape=passage.shape,
        sentence=number,
        decided_by=first + line.decided_by,
        start=start,
        anchor=anchor,
        right_keys=right.keys,
        wrong_keys=wrong.keys,
        right_role=deciding[0],
        wrong_role=(deciding if len(deciding) == 2 else misleading)[-1],
        wrong=german_text(line.frame, passage.bindings(line, mirrored, correct=False), line.connective),
    )
