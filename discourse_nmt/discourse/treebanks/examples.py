"""Training data of the analysers from CoNLL-U sentences: annotated words, and raw text with its segmentation."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.formats.conllu import EMPTY, Sentence, documents_of, edu_starts


def examples_of(
    sentences: Iterable[Sentence], treebank: str, units: bool, features: bool, xpos: bool = True
) -> list[Example]:
    """Examples of all sentences with full syntax; ``units``, ``features`` and ``xpos`` say whether discourse units,
    features and language-specific tags are learnt. A document without a mark of a unit teaches none, nor tags where it
    has none."""
    examples = []
    for document, group in documents_of(sentences):
        starts = edu_starts(group) if units else [[]] * len(group)
        marked = any(map(any, starts))
        tagged = any(word.xpos != EMPTY for sentence in group for word in sentence.words)
        for sentence, begins in zip(group, starts):
            words = sentence.words
            if not words or not sentence.heads:
                continue
            examples.append(
                Example(
                    document=document or "",
                    forms=tuple(word.form for word in words),
                    lemmas=tuple(word.lemma for word in words),
                    upos=tuple(word.upos for word in words),
                    xpos=tuple(word.xpos for word in words) if xpos and tagged else None,
                    features=tuple(word.feats for word in words) if features else None,
                    heads=sentence.heads,
                    deprels=tuple(word.deprel for word in words),
                    edu_starts=tuple(begins) if marked else None,
                    treebank=treebank,
                )
            )
    return examples


@dataclass(frozen=True)
class Segmented:
    """Raw text of a paragraph and its segmentation: character ranges of the words of each sentence."""

    text: str
    sentences: tuple[tuple[tuple[int, int], ...], ...]


def paragraphs_of(sentences: Iterable[Sentence]) -> Iterator[list[Segmented]]:
    """The raw text of each document, as a list of paragraphs.

    Words of a multiword token (*do* + *n't*) are pieces of it. Words are separated by one space except after
    ``SpaceAfter=No``; a sentence with ``# newpar`` begins a paragraph.
    """
    for _, group in documents_of(sentences):
        paragraphs: list[Segmented] = []
        text = ""
        spans: list[tuple[tuple[int, int], ...]] = []
        for sentence in group:
            if spans and any(line.startswith(("# newpar", "# newdoc")) for line in sentence.comments):
                paragraphs.append(Segmented(text.rstrip(), tuple(spans)))
                text, spans = "", []
            text, words = _lay_out(sentence, text)
            if words:
                spans.append(tuple(words))
        if spans:
            paragraphs.append(Segmented(text.rstrip(), tuple(spans)))
        yield paragraphs


def _lay_out(sentence: Sentence, text: str) -> tuple[str, list[tuple[int, int]]]:
    """``text`` with the sentence appended, and the character ranges of its words in it."""
    words: list[tuple[int, int]] = []
    space_after = True
    token_end = 0  # number of the last word of the open multiword token
    for row in sentence.rows:
        first, multiword, last = row.id.partition("-")
        if multiword:
            token_end = int(last)
            space_after = "SpaceAfter=No" not in row.misc.split("|")
        elif first.isdigit():
            inside = int(first) < token_end
            words.append((len(text), len(text) + len(row.form)))
            text += row.form
            if int(first) > token_end:
                space_after = "SpaceAfter=No" not in row.misc.split("|")
            if not inside and space_after:
                text += " "
    return text, words
