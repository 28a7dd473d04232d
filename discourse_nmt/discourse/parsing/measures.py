"""Figures of the parser on gold trees: original Parseval by genre."""

from collections.abc import Sequence

from discourse_nmt.discourse.analysers.examples import genre_of
from discourse_nmt.discourse.evaluation.measures.counts import total
from discourse_nmt.discourse.evaluation.measures.parseval import parseval
from discourse_nmt.discourse.parsing.examples import ParserExample
from discourse_nmt.discourse.structures.conversions import binarise
from discourse_nmt.discourse.structures.trees import RstTree


def measure_by_genre(examples: Sequence[ParserExample], trees: Sequence[RstTree]) -> dict[str, dict[str, float]]:
    """Span, Nuclearity, Relation and Full in percent, over everything (``all``) and over each genre of GUM."""
    pairs = [
        (genre_of(example.name), parseval(binarise(example.tree), tree))
        for example, tree in zip(examples, trees, strict=True)
    ]
    return {
        genre: {
            name: round(count.f1, 2)
            for name, count in total(
                counts for document_genre, counts in pairs if genre in ("all", document_genre)
            ).items()
        }
        for genre in ("all", *sorted({document_genre for document_genre, _ in pairs}))
    }
