"""Attachment of discourse units by relation, and within and between sentences.

EDUs are spans over the words of a document. Roots, which have no head, do not count.
"""

from bisect import bisect
from collections.abc import Hashable, Iterable, Iterator, Sequence

from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.evaluation.measures.offsets import Offsets
from discourse_nmt.discourse.structures.dependencies import Dependencies, split_label
from discourse_nmt.discourse.structures.relation_classes import coarse_label


def attachment_by_relation(
    gold: Dependencies, predicted: Dependencies, gold_edus: Sequence[Offsets], predicted_edus: Sequence[Offsets]
) -> dict[str, Counts]:
    """Counts of one document by class of relation: units with the right head, relation and role."""

    def items(dependencies: Dependencies, edus: Sequence[Offsets]) -> Iterator[tuple[str, Hashable]]:
        for edu, head, label in _attached(dependencies, edus):
            yield split_label(label)[0], (edu, head, label)

    return _counts(items(gold, gold_edus), items(predicted, predicted_edus))


def attachment_by_sentence(
    gold: Dependencies,
    predicted: Dependencies,
    gold_edus: Sequence[Offsets],
    predicted_edus: Sequence[Offsets],
    sentence_starts: Sequence[int],
) -> dict[str, Counts]:
    """Counts of one document of units with the right head, by whether both begin in the same sentence."""

    def items(dependencies: Dependencies, edus: Sequence[Offsets]) -> Iterator[tuple[str, Hashable]]:
        for edu, head, _ in _attached(dependencies, edus):
            same = bisect(sentence_starts, edu[0]) == bisect(sentence_starts, head[0])
            yield f"UAS {'within' if same else 'between'} sentences", (edu, head)

    return _counts(items(gold, gold_edus), items(predicted, predicted_edus))


def _attached(dependencies: Dependencies, edus: Sequence[Offsets]) -> Iterator[tuple[Offsets, Offsets, str]]:
    """Each unit that has a head, the head, and the class of the relation with the role."""
    for edu, head, relation in zip(edus, dependencies.heads, dependencies.relations, strict=True):
        if head >= 0:
            yield edu, edus[head], coarse_label(relation)


def _counts(gold: Iterable[tuple[str, Hashable]], predicted: Iterable[tuple[str, Hashable]]) -> dict[str, Counts]:
    """Counts of the items of each name."""
    left, right = set(gold), set(predicted)
    return {
        name: Counts.of_sets({item for item in left if item[0] == name}, {item for item in right if item[0] == name})
        for name in sorted({name for name, _ in left | right})
    }
