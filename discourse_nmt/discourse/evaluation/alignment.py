"""Alignment of the layers of a treebank: equality of their words, and the words that a text covers."""

from collections.abc import Sequence
from itertools import accumulate

from discourse_nmt.discourse.evaluation.measures.offsets import Offsets
from discourse_nmt.discourse.formats.conllu import Sentence
from discourse_nmt.discourse.structures.trees import StructureError

MISSPELT = 0.05


def check_words(words: Sequence[str], gold: Sequence[str]) -> None:
    """Raise :class:`StructureError` unless ``words`` are those of the CoNLL-U file.

    A placeholder of underscores equals any word. The share :data:`MISSPELT` of the words may differ, as the layers of a
    treebank are corrected at different times.
    """
    if len(words) != len(gold):
        raise StructureError(f"{len(words)} words, in CoNLL-U there are {len(gold)}")
    differing = _differing(words, gold)
    if len(differing) > MISSPELT * len(words):
        left, right = words[differing[0]], gold[differing[0]]
        raise StructureError(
            f"{len(differing)} of {len(words)} words differ from those in CoNLL-U, the first is word "
            f"{differing[0] + 1} of the document: {left[:30]!r}, there {right[:30]!r}"
        )


def align_segments(texts: Sequence[str], sentences: Sequence[Sentence]) -> tuple[Offsets, ...]:
    """Words ``[start, end)`` of the document that each text covers; together they cover the document.

    The texts have the words, separated by space (see :func:`check_words` for differences), or the same characters with
    other divisions (*don't* for *do* + *n't*, or the multiword token *zum* for its two words). Raises
    :class:`StructureError` if the words differ, if a text has no words, or if it ends inside a word.
    """
    words = [word.form for sentence in sentences for word in sentence.words]
    divided = [text.split() for text in texts]
    flat = [token for tokens in divided for token in tokens]
    if len(flat) == len(words) and len(_differing(flat, words)) <= MISSPELT * len(words):
        ends = list(accumulate(map(len, divided)))
    else:
        ends = _ends_by_characters(["".join(tokens) for tokens in divided], words, sentences)
    starts = [0, *ends[:-1]]
    for number, (start, end) in enumerate(zip(starts, ends), start=1):
        if start == end:
            raise StructureError(f"EDU {number} has no words")
    return tuple(zip(starts, ends))


def _ends_by_characters(texts: Sequence[str], words: Sequence[str], sentences: Sequence[Sentence]) -> list[int]:
    characters = "".join(texts)
    written = _squeezed(words)
    word_after = {offset: number for number, offset in enumerate(accumulate(map(len, written)), start=1)}
    if characters != "".join(written):
        surface = _surface(sentences)
        if characters != "".join(form for form, _ in surface):
            raise StructureError(_difference(texts, "".join(written)))
        ends = accumulate(len(form) for form, _ in surface)
        word_after = {offset: number for offset, (_, number) in zip(ends, surface)}
    word_ends = []
    for number, offset in enumerate(accumulate(map(len, texts)), start=1):
        if offset not in word_after and offset:
            raise StructureError(f"EDU {number} ends inside a word of CoNLL-U: ...{characters[:offset][-20:]!r}")
        word_ends.append(word_after.get(offset, 0))
    return word_ends


def _surface(sentences: Sequence[Sentence]) -> list[tuple[str, int]]:
    """The written tokens, without space, each with the number of words of the document up to its end."""
    tokens: list[tuple[str, int]] = []
    before = 0
    for sentence in sentences:
        last = 0  # last word of the open multiword token
        for row in sentence.rows:
            _, multiword, end = row.id.partition("-")
            if multiword:
                last = int(end)
                tokens.append((_squeezed([row.form])[0], before + last))
            elif row.id.isdigit() and int(row.id) > last:
                tokens.append((_squeezed([row.form])[0], before + int(row.id)))
        before += len(sentence.words)
    return tokens


def _difference(texts: Sequence[str], written: str) -> str:
    """A message about the first difference between the texts and CoNLL-U."""
    reached = 0
    for number, text in enumerate(texts, start=1):
        if not written.startswith(text, reached):
            place = written[reached : reached + 30]
            return f"EDU {number} is {text[:30]!r} without spaces, CoNLL-U has {place!r} there"
        reached += len(text)
    return f"the EDUs end before CoNLL-U does, which goes on with {written[reached : reached + 30]!r}"


def _squeezed(forms: Sequence[str]) -> list[str]:
    return ["".join(form.split()) for form in forms]


def _differing(words: Sequence[str], gold: Sequence[str]) -> list[int]:
    """Indices of words that differ, neither being a placeholder of underscores."""
    pairs = enumerate(zip(words, gold))
    return [index for index, (left, right) in pairs if left != right and left.strip("_") and right.strip("_")]
