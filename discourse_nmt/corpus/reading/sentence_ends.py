"""Sentences by their end marks alone: for languages without a shipped splitter, and to count those of a field.

A count has to tell a text of many sentences from a sentence, in any language and before any weights are loaded: a mark
after an abbreviation does no harm.
"""

import re
from collections.abc import Sequence

SPACED = re.compile(r"[.!?…؟।۔][\"'”’»)\]]*\s+(?=[\"'“„«¿¡(\[]*(\w))")
UNSPACED = re.compile(r"[。！？][\"'”’」』）]*\s*(?=\S)")


def split_at_ends(texts: Sequence[str]) -> list[list[str]]:
    """The sentences of each text: they end at ``。！？``, and at ``.!?…؟।۔`` before a blank but no small letter."""
    return [_sentences(text) for text in texts]


def sentence_count(text: str) -> int:
    """The number of sentences of a text by its end marks."""
    return len(_sentences(text))


def _sentences(text: str) -> list[str]:
    ends = [match.end() for match in SPACED.finditer(text) if not match[1].islower()]
    ends = sorted({*ends, *(match.end() for match in UNSPACED.finditer(text))})
    parts = [text[start:end].strip() for start, end in zip([0, *ends], [*ends, len(text)])]
    return [part for part in parts if part]
