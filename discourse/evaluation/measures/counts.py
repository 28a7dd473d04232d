"""Counts behind precision, recall and F1; they add up over documents (micro-average)."""

from collections.abc import Hashable, Iterable, Mapping, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """What was found rightly, of how much gold and of how much predicted.

    Scores that give partial credit (B3, CEAF) credit recall and precision differently: ``right`` counts for recall,
    ``right_predicted`` for precision. Figures are percentages, 0 where there is nothing to divide by, as in the
    reference scorers.
    """

    right: float = 0
    gold: float = 0
    right_predicted: float = 0
    predicted: float = 0

    @classmethod
    def of_sets(cls, gold: Set[Hashable], predicted: Set[Hashable]) -> "Counts":
        """Counts of two sets of things, right where they are in both."""
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
        """Whether there was neither anything to find nor anything found."""
        return not self.gold and not self.predicted

    @property
    def precision(self) -> float:
        """Share of the predicted that is right, in percent."""
        return 100 * self.right_predicted / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the gold that was found, in percent."""
        return 100 * self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in percent."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def total(counts: Iterable[Mapping[str, Counts]]) -> dict[str, Counts]:
    """Counts by name, added; a name that one side lacks counts as nothing there."""
    added: dict[str, Counts] = {}
    for one in counts:
        for name, count in one.items():
            added[name] = added.get(name, Counts()) + count
    return added
