"""Items that are made from a corpus, in the suite format ctxpro, with their scene and their place."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

SEPARATOR = " <eos> "
Row = dict[Hashable, Any]
"""A row of a sentences table."""


@dataclass(frozen=True)
class MadeItem:
    """A sentence of a document whose translation has one of the ``expected`` words, and its scene up to it.

    ``distance`` is the number of sentences back to the one that decides; None if there is none.
    """

    doc_id: str
    sent_id: int
    speaker: str | None
    rule: str
    expected: list[str]
    distance: int | None
    scene: list[tuple[str, str]]

    def as_json(self) -> dict[str, object]:
        """The object of the suite format ctxpro, with the place in the corpus."""
        *context, (source, target) = self.scene
        return {
            "src segment": source,
            "ref segment": target,
            "ref context": [translation for _, translation in context],
            "expected": self.expected,
            "rule": self.rule,
            "ante distance": self.distance,
            "document": self.doc_id,
            "sentence": self.sent_id,
            "speaker": self.speaker,
        }

    def as_line(self) -> str:
        """The source of the scene up to the sentence, as ctxpro writes it."""
        return SEPARATOR.join(source for source, _ in self.scene)


def scenes(sentences: pd.DataFrame) -> Iterator[list[Row]]:
    """The rows of each scene of a ``sentences`` table, in order; a document without scenes is one."""
    for _, document in sentences.groupby("doc_id", sort=False):
        found: dict[object, list[Row]] = {}
        for row in document.to_dict("records"):
            found.setdefault(None if pd.isna(row["scene"]) else row["scene"], []).append(row)
        yield from found.values()


def speaker_of(row: Row) -> str | None:
    """Who says the sentence of a row."""
    return None if pd.isna(row["speaker"]) else str(row["speaker"])


def pairs_of(rows: list[Row]) -> list[tuple[str, str]]:
    """Source and target of the rows of a scene."""
    return [(row["source"], row["target"]) for row in rows]


def made_item(rows: list[Row], place: int, rule: str, expected: list[str], distance: int | None) -> MadeItem:
    """The item of the row at a ``place`` of a scene."""
    row, scene = rows[place], pairs_of(rows[: place + 1])
    return MadeItem(row["doc_id"], row["sent_id"], speaker_of(row), rule, expected, distance, scene)
