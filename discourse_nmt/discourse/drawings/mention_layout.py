"""Layout of the words of a text and of the boxes of its mentions.

Words flow into lines; each sentence begins a new line. There is room for the number of the chain before the first word
of a mention, so that an outer box begins to the left of an inner one.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from discourse_nmt.discourse.analysers.annotation import SentenceText
from discourse_nmt.discourse.drawings.lettering import NO_LINE_START, WIDE, letter_width, text_width
from discourse_nmt.discourse.structures.mentions import Chain, Span

SIZE, INDEX_SIZE = 14.0, 9.0
TEXT_WIDTH = 640.0
AFTER_INDEX, AFTER_MENTION = 3.0, 2.5  # pixels between a mention's number and its first word, and after its last
LINE, PARAGRAPH = 26.0, 5.0  # height of a line, space between sentences


@dataclass(frozen=True)
class WordBox:
    """Position of a word: ``line`` of the drawing, ``start`` and ``end`` in pixels from the left edge of the text."""

    line: int
    start: float
    end: float


@dataclass
class TextRun:
    """Text on one line that is one SVG element."""

    line: int
    start: float
    text: str
    end: float


@dataclass
class MentionLayout:
    """Positions of all words by sentence, the runs of text, the position of each mention's number, and the middle of
    each line."""

    boxes: list[list[WordBox]] = field(default_factory=list)
    runs: list[TextRun] = field(default_factory=list)
    indices: dict[Span, WordBox] = field(default_factory=dict)
    middles: list[float] = field(default_factory=list)

    def begin_line(self, space: float = 0.0) -> int:
        """Begin a line ``space`` below the last one; return its index."""
        self.middles.append(self.middles[-1] + LINE + space if self.middles else LINE)
        return len(self.middles) - 1


def lay_out(sentences: Sequence[SentenceText], chains: Sequence[Chain]) -> MentionLayout:
    """The layout of a text; ``chains`` are in order of their numbers, which count from 1."""
    openings: Mapping[tuple[int, int], list[tuple[Span, int]]] = defaultdict(list)
    for number, chain in enumerate(chains, 1):
        for mention in chain.mentions:
            openings[mention.span.sentence, mention.span.start].append((mention.span, number))
    closings = Counter((mention.span.sentence, mention.span.end) for chain in chains for mention in chain.mentions)
    layout = MentionLayout()
    for sentence, (text, words) in enumerate(sentences):
        _lay_out_sentence(layout, sentence, text, words, openings, closings)
    return layout


def _lay_out_sentence(
    layout: MentionLayout,
    sentence: int,
    text: str,
    words: Sequence[tuple[int, int]],
    openings: Mapping[tuple[int, int], list[tuple[Span, int]]],
    closings: Mapping[tuple[int, int], int],
) -> None:
    boxes: list[WordBox] = []
    line = layout.begin_line(PARAGRAPH)
    x, previous_end, fresh = 0.0, 0, True
    for word, (start, end) in enumerate(words):
        form = text[start:end]
        blank = " " if start > previous_end and word else ""
        opened = sorted(openings.get((sentence, word), ()), key=lambda opening: -opening[0].end)
        numbers = [text_width(str(number), INDEX_SIZE) + AFTER_INDEX for _, number in opened]
        width = text_width(form, SIZE)
        breakable = bool(blank) or (letter_width(form[0]) == WIDE and form[0] not in NO_LINE_START)
        if x + text_width(blank, SIZE) + sum(numbers) + width > TEXT_WIDTH and breakable and boxes:
            line = layout.begin_line()
            x, blank, fresh = 0.0, "", True
        if opened or fresh:
            x += text_width(blank, SIZE)
            for (span, _), room in zip(opened, numbers):
                layout.indices[span] = WordBox(line, x, x + room)
                x += room
            layout.runs.append(TextRun(line, x, form, x + width))
            fresh = False
        else:
            x += text_width(blank, SIZE)
            layout.runs[-1].text += blank + form
            layout.runs[-1].end = x + width
        boxes.append(WordBox(line, x, x + width))
        x += width
        previous_end = end
        if (sentence, word + 1) in closings:
            x += AFTER_MENTION * closings[sentence, word + 1]
            fresh = True
    layout.boxes.append(boxes)
