"""Periods that seldom end a sentence: those of abbreviations, above all before digits and lower-case letters.

The network learns from treebanks, in which most abbreviations are rare. So the lists of a language, and the shapes of
initials (*J.*), of letters with inner periods (*U.S.*), of words without vowels (*Bldg.*) and of ordinals, say how sure
the network must be there.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

USUAL = 0.75
"""Least probability for the beginning of a sentence; the best F1 on GUM dev."""
# The same after an abbreviation: before a word that often begins sentences, a word or number that may, and any other.
LIKELY, UNLIKELY, NEVER = 0.5, 0.98, 1.0
SHORT_WORD = 0.9
"""The same between a short name and a number, since the name may be an abbreviation that is in no list."""

OPENING, CLOSING = "\"'“„«‚‘([", "\"'”’»)\\]"
PERIOD = re.compile(
    rf"(?<!\S)[{OPENING}]*+(?P<word>\S*?[^\W_])(?P<period>\.)[{CLOSING}]*+"
    rf"(?=(?P<gap>\s++)[{OPENING}]*+(?P<following>\d+|[^\W\d_]+(?:['’][^\W\d_]+)?))"
)
INNER_BORDER = re.compile(r"[-/–(\u3000-\uffff]")  # before an abbreviation inside a word, Chinese characters among them
INNER_PERIODS = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}")
NO_VOWEL = re.compile(r"[b-df-hj-np-tv-xzßB-DF-HJ-NP-TV-XZ]?[b-df-hj-np-tv-xzß]+")
SHORT_NAME = re.compile(r"[^\W\d_a-zß][a-zäöüß]{1,3}")
ORDINAL = re.compile(r"\d{1,2}|[IVX]{2,5}")
COUNTED = re.compile(r"\d.*|[A-HJ-Z]|[IVXLC]{2,5}")  # what a number may be: 7, B, IV


@dataclass(frozen=True)
class Period:
    """A period between two words: its position, that of what follows, whether it belongs to the word before it, and the
    probability that the beginning of a sentence must exceed there."""

    position: int
    following: int
    abbreviates: bool
    threshold: float


@dataclass(frozen=True)
class Abbreviations:
    """Abbreviations of a language, without their last period.

    ``inside`` end no sentence; ``numbers`` end none before a number or letter; ``ends`` end one before ``beginnings``,
    the words with which sentences often begin, and hardly any before others. ``-nr`` stands for all words that end so
    (two or three letters). With ``ordinals`` the period after a number makes it an ordinal, as in German.
    """

    inside: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    ends: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()
    ordinals: bool = False

    def periods(self, text: str) -> Iterator[Period]:
        """The periods between two words at which the network's own threshold is not the right one."""
        for match in PERIOD.finditer(text):
            word, following = INNER_BORDER.split(match["word"])[-1], match["following"]
            kinds = self._kinds(word, following)
            threshold = self._threshold(kinds, following, "\n" in match["gap"])
            if not kinds and following[0].isdigit() and SHORT_NAME.fullmatch(word):
                threshold = SHORT_WORD
            if threshold != USUAL:
                yield Period(match.start("period"), match.end("gap"), bool(kinds - {"ordinals"}), threshold)

    def _kinds(self, word: str, following: str) -> set[str]:
        """The lists in which a word is or to which its shape gives it."""
        written = {word, f"-{word[-2:]}", f"-{word[-3:]}"}
        if word.isupper() and not following[-1].islower():
            written.add(word.capitalize())
        lists = {
            "inside": self.inside & (written | {word[:1].lower() + word[1:]}),
            "numbers": self.numbers & written,
            "ends": self.ends & written,
        }
        if kinds := {name for name, found in lists.items() if found}:
            return kinds
        initial = len(word) == 1 and word.isalpha()
        if initial or INNER_PERIODS.fullmatch(word):
            return {"ends"}
        if self.ordinals and ORDINAL.fullmatch(word):
            return {"ordinals"}
        return {"numbers"} if NO_VOWEL.fullmatch(word) else set()

    def _threshold(self, kinds: set[str], following: str, new_line: bool) -> float:
        """The threshold between a word of these lists and what follows it."""
        begins = following.lower() in self.beginnings and following[0].isupper()
        if not kinds:
            return USUAL
        if "inside" in kinds:
            return UNLIKELY if begins else NEVER
        if COUNTED.fullmatch(following) and not begins:
            return NEVER if "numbers" in kinds or following.isalpha() else UNLIKELY
        if following[0].islower() or ("ordinals" in kinds and not begins):
            return UNLIKELY
        if "ends" in kinds and not new_line:
            return LIKELY if begins else UNLIKELY
        return USUAL
