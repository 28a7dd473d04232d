"""Documents of MMAX2 (stand-off XML, as ParCorFull has it): words, sentences and sets of coreferent markables.

``NAME_words.xml`` holds words with the ids ``word_N``; the levels are lists of markables with a span of words
(``word_3..word_5``). Markables of one ``coref_class`` corefer; those without a set (``empty``) are no mentions.
"""

import re

from lxml import etree

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention

SPAN = re.compile(r"word_([0-9]{1,9})(?:\.\.word_([0-9]{1,9}))?")
ENTITY = re.compile(r"set_([0-9]{1,9})")
PUNCTUATION = frozenset(".,;:!?\"'`“”„‚‘’«»()[]–-")


def read_mmax(name: str, words: bytes, sentences: bytes, coreference: bytes) -> tuple[CoreferenceDocument, int]:
    """A document from the contents of its three files, and the number of mentions that are left out.

    These are mentions in several pieces and those that are not in one sentence. Punctuation at both ends of a mention
    is not part of it. Every mention has the type ``entity``.
    """
    forms = [(element.text or "").strip() for element in _elements(words, name, "word")]
    borders = sorted(_span(element, name, len(forms)) for element in _elements(sentences, name, "markable"))
    if [start for start, _ in borders] != [0, *(end for _, end in borders[:-1])] or borders[-1][1] != len(forms):
        raise InputError("the sentences do not divide the words", file=name, remedy="correct the level sentence")
    mentions: dict[tuple[int, int], EntityMention] = {}
    left_out = 0
    for element in _elements(coreference, name, "markable"):
        entity = ENTITY.fullmatch(element.get("coref_class", ""))
        if entity is None:
            continue
        if "," in element.get("span", ""):
            left_out += 1
            continue
        start, end = _span(element, name, len(forms))
        while start < end and PUNCTUATION.issuperset(forms[start]):
            start += 1
        while start < end and PUNCTUATION.issuperset(forms[end - 1]):
            end -= 1
        if start == end or (start, end) in mentions or not any(a <= start and end <= b for a, b in borders):
            left_out += 1
            continue
        mentions[start, end] = EntityMention(start, end, entity[1], "entity")
    divided = tuple(tuple(forms[start:end]) for start, end in borders)
    return CoreferenceDocument(name, divided, tuple(sorted(mentions.values()))), left_out


def _elements(content: bytes, name: str, tag: str) -> list[etree._Element]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise InputError(f"not XML: {error.msg}", file=name, line=error.lineno) from None
    return [element for element in root.iter() if etree.QName(element).localname == tag]


def _span(element: etree._Element, name: str, words: int) -> tuple[int, int]:
    """The words ``[start, end)`` of a markable, from 0."""
    span = SPAN.fullmatch(element.get("span", ""))
    if span is None or not 1 <= int(span[1]) <= int(span[2] or span[1]) <= words:
        fault = f"markable {element.get('id')} has the span {element.get('span')!r}"
        raise InputError(fault, file=name, line=element.sourceline, remedy=f"give words from 1 to {words}")
    return int(span[1]) - 1, int(span[2] or span[1])
