"""Items of address, made from splits of the corpus: sentences whose translation shows how a character says *you*.

``splits`` are the tables of sentences of such a split. A sentence is an item if its source has a word for *you* and its
translation words of one form of address alone. Its context is the scene up to it, with the reference translations.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.address.addressed import Addressed, addressed
from discourse_nmt.corpus.address.forms import FORMS
from discourse_nmt.corpus.address.scenes import pairs_of, rows_of
from discourse_nmt.corpus.reading.requests import Request
from discourse_nmt.corpus.suites.items import Item, document


@dataclass(frozen=True)
class Options:
    """The format has no options."""


def read(request: Request, options: Options) -> Iterator[Item]:
    """The items of each table."""
    for file in request.sources["splits"]:
        from discourse_nmt.base.storage.shard_files import read_shards  # a plan, which loads readers, needs no Arrow

        rows = (row for shard in read_shards(file.path, "sentences") for row in rows_of(shard))
        for scene in addressed(rows, request.target_language):
            for sentence in scene:
                if not sentence.repeated:
                    yield _item(sentence, file, request.target_language)


def _item(sentence: Addressed, file: Source, language: str) -> Item:
    context = sentence.scene[: sentence.place + 1]
    right = document(
        (file, file), sentence.row["sent_id"], pairs_of(context), unit=f"{sentence.row['doc_id']} sentence"
    )
    right.doc_id = sentence.row["doc_id"]
    right.speakers = [row["speaker"] for row in context]
    words = dict(FORMS[language])
    expected = words.pop(sentence.form)
    others = [word for of_form in words.values() for word in of_form]
    return Item(right, sentence.phenomenon, sentence.distance, expected=expected, others=others)
