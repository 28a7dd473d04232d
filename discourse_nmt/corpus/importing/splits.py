"""Splits held out of the training documents by a stable hash of the document id, or by the group of the document."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.shards import AnyDocument, stable_hash
from discourse_nmt.corpus.groups import group_named

RANGE = float(1 << 64)


@dataclass
class HoldOutUnits:
    """A part of a corpus that is held out as a whole: a document, a group of documents, or several that are linked.

    ``pattern`` matches the part of a document id that names its group, from the beginning; without one each document is
    a group. ``links`` are pairs of document ids.
    """

    pattern: str = ""
    links: Iterable[tuple[str, str]] = ()
    _parents: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        for one, other in self.links:
            # The unit has the name of its member of the smallest hash: that of a single document is its own.
            small, large = sorted((self._root(self.group(one)), self._root(self.group(other))), key=_position)
            self._parents[large] = small

    def group(self, doc_id: str) -> str:
        """The group of a document; raises :class:`InputError` if the pattern does not match its id."""
        if not self.pattern:
            return doc_id
        group = group_named(doc_id, self.pattern)
        if group is None:
            raise InputError(f"the id of document {doc_id} has no group {self.pattern}", remedy="correct groups")
        return group

    def unit(self, doc_id: str) -> str:
        """The unit of a document."""
        return self._root(self.group(doc_id))

    def _root(self, group: str) -> str:
        while (parent := self._parents.get(group, group)) != group:
            group = parent
        return group


def hold_out(
    documents: Sequence[AnyDocument], sizes: Mapping[str, int | float], units: HoldOutUnits | None = None
) -> dict[str, list[AnyDocument]]:
    """Divide documents into the splits of ``sizes`` and ``train``, which gets the rest.

    A size below 1 is a share, with which each unit is held out, whatever its size. It depends on the hash of the
    document's unit alone, so that adding documents moves no other one. A whole number is a number of
    groups (by default documents): the units with the smallest hashes that fit in. Splits are disjoint; they are filled
    in the order of their names, shares first. Raises :class:`InputError` for a split, ``train`` included, without
    documents.
    """
    units = units or HoldOutUnits()
    unit_of = {document.doc_id: units.unit(document.doc_id) for document in documents}
    groups = {document.doc_id: units.group(document.doc_id) for document in documents}
    groups_of_unit = Counter(unit for unit, _ in {(unit_of[doc_id], group) for doc_id, group in groups.items()})
    position_of = {unit: _position(unit) for unit in groups_of_unit}
    held: dict[str, set[str]] = {}
    start = 0.0
    for name in sorted(name for name, size in sizes.items() if size < 1):
        end = start + sizes[name]
        held[name] = {unit for unit, count in groups_of_unit.items() if start <= _draw(unit, count) < end}
        start = end
    shared = set().union(*held.values())
    free = sorted((position, unit) for unit, position in position_of.items() if unit not in shared)
    kind = "group" if units.pattern else "document"
    for name in sorted(name for name, size in sizes.items() if size >= 1):
        count = wanted = int(sizes[name])
        held[name] = set()
        for _, unit in free:
            if groups_of_unit[unit] <= wanted:
                held[name].add(unit)
                wanted -= groups_of_unit[unit]
        if wanted:
            available = sum(groups_of_unit[unit] for _, unit in free)
            raise InputError(
                f"held_out.{name} asks for {_counted(count, kind)} and has {_counted(available, kind)} to choose from",
                remedy="make held_out smaller, so that train keeps documents, too"
                + (", or raise near_duplicates: documents that it links stay together" if units.links else ""),
            )
        free = [(position, unit) for position, unit in free if unit not in held[name]]
    taken = set().union(*held.values()) if held else set()
    result = {
        name: [document for document in documents if unit_of[document.doc_id] in chosen]
        for name, chosen in held.items()
    }
    result["train"] = [document for document in documents if unit_of[document.doc_id] not in taken]
    for name, found in result.items():
        if not found:
            raise InputError(
                f"no document of {len(documents)} is left for the split {name}",
                remedy="change held_out: a share depends on the ids, a whole number takes that many",
            )
    return result


def some_of(documents: Sequence[AnyDocument], number: int) -> list[AnyDocument]:
    """The ``number`` documents whose ids have the smallest hashes, in order; all where there are no more."""
    chosen = {document.doc_id for document in sorted(documents, key=_rank)[:number]}
    return [document for document in documents if document.doc_id in chosen]


def hold_out_groups(
    documents: Sequence[AnyDocument], groups_of_split: Mapping[str, Sequence[str]], units: HoldOutUnits
) -> tuple[dict[str, list[AnyDocument]], list[AnyDocument]]:
    """The documents of the groups that each split names, and those of no named group.

    Raises :class:`InputError` for a group without documents.
    """
    split_of = {group: name for name, groups in groups_of_split.items() for group in groups}
    chosen: dict[str, list[AnyDocument]] = {name: [] for name in groups_of_split}
    rest, found = list[AnyDocument](), set[str]()
    for document in documents:
        group = units.group(document.doc_id)
        found.add(group)
        (chosen[split_of[group]] if group in split_of else rest).append(document)
    for group in sorted(split_of.keys() - found):
        present = ", ".join(sorted(found)[:20])
        raise InputError(
            f"held_out_groups.{split_of[group]}: no document of group {group}", remedy=f"there are {present}"
        )
    return chosen, rest


def _rank(document: AnyDocument) -> tuple[int, str]:
    return stable_hash(document.doc_id, "some"), document.doc_id


def _draw(unit: str, groups: int) -> float:
    """A number below 1 for a share. The position of a unit of several groups is the smallest of theirs, which would
    fall into a share the more probably the more they are; so its name, which is that group's, is hashed anew."""
    return _position(unit) if groups == 1 else stable_hash(unit, "held together") / RANGE


def _position(unit: str) -> float:
    return stable_hash(unit, "held out") / RANGE


def _counted(number: int, kind: str) -> str:
    return f"{number} {kind}{'' if number == 1 else 's'}"
