"""The demo's gold annotation as rows of the project's tables (see :mod:`.storage.tables`)."""

from collections.abc import Callable, Iterable

from discourse_nmt.demo.documents import DemoDocument
from discourse_nmt.discourse.structures.conversions import li14
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.rows import (
    Row,
    dependencies_to_rows,
    edus_to_rows,
    themes_to_rows,
    tree_to_rows,
)


def edus(doc_id: str, document: DemoDocument) -> Iterable[Row]:
    """Elementary discourse units."""
    units = [
        Span(sent_id, start, end)
        for sent_id, sentence in enumerate(document.sentences)
        for start, end in sentence.wording.units
    ]
    return edus_to_rows(doc_id, units)


def rst(doc_id: str, document: DemoDocument) -> Iterable[Row]:
    """Nodes of the rhetorical structure tree."""
    return tree_to_rows(doc_id, document.tree)


def rst_dependencies(doc_id: str, document: DemoDocument) -> Iterable[Row]:
    """Head and relation of every unit, by the rule of Li et al. (2014)."""
    return dependencies_to_rows(doc_id, li14(document.tree))


def coreference(doc_id: str, document: DemoDocument) -> Iterable[Row]:
    """Mentions of people, things and ambiguous nouns, in text order; chains are numbered by their first mention."""
    chains: dict[str, int] = {}
    for sent_id, sentence in enumerate(document.sentences):
        for mention in sentence.wording.mentions:
            yield {
                "doc_id": doc_id,
                "chain_id": chains.setdefault(mention.identity, len(chains)),
                "sent_id": sent_id,
                "start": mention.start,
                "end": mention.end,
                "head_start": mention.head_start,
                "head_end": mention.head_end,
            }


def themes(doc_id: str, document: DemoDocument) -> Iterable[Row]:
    """Themes and rhemes of every unit; together they cover all words."""
    spans = [
        (Span(sent_id, start, end), label)
        for sent_id, sentence in enumerate(document.sentences)
        for start, end, label in sentence.wording.themes
    ]
    return themes_to_rows(doc_id, spans)


def contrastive(doc_id: str, document: DemoDocument) -> Iterable[Row]:
    """One item for each ambiguous sentence, numbered within the document."""
    for number, item in enumerate(document.items, start=1):
        yield {
            "item_id": f"{doc_id}-{item.phenomenon}-{number}",
            "doc_id": doc_id,
            "sent_id": item.sentence,
            "phenomenon": item.phenomenon,
            "distance": item.sentence - item.decided_by,
            "wrong": item.wrong,
        }


GOLD: dict[str, Callable[[str, DemoDocument], Iterable[Row]]] = {
    "edus": edus,
    "rst": rst,
    "rst_dependencies": rst_dependencies,
    "coreference": coreference,
    "themes": themes,
}
