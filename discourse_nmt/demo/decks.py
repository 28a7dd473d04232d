"""Balanced random choice: cards are dealt from a shuffled deck, which is shuffled again when it is empty."""

import random
from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

Card = TypeVar("Card")


class Dealer:
    """Deals cards from named decks, so that over a split every card of a deck comes up equally often."""

    def __init__(self, seed: str) -> None:
        self.random = random.Random(seed)
        self._decks: dict[Hashable, list[Any]] = {}

    def deal(self, name: Hashable, cards: Sequence[Card], unlike: Sequence[Card] = ()) -> Card:
        """The next card of the deck ``name`` that is not in ``unlike``."""
        deck: list[Card] = self._decks.setdefault(name, [])
        for refill in (False, True):
            if refill:
                deck[:0] = self.random.sample(cards, len(cards))
            for place in reversed(range(len(deck))):
                if deck[place] not in unlike:
                    return deck.pop(place)
        raise ValueError(f"deck {name!r} has no card left to deal")

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self.random.random() < probability
