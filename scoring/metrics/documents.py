"""Joins sentences into the longer segments that document-level BLEU counts n-grams in."""

from collections.abc import Hashable, Iterable
from itertools import groupby


def join(sentences: Iterable[str], units: Iterable[Hashable]) -> list[str]:
    """One segment per unit: the sentences of a run of equal ``units``, joined by single spaces.

    ``units`` names for every sentence the document or the 512-token instance it is in. The space is what
    G-Transformer's code joins by (Bao et al. 2021); sacrebleu's tokenisers treat runs of spaces as one.
    """
    pairs = zip(units, sentences, strict=True)
    return [" ".join(sentence for _, sentence in run) for _, run in groupby(pairs, key=lambda pair: pair[0])]
