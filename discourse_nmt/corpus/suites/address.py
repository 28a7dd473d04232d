"""Items of address, made from splits of the corpus: sentences whose translation shows how a character says *you*.

``splits`` are the tables of sentences of such a split. A sentence is an item if its source has a word for *you* and its
translation words of one form of address alone. Its context is the scene up to it, with the reference translations; or,
as a control, that of another scene, as long as its own where that scene is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.address.addressed import Addressed, addressed
from discourse_nmt.corpus.address.forms import FORMS
from discourse_nmt.corpus.address.scenes import Row, pairs_of, rows_of
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites.items import Item, document


@dataclass(frozen=True)
class Options:
    """What stands before an item."""

    scene: Literal["own", "another"] = setting(
        "own", "scene whose sentences stand before an item: its own, or that of another item, the control for context"
    )


def read(request: Request, options: Options) -> Iterator[Item]:
    """The items of all tables, in order. Raises :class:`InputError` where there is no other scene."""
    from discourse_nmt.base.storage.shard_files import read_shards  # a plan, which loads readers, needs no Arrow

    found = [
        (sentence, file)
        for file in request.sources["splits"]
        for scene in addressed(
            (row for shard in read_shards(file.path, "sentences") for row in rows_of(shard)), request.target_language
        )
        for sentence in scene
        if not sentence.repeated
    ]
    items = [sentence for sentence, _ in found]
    own = options.scene == "own"
    contexts = [item.scene[: item.place] for item in items] if own else other_contexts(items)
    for (item, file), context in zip(found, contexts):
        yield _item(item, context, item.distance if own else None, file, request.target_language)


def other_contexts(items: Sequence[Addressed]) -> list[list[Row]]:
    """For each item, the last sentences before another one, which stands in another scene; as many as before itself.

    Its context is as long or the next longer one; where there is none, the next shorter one.
    """
    order = sorted(range(len(items)), key=lambda number: items[number].place)
    contexts: list[list[Row]] = [[] for _ in items]
    for rank, number in enumerate(order):
        own = items[number]
        others = (items[other] for other in (*order[rank + 1 :], *reversed(order[:rank])))
        another = next((other for other in others if other.scene is not own.scene), None)
        if another is None:
            raise InputError("scene is another, but all items stand in one", remedy="set it to own")
        contexts[number] = another.scene[max(0, another.place - own.place) : another.place]
    return contexts


def _item(sentence: Addressed, context: list[Row], distance: int | None, file: Source, language: str) -> Item:
    rows = [*context, sentence.row]
    right = document((file, file), sentence.row["sent_id"], pairs_of(rows), unit=f"{sentence.row['doc_id']} sentence")
    right.doc_id = sentence.row["doc_id"]
    right.speakers = [row["speaker"] for row in rows]
    words = dict(FORMS[language])
    expected = words.pop(sentence.form)
    others = [word for of_form in words.values() for word in of_form]
    return Item(right, sentence.phenomenon, distance, expected=expected, others=others)
