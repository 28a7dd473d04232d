"""Outputs that are no translation of their source: empty, a copy, in another language, or a loop."""

from collections.abc import Callable, Sequence

import numpy as np

from discourse_nmt.sentence_alignment.words import Numbering, Words, echoes, forms_of

OtherLanguage = Callable[[str], str | None]
"""Code of the language of a text that is certainly not in the target language; None for other texts."""

RUN = 4  # words that stand in a row
COPIED = 0.5  # share of the output's runs of words that stand in the source, too
LOOPED = 0.5  # share of words that say again what stands before them
COMMON = 0.1  # least share of words that stand in the references, too
JUDGED = 12  # words of a text that is judged


def problem_of(
    source: Sequence[str], words: Words, reference: Sequence[str] | None, other: OtherLanguage
) -> str | None:
    """Why the ``words`` of an output are no translation, in one line; None if they may be one."""
    if not words.forms:
        return "the output is empty"
    if len(words.forms) < JUDGED:
        return None
    if np.mean(echoes(Numbering().add(words.forms))) >= LOOPED:
        return "the output says the same again and again"
    originals = _runs(source)
    copied = _share(_runs([words.text]), originals)
    # Lists of names and numbers are the same in the reference, too.
    if copied >= COPIED and (reference is None or copied >= 2 * _share(_runs(reference), originals)):
        return f"{copied:.0%} of the output is copied from the source"
    if reference is not None and _share(words.forms, forms_of("\n".join(reference))) < COMMON:
        return "the output has hardly a word in common with the references"
    if language := other(words.text):
        return f"the output is in another language ({language})"
    return None


def _runs(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """All runs of words of texts that follow each other."""
    forms = forms_of("\n".join(texts))
    return list(zip(*(forms[first:] for first in range(RUN))))


def _share(own: Sequence[object], other: Sequence[object]) -> float:
    """The share of ``own`` that stand among ``other``."""
    known = set(other)
    return sum(one in known for one in own) / max(1, len(own))
