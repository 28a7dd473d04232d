"""Themes and rhemes as SVG: the text with a line below every span, whose colour and dashes name its kind."""

from collections.abc import Iterator, Sequence

from discourse_nmt.discourse.analysers.annotation import LabelledSpan, SentenceText
from discourse_nmt.discourse.drawings.canvas import Element, drawing, element, group, lettering
from discourse_nmt.discourse.drawings.lettering import text_width
from discourse_nmt.discourse.drawings.mention_layout import INDEX_SIZE, LINE, SIZE, MentionLayout, lay_out

MARGIN = 12.0
BELOW = SIZE * 0.75  # from the middle of a line of text to the line below it
# Colour, width and dashes of the line, by label; the viewer of the report draws the same.
LINES: dict[str, dict[str, float | str]] = {
    "theme-topical": {"stroke": "#0072b2", "stroke_width": 3.0},
    "theme-textual": {"stroke": "#d55e00", "stroke_width": 3.0, "stroke_dasharray": "1.5 3"},
    "theme-interpersonal": {"stroke": "#00916a", "stroke_width": 3.0, "stroke_dasharray": "7 3"},
    "rheme": {"stroke": "#7d838a", "stroke_width": 1.0},
}
LEGEND_GAP = 22.0


def theme_view(sentences: Sequence[SentenceText], themes: Sequence[LabelledSpan], title: str = "Themes") -> str:
    """SVG of a document's themes and rhemes, which are spans of words.

    ``sentences`` are the raw text of each sentence and the characters ``[start, end)`` of its words.
    """
    layout = lay_out(sentences, [])
    numbers = MARGIN + text_width(str(len(sentences)), INDEX_SIZE)
    left, top = numbers + 12, LINE
    legend, legend_width = _legend(left)
    lines = [part for theme in themes for part in _lines(theme, layout, left, top)]
    firsts = [(number, boxes[0].line) for number, boxes in enumerate(layout.boxes, 1) if boxes]
    counted = [
        element("text", str(number), x=numbers, y=top + layout.middles[line] + INDEX_SIZE * 0.35)
        for number, line in firsts
    ]
    words = [
        lettering(run.text, SIZE, x=left + run.start, y=top + layout.middles[run.line] + SIZE * 0.35)
        for run in layout.runs
    ]
    parts = [
        group(legend, font_size=INDEX_SIZE + 2),
        group(lines, fill="none"),
        group(counted, font_size=INDEX_SIZE, opacity="0.6", text_anchor="end"),
        group(words, font_size=SIZE),
    ]
    right = max([run.end for run in layout.runs], default=0.0)
    height = top + max(layout.middles, default=0.0) + LINE
    description = f"{len(sentences)} sentences with {len(themes)} themes and rhemes, each with a line below it."
    return drawing(max(left + right, legend_width) + MARGIN, height, title, description, parts)


def _lines(theme: LabelledSpan, layout: MentionLayout, left: float, top: float) -> Iterator[Element]:
    """A line for each line of text that the span is on."""
    boxes = layout.boxes[theme.span.sentence][theme.span.start : theme.span.end]
    for line in dict.fromkeys(box.line for box in boxes):
        on_line = [box for box in boxes if box.line == line]
        y = top + layout.middles[line] + BELOW
        # A little shorter than its words, so that neighbours stay apart.
        path = f"M{left + on_line[0].start:.1f} {y:.1f}H{left + on_line[-1].end - 1.5:.1f}"
        yield element("path", element("title", theme.label), d=path, **look(theme.label))


def _legend(left: float) -> tuple[list[Element], float]:
    """Each kind with its line, and the right end."""
    parts: list[Element] = []
    x = left
    for label in LINES:
        width = text_width(label, INDEX_SIZE + 2)
        parts.append(lettering(label, INDEX_SIZE + 2, x=x, y=LINE - 8))
        parts.append(element("path", d=f"M{x:.1f} {LINE - 3:.1f}H{x + width:.1f}", fill="none", **look(label)))
        x += width + LEGEND_GAP
    return parts, x - LEGEND_GAP


def look(label: str) -> dict[str, float | str]:
    """The line of a label; labels of other analysers have that of rhemes."""
    return LINES.get(label, LINES["rheme"])
