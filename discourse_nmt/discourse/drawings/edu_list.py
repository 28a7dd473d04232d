"""The list of a document's EDUs on the right of a drawing: a label, a number and wrapped text for each."""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.discourse.drawings.canvas import Element, element, group, lettering
from discourse_nmt.discourse.drawings.lettering import text_width, wrapped

SIZE, LABEL_SIZE = 13.0, 11.0
LINE, GAP = 17.0, 9.0  # height of a line of text, space between EDUs
MARGIN = 12.0
TEXT_WIDTH = 560.0
PADDING = 7.0  # to either side of a label's text
LABEL_STYLE: dict[str, float | str] = {"font_size": LABEL_SIZE, "text_anchor": "middle"}


@dataclass(frozen=True)
class Label:
    """The label before an EDU: its text, its colour, and a sentence for tooltips and screen readers."""

    text: str
    colour: str
    meaning: str


class EduList:
    """Positions of EDUs from top to bottom; ``left`` is the right edge of the drawing, where the labels begin."""

    def __init__(self, texts: Sequence[str], labels: Sequence[Label], left: float) -> None:
        self.labels = labels
        self.left = left
        self.lines = [wrapped(text, SIZE, TEXT_WIDTH) for text in texts]
        tops = [MARGIN]
        for lines in self.lines:
            tops.append(tops[-1] + len(lines) * LINE + GAP)
        self.middles = [top + LINE / 2 for top in tops[:-1]]  # of each EDU's first line, where lines of the drawing end
        self.height = tops[-1] - GAP + MARGIN
        label_width = max((text_width(label.text, LABEL_SIZE) for label in labels), default=0.0) + 2 * PADDING
        number_width = text_width(str(len(texts)), SIZE)
        self.numbers = left + label_width + 8 + number_width  # right edge of the numbers
        self.texts = self.numbers + 8
        widest = max((text_width(line, SIZE) for lines in self.lines for line in lines), default=0.0)
        self.width = self.texts + widest + MARGIN

    def elements(self) -> list[Element]:
        """One group per EDU."""
        groups = []
        for number, (lines, label, middle) in enumerate(zip(self.lines, self.labels, self.middles)):
            baseline = middle + SIZE * 0.35
            width = text_width(label.text, LABEL_SIZE) + 2 * PADDING
            box = {"x": self.left, "y": middle - 8, "width": width, "height": 16.0, "rx": 8.0}
            words = [lettering(line, SIZE, x=self.texts, y=baseline + LINE * row) for row, line in enumerate(lines)]
            groups.append(
                group(
                    [
                        element("title", label.meaning),
                        element("rect", **box, fill=label.colour, fill_opacity="0.14", stroke=label.colour),
                        lettering(label.text, LABEL_SIZE, x=self.left + width / 2, y=middle + 4, **LABEL_STYLE),
                        element("text", str(number + 1), x=self.numbers, y=baseline, text_anchor="end", opacity="0.6"),
                        *words,
                    ]
                )
            )
        return groups
