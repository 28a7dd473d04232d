"""Spaces between words, for treebanks that do not mark them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from discourse_nmt.discourse.formats.conllu import EMPTY, ConlluRow, Sentence

TEXT = "text"
PARAGRAPH = "# newpar"
ENDS = frozenset(".!?:;…\"'“”’)]」』）】》。！？：；")


def restore_spaces(sentence: Sentence, join: Callable[[list[str]], str]) -> Sentence:
    """The sentence with ``SpaceAfter=No`` at words without a space after.

    The text is the comment ``# text`` if it has the words in order, otherwise the result of ``join`` (a detokeniser). A
    comment that has a space between all words tells nothing: treebanks of DISRPT have such where the text is lost.
    Multiword tokens are not supported.
    """
    forms = [word.form for word in sentence.words]
    spaces = None
    told = sentence.comment(TEXT)
    for text in (None if told == " ".join(forms) else told, join(forms)):
        spaces = spaces or (space_after(forms, text) if text else None)
    if spaces is None:
        return sentence
    return Sentence(sentence.comments, tuple(_spaced(row, space) for row, space in zip(sentence.rows, spaces)))


def divide_paragraphs(sentences: Sequence[Sentence], spaced: bool) -> Iterator[Sentence]:
    """The sentences of a document with paragraphs: a sentence without a final mark, such as a heading, is a paragraph.

    A document with marked paragraphs is unchanged. If the language has no spaces (``spaced`` is false), there is no
    space between the sentences of a paragraph.
    """
    told = any(line.startswith(PARAGRAPH) for sentence in sentences for line in sentence.comments)
    after_heading = False
    for sentence in sentences:
        heading = sentence.words[-1].form[-1] not in ENDS
        comments, rows = sentence.comments, sentence.rows
        if (heading or after_heading) and not told:
            comments = (*comments, PARAGRAPH)
        yield Sentence(comments, rows if spaced else (*rows[:-1], _spaced(rows[-1], False)))
        after_heading = heading


def space_after(forms: Sequence[str], text: str) -> list[bool] | None:
    """Whether space follows each word in ``text`` (true for the last one); None if ``text`` has other words."""
    spaces = []
    place = 0
    for form in forms:
        while text[place : place + 1].isspace():
            place += 1
        if not text.startswith(form, place):
            return None
        place += len(form)
        spaces.append(place == len(text) or text[place].isspace())
    return None if text[place:].strip() else spaces


def _spaced(row: ConlluRow, space: bool) -> ConlluRow:
    if space:
        return row
    return replace(row, misc="SpaceAfter=No" if row.misc == EMPTY else f"{row.misc}|SpaceAfter=No")
