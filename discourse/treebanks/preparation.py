"""Steps that prepare a treebank for the training of the analysers, and its division into documents."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.discourse.analysers.examples import fold_of
from discourse_nmt.discourse.formats.conllu import Sentence, documents_of
from discourse_nmt.discourse.treebanks.chinese import universal
from discourse_nmt.discourse.treebanks.merging import merge_contractions, merge_hyphenated
from discourse_nmt.discourse.treebanks.spacing import divide_paragraphs, restore_spaces

Step = Literal["brackets", "chinese_labels", "contractions", "hyphens", "spaces"]
Part = Literal["all", "held", "kept"]
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
        "chinese_labels": universal,
        "contractions": merge_contractions,
        "hyphens": merge_hyphenated,
        "spaces": lambda sentence: restore_spaces(sentence, join),
    }
    result = list(sentences)
    for name in (name for name in changes if name in steps):
        result = [changes[name](sentence) for sentence in result]
    return list(divide_paragraphs(result, spaced)) if "spaces" in steps else result


def documents_by_name(sentences: Iterable[Sentence], name: str) -> dict[str, list[Sentence]]:
    """Documents by name; names must be valid file names. Messages call the file ``name``."""
    documents: dict[str, list[Sentence]] = {}
    for document, group in documents_of(sentences):
        if document is None:
            raise InputError("sentences before the first '# newdoc id ='", file=name)
        if document in documents or "/" in document or document.startswith("."):
            raise InputError(f"document {document!r} comes twice, or its name cannot name a file", file=name)
        documents[document] = group
    return documents


def in_part(document: str, folds: int, part: Part) -> bool:
    """Whether a document belongs to the part: ``held`` is fold 0 of ``folds``, ``kept`` all other folds."""
    return part == "all" or (fold_of(document, folds) == 0) == (part == "held")
