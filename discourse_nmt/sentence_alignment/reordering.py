"""Translations that stand in another order than their sentences, found again near sentences that seem to be omitted."""

from typing import NamedTuple

import numpy as np

from discourse_nmt.base.arrays import Reals
from discourse_nmt.sentence_alignment.evidence import Evidence

OMITTED = -9.0  # log-probability ratio of a sentence that is left out
EXCHANGED = -12.0  # of two translations that have each other's place
MOVED = 5.0  # least log-probability ratio of a translation in another place
NEAR = 3  # parts from its own place in which a translation is looked for


class TextPart(NamedTuple):
    """Words ``start … stop - 1`` of a text."""

    sentence: int
    """The sentence that they translate; -1 for added text."""
    start: int
    stop: int

    @property
    def is_omission(self) -> bool:
        """Whether a sentence has no words."""
        return self.sentence >= 0 and self.start == self.stop


class Reordering:
    """Finds translations by the evidence of a text.

    ``expected`` has the length of each sentence's translation, ``spread`` its standard deviation on a logarithmic
    scale, ``borders`` the log-probability ratio of a border at each gap.
    """

    def __init__(self, evidence: Evidence, expected: list[float], spread: float, borders: Reals) -> None:
        self._evidence, self._expected, self._spread, self._borders = evidence, expected, spread, borders

    def moved(self, parts: list[TextPart]) -> list[TextPart]:
        """``parts`` with added text as the translation of an omitted sentence nearby where it is likely to be one."""
        parts = list(parts)
        omissions = {place for place, part in enumerate(parts) if part.is_omission}
        gone: set[int] = set()
        for place, part in enumerate(parts):
            near = [other for other in sorted(omissions - gone) if abs(other - place) <= NEAR]
            if part.sentence < 0 and near:
                sentences = [parts[other].sentence for other in near]
                scores = [self._likelihood(part._replace(sentence=one)) for one in sentences]
                best = int(np.argmax(scores))
                if scores[best] > MOVED:
                    parts[place] = part._replace(sentence=sentences[best])
                    gone.add(near[best])
        return [part for place, part in enumerate(parts) if place not in gone]

    def exchanged(self, parts: list[TextPart]) -> list[TextPart]:
        """``parts`` with those divided that also hold the translation of an omitted sentence nearby."""
        parts = list(parts)
        for omission in [part for part in parts if part.is_omission]:
            place = parts.index(omission)
            near = [part for part in parts[max(0, place - NEAR) : place + NEAR + 1] if part.start < part.stop]
            options = [
                self._divided(whole, *sentences)
                for whole in near
                if whole.sentence >= 0 and whole.stop - whole.start > 1
                for sentences in ((whole.sentence, omission.sentence), (omission.sentence, whole.sentence))
            ]
            gain, halves = max(options, default=(0.0, ()))
            own = next((half for half in halves if half.sentence == omission.sentence), omission)
            if gain > 0 and self._likelihood(own) > MOVED:
                parts.remove(omission)
                whole = next(part for part in parts if part.start == halves[0].start < part.stop)
                parts[parts.index(whole)] = halves[0]
                parts.insert(parts.index(halves[0]) + 1, halves[1])
        return parts

    def _divided(self, whole: TextPart, first: int, second: int) -> tuple[float, tuple[TextPart, ...]]:
        """A part as the translations of two sentences, one of which seemed to be omitted, and what that gains."""
        start, stop = whole.start, whole.stop
        scores = {one: self._scores(one, start, stop) for one in (first, second)}
        total = scores[second][-1] - scores[second] + scores[first] + self._borders[start : stop + 1]
        for place in range(1, stop - start):
            total[place] += self._length(first, TextPart(first, start, start + place))
            total[place] += self._length(second, TextPart(second, start + place, stop))
        best = 1 + int(np.argmax(total[1:-1]))
        alone = scores[whole.sentence][-1] + self._length(whole.sentence, whole) + OMITTED
        halves = TextPart(first, start, start + best), TextPart(second, start + best, stop)
        return float(total[best] + EXCHANGED - alone), halves

    def _likelihood(self, part: TextPart) -> float:
        """The log-probability ratio of a part as the translation of its sentence."""
        return float(self._scores(part.sentence, part.start, part.stop)[-1]) + self._length(part.sentence, part)

    def _scores(self, sentence: int, start: int, stop: int) -> Reals:
        """[stop - start + 1] log-probability ratios of the words before each place, beside the sentence."""
        ratios = self._evidence.ratios(sentence, sentence + 1, start, stop)[0, 0]
        return np.concatenate([[0.0], np.cumsum(np.log(ratios))])

    def _length(self, sentence: int, part: TextPart) -> float:
        relative = (part.stop - part.start + 1) / (self._expected[sentence] + 1)
        return -0.5 * float(np.log(relative) / self._spread) ** 2
