"""Files as simple translators give them back."""

from collections.abc import Callable

import numpy as np

from discourse_nmt.translation.analysis import sentence_splitter
from discourse_nmt.translation.formats.endings import format_of
from discourse_nmt.translation.formats.readers import read_formatted
from discourse_nmt.translation.formatted_documents import FormattedDocument
from discourse_nmt.translation.word_links import WordLinks

SPLIT = sentence_splitter("en")


def copied(sentence: str) -> str:
    return sentence


def word_by_word(source: str, target: str) -> WordLinks:
    """Links of lines with as many words, in the same order."""
    links = WordLinks.of_places(source, target)
    if len(links.source) == len(links.target):
        return WordLinks(links.source, links.target, np.eye(len(links.source)))
    return links


def translated(
    text: str,
    name: str,
    translate: Callable[[str], str] = copied,
    links: Callable[[str, str], WordLinks] = word_by_word,
    joint: str | None = None,
) -> str:
    """The text of the file ``name``, whose format its ending tells, with each sentence translated."""
    format_name = format_of(name)
    assert format_name is not None
    document = FormattedDocument.of(read_formatted(text, name, format_name, "de"), name, SPLIT)
    source = document.document.sentences
    lines = [translate(sentence) for sentence in source]
    return document.with_translation(source, lines, lambda: [links(*pair) for pair in zip(source, lines)], " ", joint)


def sentences(text: str, name: str) -> list[str]:
    """What a translator reads of a file."""
    format_name = format_of(name)
    assert format_name is not None
    return list(FormattedDocument.of(read_formatted(text, name, format_name, "de"), name, SPLIT).document.sentences)
