"""Counts for precision, recall and F1, which are summed over documents (micro-average)."""

from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of right, gold and predicted items.

    Scores with partial credit (B3, CEAF) differ for recall and precision: ``right`` counts for recall,
    ``right_predicted`` for precision. Figures are percentages, 0 for empty denominators, as in the reference scorers.
    """

    right: float = 0
    gold: float = 0
    right_predicted: float = 0
    predicted: float = 0

    @classmethod
    def of_sets(cls, gold: Set[Hashable], predicted: Set[Hashable]) -> "Counts":
        """Counts of two sets; the items in both are right."""
        right = len(gold & predicted)
        return cls(right, len(gold), right, len(predicted))

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.right + other.right,
            self.gold + other.gold,
            self.right_predicted + other.right_predicted,
            self.predicted + other.predicted,
        )

    @property
    def empty(self) -> bool:
        """Whether there are neither gold nor predicted items."""
        return not self.gold and not self.predicted

    @property
    def precision(self) -> float:
        """Share of right items among the predicted ones, in percent."""
        return 100 * self.right_predicted / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of right items among the gold ones, in percent."""
        return 100 * self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in percent."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def total(counts: Iterable[Mapping[str, Counts]]) -> dict[str, Counts]:
    """Sums of counts by name; missing names count as zero."""
    sums: dict[str, Counts] = {}
    for counts_by_name in counts:
        for name, count in counts_by_name.items():
            sums[name] = sums.get(name, Counts()) + count
    return sums
