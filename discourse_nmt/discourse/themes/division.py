"""The clauses of a sentence: discourse units, with the pieces of an interrupted clause joined."""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.themes.sentence import SentenceTree


@dataclass(frozen=True, slots=True)
class Unit:
    """The words of a clause in text order, its ``head`` word, and its discourse units (word spans)."""

    words: tuple[int, ...]
    head: int
    spans: tuple[Span, ...]


def divide(tree: SentenceTree, edus: Sequence[Span]) -> list[Unit]:
    """The clauses of a sentence, in order of their first words.

    ``edus`` tile the sentence. If the highest word of a unit is not the head of a clause ("The team," before ", which
    won,"), the unit is a piece of the clause on which that word depends.
    """
    if len(edus) == 1:
        span = edus[0]
        return [Unit(tuple(range(span.start, span.end)), tree.heads.index(-1), (edus[0],))]
    heads, owners = [], []
    place = [number for number, span in enumerate(edus) for _ in range(span.start, span.end)]
    for number, span in enumerate(edus):
        head, independent = _head(tree, span)
        heads.append(head)
        owners.append(number if independent else place[tree.heads[head]])
    groups: dict[int, list[Span]] = {}
    for number, span in enumerate(edus):
        owner = number
        while owners[owner] != owner:
            owner = owners[owner]
        groups.setdefault(owner, []).append(span)
    return [
        Unit(tuple(word for span in spans for word in range(span.start, span.end)), heads[owner], tuple(spans))
        for owner, spans in groups.items()
    ]


def _head(tree: SentenceTree, span: Span) -> tuple[int, bool]:
    """The head word of a unit, and whether the unit is a clause of its own.

    The head is the highest head of a clause; without one it is the highest word, so that the way from pieces to their
    governors leads up the tree and ends.
    """
    tops = [word for word in range(span.start, span.end) if not span.start <= tree.heads[word] < span.end]
    if len(tops) == 1:
        return tops[0], tree.is_clause(tops[0])
    clauses = [word for word in tops if tree.is_clause(word)]
    if clauses:
        return min(clauses, key=tree.depth), True
    # "The problem is" before "that he left", whose head is that of the whole.
    copula = next((word for word in tops if tree.relations[word] == "cop"), None)
    if copula is not None and any(tree.syntax.deprels[word].endswith(":outer") for word in tops):
        return copula, True
    return min(tops, key=tree.depth), False
