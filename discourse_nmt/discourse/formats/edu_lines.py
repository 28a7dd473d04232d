"""EDU lists with one tokenised EDU per line: the output of NeuralEDUSeg, the input of StageDP, SciDTB's .edu files.

``<S>``, on a line of its own or at the end of a line, ends a sentence; ``<P>`` ends a paragraph and with it a sentence.
NeuralEDUSeg writes no marks; StageDP needs them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import lines_of
from discourse_nmt.discourse.structures.trees import StructureError

SENTENCE_END = "<S>"
PARAGRAPH_END = "<P>"


@dataclass(frozen=True, slots=True)
class EduLine:
    """The words of an EDU, and whether a sentence and a paragraph end with it."""

    words: tuple[str, ...]
    ends_sentence: bool = False
    ends_paragraph: bool = False

    def __post_init__(self) -> None:
        if not self.words or self.ends_paragraph > self.ends_sentence:
            raise StructureError("an EDU has words, and a paragraph ends where a sentence ends")


def read_edu_lines(content: str | bytes, name: str) -> list[EduLine]:
    """Read an EDU list; in a list with marks, the last EDU ends a sentence and a paragraph."""
    edus: list[EduLine] = []
    marked = False
    for number, line in lines_of(content, name):
        words = line.split()
        sentence = paragraph = False
        while words and words[-1] in (SENTENCE_END, PARAGRAPH_END):
            sentence, paragraph = True, paragraph or words[-1] == PARAGRAPH_END
            words.pop()
        if SENTENCE_END in words or PARAGRAPH_END in words:
            raise InputError("a sentence or paragraph mark inside an EDU", file=name, line=number)
        marked = marked or sentence
        if words:
            edus.append(EduLine(tuple(words), sentence, paragraph))
        elif sentence and not edus:
            raise InputError("a mark before the first EDU", file=name, line=number)
        elif sentence:
            edus[-1] = EduLine(edus[-1].words, True, paragraph or edus[-1].ends_paragraph)
    if not edus:
        raise InputError("no EDU", file=name)
    if marked:
        edus[-1] = EduLine(edus[-1].words, True, True)
    return edus


def write_edu_lines(edus: Sequence[EduLine]) -> str:
    """The text for StageDP, with marks at the ends of lines."""
    return "".join(
        " ".join((*edu.words, *[SENTENCE_END] * edu.ends_sentence, *[PARAGRAPH_END] * edu.ends_paragraph)) + "\n"
        for edu in edus
    )
