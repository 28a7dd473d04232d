"""Quotations: words between quotation marks of any kind, and speech after a dash or *she said:*."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discourse_nmt.discourse.coreference.lexicons.word_lists import ReferringWords
from discourse_nmt.discourse.structures.syntax import Syntax

LONGEST = 200  # words without a mark after which an open quotation is taken for an error
CLOSED_BY: Mapping[str, tuple[str, ...]] = {
    '"': ('"', "”", "''"),
    "“": ("”", '"', "''"),
    "``": ("''", '"', "”"),
    "„": ("“", "”", '"', "''"),
    "«": ("»",),
    "»": ("«",),
    "‹": ("›",),
    "›": ("‹",),
    "「": ("」",),
    "『": ("』",),
    "‘": ("’", "'"),
    "‚": ("‘", "’", "'"),
    "'": ("'", "’"),
}
"""Marks that open a quotation, each with those that close it; writers mix straight and curly ones."""
MARKS = frozenset(CLOSED_BY).union(*CLOSED_BY.values())
APOSTROPHES = frozenset("'’‘‚")  # quotation marks only as words of punctuation: not in *the girls' room*
DASHES = frozenset("—–―")
BEFORE_DASH = frozenset((",", "!", "?", "…", "..."))  # end of the speech before *— she said*
COLONS = frozenset((":", "："))
NEAR_VERB = 3  # words after such a dash, or before a colon, with the verb of saying among them


@dataclass(frozen=True)
class Quotations:
    """``innermost`` has the number of the innermost quotation of each word of each sentence, -1 outside; an opening
    mark is inside, a closing one outside. ``around`` has the quotation around each quotation, -1 for none."""

    innermost: tuple[tuple[int, ...], ...]
    around: tuple[int, ...]

    @property
    def quoted(self) -> list[list[bool]]:
        """For each word of each sentence, whether it is in a quotation."""
        return [[number >= 0 for number in sentence] for sentence in self.innermost]


@dataclass
class _Open:
    """A quotation that is not closed yet; ``renewed`` is its last mark that begins a paragraph."""

    mark: str
    start: int
    renewed: int
    number: int


def quotations_of(document: Sequence[Syntax], lexicon: ReferringWords) -> Quotations:
    """The quotations of a document, outer ones before inner ones.

    A quotation that is never closed ends with its sentence. An opening mark at the beginning of a sentence goes on with
    an open quotation of its kind, as writers mark quotations of several paragraphs.
    """
    innermost, around = _between_marks(document)
    rows: list[tuple[int, ...]] = []
    start = 0
    for sentence in document:
        row = innermost[start : start + len(sentence.forms)]
        start += len(row)
        spoken = _after_dash(sentence, lexicon) or _after_colon(sentence, lexicon) if set(row) == {-1} else []
        if spoken:
            row = [len(around) if word in spoken else -1 for word in range(len(row))]
            around.append(-1)
        rows.append(tuple(row))
    return Quotations(tuple(rows), tuple(around))


def _between_marks(document: Sequence[Syntax]) -> tuple[list[int], list[int]]:
    """The number of the innermost quotation of each word of the document, and the quotation around each one."""
    spans: dict[int, tuple[int, int]] = {}
    around: list[int] = []
    open_ones: list[_Open] = []
    end_of_sentence: list[int] = []

    def close(depth: int, end: int | None = None) -> None:
        """Close the quotations from ``depth`` before the word ``end``; without it, at the ends of their sentences."""
        for one in open_ones[depth:]:
            spans[one.number] = one.start, end_of_sentence[one.renewed] if end is None else end
        del open_ones[depth:]

    for sentence in document:
        first = len(end_of_sentence)
        end_of_sentence += [first + len(sentence.forms)] * len(sentence.forms)
        for word, form in enumerate(sentence.forms):
            if form not in MARKS or (form in APOSTROPHES and sentence.upos[word] != "PUNCT"):
                continue
            place = first + word
            if open_ones and place - open_ones[0].renewed > LONGEST:
                close(0)
            alike = _innermost(open_ones, [form])
            closed = _innermost(open_ones, [mark for mark, closing in CLOSED_BY.items() if form in closing])
            if alike >= 0 and word == 0 and _goes_on(sentence):
                for one in open_ones[: alike + 1]:
                    one.renewed = place
            elif closed >= 0:
                close(closed, place)
            elif form in CLOSED_BY:
                if alike >= 0:  # the closing mark is missing
                    close(alike)
                around.append(open_ones[-1].number if open_ones else -1)
                open_ones.append(_Open(form, place, place, len(around) - 1))
    close(0)
    innermost = [-1] * len(end_of_sentence)
    for number, (start, end) in sorted(spans.items()):
        innermost[start:end] = [number] * (end - start)
    return innermost, around


def _innermost(open_ones: Sequence[_Open], marks: Sequence[str]) -> int:
    """Depth of the innermost open quotation with one of these marks, -1 for none."""
    return next((depth for depth in range(len(open_ones) - 1, -1, -1) if open_ones[depth].mark in marks), -1)


def _goes_on(sentence: Syntax) -> bool:
    """Whether a mark that begins this sentence opens one more paragraph: a closing mark that was torn from its
    sentence stands alone or before *she said*."""
    return len(sentence.forms) > 1 and not sentence.forms[1][:1].islower()


def _after_dash(sentence: Syntax, lexicon: ReferringWords) -> list[int]:
    """Words of the speech in a sentence with dashes: *— I know, — she said, — that you are there.*

    A dash begins it, or *, — she said* divides it: the first dash looks like the mark of a list, and may be gone.
    """
    forms = sentence.forms
    starts = [word for word, form in enumerate(forms) if form in DASHES]
    saying = [word for word, lemma in enumerate(sentence.lemmas) if lemma.lower() in lexicon.saying]
    divided = any(
        forms[dash - 1] in BEFORE_DASH and any(dash < word <= dash + NEAR_VERB for word in saying)
        for dash in starts
        if dash
    )
    if not (divided or (0 in starts and {"VERB", "AUX"} & set(sentence.upos))):
        return []
    spoken: list[int] = []
    starts = sorted({0, *starts})
    for start, end in zip(starts, [*starts[1:], len(forms)]):
        if start == 0 or not any(start < word < end for word in saying):
            spoken += range(start, end)
    return spoken


def _after_colon(sentence: Syntax, lexicon: ReferringWords) -> list[int]:
    """Words of the speech after a verb of saying and a colon: *She said to him: You are there.*"""
    for word, form in enumerate(sentence.forms):
        before = sentence.lemmas[max(0, word - NEAR_VERB) : word]
        if form in COLONS and any(lemma.lower() in lexicon.saying for lemma in before):
            return list(range(word + 1, len(sentence.forms)))
    return []
