"""EDUs of an RST tree as marks on the words of its CoNLL-U file."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from discourse_nmt.discourse.formats.conllu import EMPTY, ConlluRow, Sentence
from discourse_nmt.discourse.structures.trees import StructureError

MARK = "Seg=B-seg"


def mark_edus(sentences: Sequence[Sentence], texts: Sequence[str]) -> list[Sentence]:
    """The sentences of a document with ``Seg=B-seg`` at the first word of each EDU.

    ``texts`` are the EDUs in order; white space is ignored. Raises :class:`StructureError` if EDUs and words have
    different texts, if an EDU begins inside a word, or if an EDU ends inside a sentence after the one in which it
    begins.
    """
    edus = ["".join(text.split()) for text in texts]
    words = "".join(word.form for sentence in sentences for word in sentence.words)
    if "".join(edus) != words:
        place = next((n for n, (left, right) in enumerate(zip("".join(edus), words)) if left != right), 0)
        raise StructureError(f"the EDUs are not the words of the sentences: {''.join(edus)[place : place + 20]!r}")
    starts = dict.fromkeys(accumulate((len(edu) for edu in edus[:-1]), initial=0), False)
    place = 0
    marked = []
    for sentence in sentences:
        if starts.get(place) is None:
            raise StructureError(f"an EDU crosses the beginning of sentence {sentence.comment('sent_id')}")
        rows = []
        for row in sentence.rows:
            if row.id.isdigit():
                begins, place = place in starts, place + len(row.form)
                row = _marked(row) if begins else row
                if begins:
                    starts[place - len(row.form)] = True
            rows.append(row)
        marked.append(Sentence(sentence.comments, tuple(rows)))
    if not all(starts.values()):
        inside = next(number for number, found in enumerate(starts.values()) if not found)
        raise StructureError(f"EDU {inside + 1} begins inside a word")
    return marked


def _marked(row: ConlluRow) -> ConlluRow:
    return replace(row, misc=MARK if row.misc == EMPTY else f"{row.misc}|{MARK}")
