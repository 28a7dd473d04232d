"""Noise on training sentences, so that the joint network also reads text that its treebanks hardly have: headings,
lists, upper-case text, chat."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from discourse_nmt.discourse.analysers.examples import Example

Label = TypeVar("Label")
CASES: tuple[Callable[[str], str], ...] = (
    str.lower,
    str.upper,
    lambda form: form[:1].upper() + form[1:],  # as in a title; str.title would give Don'T
)


def noisy(example: Example, case_noise: float, ending_noise: float, randomness: np.random.Generator) -> Example:
    """``example``, perhaps in lower, upper or title case and without its final punctuation mark.

    ``case_noise`` and ``ending_noise`` are the probabilities of a change. A mark with dependents and the only word of a
    sentence stay.
    """
    if randomness.random() < case_noise:
        change = CASES[randomness.integers(len(CASES))]
        example = replace(example, forms=tuple(map(change, example.forms)))
    last = len(example.forms) - 1
    if last > 0 and randomness.random() < ending_noise and example.upos[last] == "PUNCT" and last not in example.heads:
        example = _first(example, last)
    return example


def _first(example: Example, size: int) -> Example:
    """The first ``size`` words of a sentence, of which no other word is a head."""

    def cut(labels: Sequence[Label]) -> tuple[Label, ...]:
        return tuple(labels[:size])

    return replace(
        example,
        forms=cut(example.forms),
        lemmas=cut(example.lemmas),
        upos=cut(example.upos),
        xpos=None if example.xpos is None else cut(example.xpos),
        features=None if example.features is None else cut(example.features),
        heads=cut(example.heads),
        deprels=cut(example.deprels),
        edu_starts=None if example.edu_starts is None else cut(example.edu_starts),
    )
