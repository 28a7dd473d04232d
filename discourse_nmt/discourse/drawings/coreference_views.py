"""Coreference chains as SVG: the text with every mention boxed in the colour of its chain, and a lane for each chain.

A lane on the left runs from the line of a chain's first mention to that of its last, with a dot at each mention; later
chains use free lanes again. Chains are numbered in order of first mention.
"""

from collections.abc import Iterator, Sequence

from discourse_nmt.discourse.analysers.annotation import SentenceText
from discourse_nmt.discourse.drawings.canvas import Element, drawing, element, group, lettering
from discourse_nmt.discourse.drawings.lettering import text_width
from discourse_nmt.discourse.drawings.mention_layout import INDEX_SIZE, LINE, SIZE, MentionLayout, lay_out
from discourse_nmt.discourse.drawings.palette import chain_colour
from discourse_nmt.discourse.structures.mentions import Chain, Span

MARGIN = 12.0
LANE = 15.0
DOT = 3.5
NESTING, DEEPEST = 2.5, 3  # extra pixels of a box around another one; largest level


def coreference_chains(sentences: Sequence[SentenceText], chains: Sequence[Chain], title: str = "Coreference") -> str:
    """SVG of a document's chains; they have word spans.

    ``sentences`` are the raw text of each sentence and the characters ``[start, end)`` of its words.
    """
    chains = sorted(chains, key=lambda chain: chain.mentions[0])
    layout = lay_out(sentences, chains)
    lanes = _lanes(chains, layout)
    numbers = MARGIN + LANE * (max(lanes, default=-1) + 1) + text_width(str(len(sentences)), INDEX_SIZE) + 6
    left = numbers + 12
    parts = [
        *(_lane(number, chain, lane, layout, sentences) for number, (chain, lane) in enumerate(zip(chains, lanes), 1)),
        group(_boxes(chains, layout, left)),
        group(_numbers(layout, numbers), font_size=INDEX_SIZE, opacity="0.6", text_anchor="end"),
        group(_words(layout, left), font_size=SIZE),
    ]
    right = max((run.end for run in layout.runs), default=0.0)
    description = f"{len(sentences)} sentences with {len(chains)} chains; a number before each mention names its chain."
    height = max(layout.middles, default=0.0) + LINE
    return drawing(left + right + MARGIN + DEEPEST * NESTING, height, title, description, parts)


def _lines(chain: Chain, layout: MentionLayout) -> list[int]:
    """The line on which each mention begins."""
    return [layout.boxes[mention.span.sentence][mention.span.start].line for mention in chain.mentions]


def _lanes(chains: Sequence[Chain], layout: MentionLayout) -> list[int]:
    """The lane of each chain: the first one that is free from the line of its first mention to that of its last."""
    ends: list[int] = []
    lanes = []
    for chain in chains:
        lines = _lines(chain, layout)
        lane = next((number for number, end in enumerate(ends) if end < lines[0]), len(ends))
        ends[lane : lane + 1] = [lines[-1]]
        lanes.append(lane)
    return lanes


def _lane(number: int, chain: Chain, lane: int, layout: MentionLayout, sentences: Sequence[SentenceText]) -> Element:
    colour = chain_colour(number - 1)
    x = MARGIN + lane * LANE + LANE / 2
    lines = _lines(chain, layout)
    texts = ", ".join(_text(mention.span, sentences) for mention in chain.mentions)
    parts = [element("title", f"Chain {number}, {len(chain.mentions)} mentions: {texts}")]
    if lines[-1] > lines[0]:
        track = f"M{x:.1f} {layout.middles[lines[0]]:.1f}V{layout.middles[lines[-1]]:.1f}"
        parts.append(element("path", d=track, stroke=colour, stroke_width="2", stroke_opacity="0.5"))
    parts += [element("circle", cx=x, cy=layout.middles[line], r=DOT, fill=colour) for line in dict.fromkeys(lines)]
    return group(parts)


def _text(span: Span, sentences: Sequence[SentenceText]) -> str:
    text, words = sentences[span.sentence]
    return text[words[span.start][0] : words[span.end - 1][1]]


def _boxes(chains: Sequence[Chain], layout: MentionLayout, left: float) -> Iterator[Element]:
    """The number and the boxes of every mention, one box per line; outer boxes are drawn first."""
    mentions = [(mention.span, number) for number, chain in enumerate(chains, 1) for mention in chain.mentions]
    levels: dict[Span, int] = {}
    for span, _ in sorted(mentions, key=lambda mention: mention[0].end - mention[0].start):
        inside = [
            level
            for other, level in levels.items()
            if other.sentence == span.sentence and span.start <= other.start and other.end <= span.end
        ]
        levels[span] = min(max(inside, default=-1) + 1, DEEPEST)
    for span, number in sorted(mentions, key=lambda mention: -levels[mention[0]]):
        grown = NESTING * levels[span]
        colour = chain_colour(number - 1)
        word_boxes = layout.boxes[span.sentence][span.start : span.end]
        index = layout.indices[span]
        for line in dict.fromkeys(word.line for word in word_boxes):
            on_line = [word for word in word_boxes if word.line == line]
            start = index.start - 1 if line == index.line else on_line[0].start - 2
            box = {
                "x": left + start,
                "y": layout.middles[line] - SIZE * 0.65 - 1.5 - grown,
                "width": on_line[-1].end + 2 + grown - start,
                "height": SIZE * 1.3 + 3 + 2 * grown,
                "rx": 4.0,
            }
            yield element("rect", **box, fill=colour, fill_opacity="0.13", stroke=colour, stroke_opacity="0.8")
        place = {"x": left + index.start + 1, "y": layout.middles[index.line] - 1.5}
        yield element("text", str(number), **place, font_size=INDEX_SIZE, font_weight="bold")


def _numbers(layout: MentionLayout, x: float) -> Iterator[Element]:
    for sentence, word_boxes in enumerate(layout.boxes, 1):
        if word_boxes:
            yield element("text", str(sentence), x=x, y=layout.middles[word_boxes[0].line] + INDEX_SIZE * 0.35)


def _words(layout: MentionLayout, left: float) -> Iterator[Element]:
    """The text; each run has a fixed length, so that boxes fit with any font."""
    for run in layout.runs:
        yield lettering(run.text, SIZE, x=left + run.start, y=layout.middles[run.line] + SIZE * 0.35)
