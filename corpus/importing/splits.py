"""Splits held out of the training documents by a stable hash of the document id."""

from collections.abc import Mapping, Sequence

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.shards import AnyDocument, stable_hash

RANGE = float(1 << 64)


def hold_out(documents: Sequence[AnyDocument], sizes: Mapping[str, int | float]) -> dict[str, list[AnyDocument]]:
    """Divide documents into the splits of ``sizes`` and ``train``, which gets the rest.

    A size below 1 is a share. It depends on the document's hash alone, so that adding documents moves no other one. A
    whole number is a number of documents: those with the smallest hashes. Splits are disjoint; they are filled in the
    order of their names, shares first. Raises :class:`InputError` for a split, ``train`` included, without documents.
    """
    position_of = {document.doc_id: stable_hash(document.doc_id, "held out") / RANGE for document in documents}
    held: dict[str, set[str]] = {}
    start = 0.0
    for name in sorted(name for name, size in sizes.items() if size < 1):
        end = start + sizes[name]
        held[name] = {doc_id for doc_id, position in position_of.items() if start <= position < end}
        start = end
    free = sorted((position, doc_id) for doc_id, position in position_of.items() if position >= start)
    for name in sorted(name for name, size in sizes.items() if size >= 1):
        count = int(sizes[name])
        held[name] = {doc_id for _, doc_id in free[:count]}
        if len(held[name]) < count:
            raise InputError(
                f"held_out.{name} asks for {_counted(count)} and has {_counted(len(free))} to choose from",
                remedy="make held_out smaller, so that train keeps documents, too",
            )
        free = free[count:]
    taken = set().union(*held.values()) if held else set()
    result = {name: [document for document in documents if document.doc_id in ids] for name, ids in held.items()}
    result["train"] = [document for document in documents if document.doc_id not in taken]
    for name, chosen in result.items():
        if not chosen:
            raise InputError(
                f"no document of {len(documents)} is left for the split {name}",
                remedy="change held_out: a share depends on the ids, a whole number takes that many",
            )
    return result


def _counted(number: int) -> str:
    return f"{number} document{'' if number == 1 else 's'}"
