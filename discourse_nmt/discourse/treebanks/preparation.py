"""Steps that prepare a treebank for the training of the analysers, and its division into documents."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.examples import fold_of, hash_of
from discourse_nmt.discourse.formats.conllu import DOCUMENT_KEYS, NEW_DOCUMENT, Sentence, documents_of, edu_starts
from discourse_nmt.discourse.treebanks.chinese import universal
from discourse_nmt.discourse.treebanks.merging import divide_spaced, merge_contractions, merge_hyphenated
from discourse_nmt.discourse.treebanks.settings import Part, Step
from discourse_nmt.discourse.treebanks.simplification import simplified
from discourse_nmt.discourse.treebanks.spacing import divide_paragraphs, restore_spaces

BLOCK, PARAGRAPH = 20, 2  # sentences
BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


def plain_brackets(content: str) -> str:
    """The content of a file with brackets instead of their names in the Penn Treebank."""
    for name, bracket in BRACKETS.items():
        content = content.replace(name, bracket)
    return content


def prepared(
    sentences: Sequence[Sentence], steps: Collection[Step], join: Callable[[list[str]], str], spaced: bool
) -> list[Sentence]:
    """The sentences of a document after the ``steps``; ``brackets`` is a step on files, :func:`plain_brackets`.

    ``join`` makes text of words if a treebank has none, see :func:`restore_spaces`; ``spaced`` is true for a language
    with spaces between words and sentences.
    """
    changes: dict[str, Callable[[Sentence], Sentence]] = {
        "simplified": simplified,
        "chinese_labels": universal,
        "contractions": merge_contractions,
        "hyphens": merge_hyphenated,
        "inner_spaces": divide_spaced,
        "spaces": lambda sentence: restore_spaces(sentence, join),
    }
    result = list(sentences)
    for name in (name for name in changes if name in steps):
        result = [changes[name](sentence) for sentence in result]
    return list(divide_paragraphs(result, spaced)) if "spaces" in steps else result


def documents_by_name(sentences: Sequence[Sentence], name: str, stem: str) -> dict[str, list[Sentence]]:
    """Documents by name; names must be valid file names. Messages call the file ``name``.

    A document whose ``# newdoc`` has no id is named ``STEM-0001`` and so on, by its place in the file, and so are
    sentences before the first one. A file without any ``# newdoc`` is divided into documents of :data:`BLOCK`
    sentences, which are named likewise, with paragraphs of :data:`PARAGRAPH` sentences, so that a segmenter learns of
    paragraphs: treebanks of single sentences have no documents. A mark that repeats the name of the sentence before
    begins no document.
    """
    sentences = list(without_repeated_marks(sentences))
    groups: Iterable[tuple[str, Sequence[Sentence]]] = [
        (document, group) if document else _identified(group, f"{stem}-{place:04d}")
        for place, (document, group) in enumerate(documents_of(sentences), start=1)
    ]
    if sentences and not any(sentence.begins_document for sentence in sentences):
        blocks = [sentences[first : first + BLOCK] for first in range(0, len(sentences), BLOCK)]
        names = [f"{stem}-{number:04d}" for number in range(1, len(blocks) + 1)]
        groups = [(document, named(block, document)) for document, block in zip(names, blocks)]
    documents: dict[str, list[Sentence]] = {}
    for document, group in groups:
        if document in documents or "/" in document or document.startswith("."):
            raise InputError(f"document {document!r} comes twice, or its name cannot name a file", file=name)
        edu_starts(group)  # a treebank whose marks contradict each other is not prepared
        documents[document] = list(group)
    return documents


def _identified(sentences: Sequence[Sentence], document: str) -> tuple[str, list[Sentence]]:
    """The name of a document that has none, and its sentences with the name in a comment."""
    first, *others = sentences
    comments = (line for line in first.comments if not NEW_DOCUMENT.fullmatch(line))
    return document, [replace(first, comments=(f"# newdoc id = {document}", *comments)), *others]


def without_repeated_marks(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """The sentences without ``# newdoc id`` where the name is that of the document before (UD Chinese PUD)."""
    document = None
    for sentence in sentences:
        name = sentence.comment(*DOCUMENT_KEYS)
        if name is not None and name == document:
            marks = tuple(f"# {key} =" for key in DOCUMENT_KEYS)
            sentence = replace(
                sentence, comments=tuple(line for line in sentence.comments if not line.startswith(marks))
            )
        document = name or document
        yield sentence


def named(sentences: Sequence[Sentence], document: str) -> list[Sentence]:
    """The sentences as a document: its name is told before the first one, and paragraphs are marked."""
    marks: list[tuple[str, ...]] = [() if place % PARAGRAPH else ("# newpar",) for place in range(len(sentences))]
    marks[0] = (f"# newdoc id = {document}", *marks[0])
    return [Sentence((*mark, *sentence.comments), sentence.rows) for mark, sentence in zip(marks, sentences)]


def in_part(document: str, folds: int, part: Part) -> bool:
    """Whether a document belongs to the part: ``held`` is fold 0 of ``folds``, ``kept`` all other folds."""
    return part == "all" or (fold_of(document, folds) == 0) == (part == "held")


def first_documents(sizes: Mapping[str, int], sentences: int) -> set[str]:
    """The fewest documents with at least ``sentences`` sentences together; all of them if it is 0.

    ``sizes`` are the numbers of their sentences. They are taken in the order of a stable hash of their names, so that a
    smaller choice is part of a larger one.
    """
    names = sorted(sizes, key=hash_of)
    before = accumulate((sizes[name] for name in names), initial=0)
    return {name for name, taken in zip(names, before) if taken < sentences or not sentences}
