"""The demo's gold annotation as rows of the project's tables (see :mod:`corpus.tables`)."""

from collections.abc import Callable, Iterator
from typing import Any

from demo.documents import Document
from discourse.conversions import li14

Row = dict[str, Any]


def edus(document: Document) -> Iterator[Row]:
    """Elementary discourse units."""
    number = 0
    for sent_id, sentence in enumerate(document.sentences):
        for start, end in sentence.wording.units:
            yield {"edu_id": number, "sent_id": sent_id, "start": start, "end": end}
            number += 1


def rst(document: Document) -> Iterator[Row]:
    """Nodes of the rhetorical structure tree."""
    for number, node in enumerate(document.tree.nodes):
        yield {
            "node_id": number,
            "parent": node.parent,
            "first_edu": node.first_edu,
            "last_edu": node.last_edu,
            "nuclearity": node.nuclearity,
            "relation": node.relation,
        }


def rst_dependencies(document: Document) -> Iterator[Row]:
    """Head and relation of every unit, by the rule of Li et al. (2014)."""
    dependencies = li14(document.tree)
    for number, (head, relation) in enumerate(zip(dependencies.heads, dependencies.relations)):
        yield {"edu_id": number, "head": head, "relation": relation}


def coreference(document: Document) -> Iterator[Row]:
    """Mentions of people, things and ambiguous nouns, in text order; chains are numbered by their first mention."""
    chains: dict[str, int] = {}
    for sent_id, sentence in enumerate(document.sentences):
        for mention in sentence.wording.mentions:
            yield {
                "chain_id": chains.setdefault(mention.identity, len(chains)),
                "sent_id": sent_id,
                "start": mention.start,
                "end": mention.end,
                "head_start": mention.head_start,
                "head_end": mention.head_end,
            }


def themes(document: Document) -> Iterator[Row]:
    """Themes and rhemes of every unit; together they cover all words."""
    for sent_id, sentence in enumerate(document.sentences):
        for start, end, label in sentence.wording.themes:
            yield {"sent_id": sent_id, "start": start, "end": end, "label": label}


def contrastive(document: Document) -> Iterator[Row]:
    """One item for each ambiguous sentence, numbered within the document."""
    for number, item in enumerate(document.items, start=1):
        yield {
            "item_id": f"{item.phenomenon}-{number}",
            "sent_id": item.sentence,
            "phenomenon": item.phenomenon,
            "distance": item.sentence - item.decided_by,
            "wrong": item.wrong,
        }


GOLD: dict[str, Callable[[Document], Iterator[Row]]] = {
    "edus": edus,
    "rst": rst,
    "rst_dependencies": rst_dependencies,
    "coreference": coreference,
    "themes": themes,
}
