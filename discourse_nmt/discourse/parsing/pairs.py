"""Hashed pairs of symbols of a node's two children: beginnings, heads, subjects, the dependencies between them.

A pair is an integer of 31 bits. Only pairs that are frequent in the training data have weights.
"""

from zlib import crc32

import numpy as np

from discourse_nmt.base.arrays import Integers
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.layout import UnitLayout
from discourse_nmt.discourse.structures.mentions import Span, head_of_span
from discourse_nmt.discourse.structures.syntax import Syntax

FIRST, FIRST_TWO, TAG, RELATION, LAST, HEAD, HEAD_TAG, HEAD_RELATION, HEAD_FEATURES, SUBJECT, AUXILIARY, MARK = range(
    12
)
MARKS = frozenset(("mark", "cc", "advmod", "discourse"))
SIZES = 4  # classes of the number of sentences of a child


def symbols_of(document: ParserInput) -> Integers:
    """Hashed symbols [edus, 12] of every discourse unit, in the order of the constants above."""
    texts = [_symbols(document.sentences[edu.sentence], edu) for edu in document.edus]
    return np.array([[crc32(text.encode()) for text in row] for row in texts], np.int64)


def _symbols(sentence: Syntax, edu: Span) -> list[str]:
    start, end = edu.start, edu.end
    head = head_of_span(edu, sentence.heads).start
    dependents = [word for word in range(start, end) if sentence.heads[word] == head]
    subjects = [
        sentence.lemmas[word] if sentence.upos[word] == "PRON" else sentence.upos[word]
        for word in dependents
        if sentence.deprels[word].startswith("nsubj")
    ]
    return [
        sentence.forms[start].lower(),
        " ".join(sentence.forms[start : min(start + 2, end)]).lower(),
        sentence.xpos[start],
        sentence.deprels[start],
        sentence.forms[end - 1].lower(),
        sentence.lemmas[head].lower(),
        sentence.xpos[head],
        sentence.deprels[head],
        sentence.features[head],
        " ".join(subjects[:1]),
        " ".join(sentence.lemmas[word] for word in dependents if sentence.deprels[word].startswith(("aux", "cop"))),
        " ".join(sentence.lemmas[word].lower() for word in dependents if sentence.deprels[word] in MARKS),
    ]


def pairs_of(symbols: Integers, layout: UnitLayout, nodes: Integers) -> Integers:
    """Pairs [N, templates] at inner nodes [N, 3] (first EDU, first EDU of the right child, end)."""
    start, division, end = nodes.T
    left, right = symbols[layout.first_tops(start, division)], symbols[layout.first_tops(division, end)]
    left_first, left_last = symbols[start], symbols[division - 1]
    right_first, right_last = symbols[division], symbols[end - 1]
    after = np.append(symbols, np.zeros_like(symbols[:1]), axis=0)[end]
    link = layout.links(start, division, end)
    sizes = [
        np.minimum(layout.sentences[last - 1] - layout.sentences[first], SIZES - 1)
        for first, last in ((start, division), (division, end))
    ]
    size = SIZES * sizes[0] + sizes[1]
    paragraph = 64 * layout.paragraph_classes(start, division) + layout.paragraph_classes(division, end)
    opens = layout.paragraph_classes(division, end) % 4
    templates = [
        (left_first[:, FIRST], right_first[:, FIRST]),
        (left_first[:, TAG], right_first[:, TAG]),
        (left_last[:, LAST], right_first[:, FIRST]),
        *((left[:, symbol], right[:, symbol]) for symbol in (HEAD, HEAD_TAG, HEAD_RELATION, HEAD_FEATURES)),
        *((left[:, symbol], right[:, symbol]) for symbol in (SUBJECT, AUXILIARY, MARK)),
        *((child[:, symbol], link) for child in (left_first, right_first) for symbol in (FIRST, FIRST_TWO, RELATION)),
        *((child[:, symbol], link) for child in (left, right) for symbol in (HEAD, HEAD_TAG, HEAD_RELATION, MARK)),
        *((child[:, FIRST], size) for child in (left_first, right_first, after)),
        *((child[:, FIRST_TWO], size) for child in (left_first, right_first)),
        *((child[:, symbol], size) for child in (left, right) for symbol in (HEAD_TAG, HEAD_FEATURES, SUBJECT, MARK)),
        *((child[:, LAST], size) for child in (left_last, right_last)),
        (right_first[:, FIRST], opens),
        (size, link),
        (size, paragraph),
    ]
    columns = [_hash(number, one, other) for number, (one, other) in enumerate(templates)]
    return np.stack(columns, axis=1)


def _hash(template: int, one: Integers, other: Integers) -> Integers:
    """Hashes of 31 bits (multiplication and shift, as in the finaliser of MurmurHash3)."""
    mixed = (one.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) ^ (
        other.astype(np.uint64) + np.uint64(template << 40)
    )
    mixed = (mixed ^ (mixed >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    return (mixed >> np.uint64(33)).astype(np.int64)
