"""Joins sentences into the segments of document-level BLEU."""

from collections.abc import Hashable, Iterable
from itertools import groupby


def join(sentences: Iterable[str], units: Iterable[Hashable]) -> list[str]:
    """One segment per unit: the sentences of a run of equal ``units``, joined by single spaces.

    ``units`` has the document or the 512-token instance of each sentence. G-Transformer's code joins by a space, too
    (Bao et al. 2021); sacrebleu's tokenisers treat several spaces as one.
    """
    pairs = zip(units, sentences, strict=True)
    return [" ".join(sentence for _, sentence in run) for _, run in groupby(pairs, key=lambda pair: pair[0])]
