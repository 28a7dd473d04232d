"""Scores of elementary discourse units: beginnings, and exact units."""

from collections.abc import Collection, Iterable

from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.evaluation.measures.offsets import Offsets


def unit_counts(
    gold: Collection[Offsets], predicted: Collection[Offsets], sentence_starts: Iterable[int]
) -> dict[str, Counts]:
    """Counts of one document, with EDUs as spans ``[start, end)`` over its words.

    ``EDU``: words that begin an EDU, first words of sentences included, as in the DISRPT shared tasks. ``inner EDU``:
    the same without first words of sentences. ``exact EDU``: EDUs with the same start and end.
    """
    left, right = ({start for start, _ in edus} for edus in (gold, predicted))
    outer = set(sentence_starts)
    return {
        "EDU": Counts.of_sets(left, right),
        "inner EDU": Counts.of_sets(left - outer, right - outer),
        "exact EDU": Counts.of_sets(set(gold), set(predicted)),
    }
