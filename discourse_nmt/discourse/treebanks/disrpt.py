"""Discourse relations of the DISRPT shared tasks (.rels), where they are made of RST trees: the trees again.

Each unit but one has a relation to the unit that it depends on (Li et al. 2014). Which dependents of a unit are nearer
to it in the tree is not told, so that trees hold the same dependencies as the corpus, but not always the same spans
(:func:`.constituency`). Relations get names of GUM: a class, a hyphen and the name in the corpus.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.conllu import DOCUMENT_KEYS, Sentence, edu_starts
from discourse_nmt.discourse.structures.conversions import constituency
from discourse_nmt.discourse.structures.dependencies import Dependencies, labelled
from discourse_nmt.discourse.structures.trees import NUCLEUS, ROOT_RELATION, SATELLITE, RstTree, StructureError

COLUMNS = ("doc", "unit1_toks", "unit2_toks", "dir", "label")
DIRECTIONS = ("1<2", "1>2")  # the second unit depends on the first, and the reverse
MULTINUCLEAR = frozenset({"conjunction", "contrast", "disjunction", "joint", "list", "sequence"})
NAMES_BY_CLASS: Mapping[str, str] = {
    "adversative": "antithesis concession contrast",
    "causal": "cause result",
    "context": "background circumstance",
    "contingency": "condition",
    "elaboration": "elaboration e-elaboration",
    "evaluation": "evaluation-n evaluation-s interpretation",
    "explanation": "evidence reason",
    "joint": "conjunction disjunction joint list sequence",
    "mode": "means",
    "organization": "preparation",
    "purpose": "purpose",
    "restatement": "restatement summary",
    "topic": "solutionhood",
}
"""Classes of GUM, and the relations of the Potsdam Commentary Corpus that they hold."""
CLASS_OF_NAME = {name: group for group, names in NAMES_BY_CLASS.items() for name in names.split()}


@dataclass(frozen=True)
class RelatedUnits:
    """A relation between two units, told by their first words in the document, from 0."""

    head: int
    dependent: int
    name: str


def read_relations(content: str, name: str) -> dict[str, list[RelatedUnits]]:
    """The relations of each document of a .rels file; messages call the file ``name``."""
    lines = content.splitlines()
    header = lines[0].split("\t") if lines else []
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise InputError(f"no column {missing[0]}", file=name, line=1, remedy="give a file of DISRPT relations")
    places = [header.index(column) for column in COLUMNS]
    relations: dict[str, list[RelatedUnits]] = {}
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("\t")
        if len(fields) != len(header):
            raise InputError(f"{len(fields)} columns, {len(header)} in the header", file=name, line=number)
        document, *units, direction, relation = (fields[place] for place in places)
        starts = [unit.partition("-")[0].partition(",")[0] for unit in units]
        if direction not in DIRECTIONS or not all(start.isdecimal() for start in starts):
            fault = f"units {units[0]!r} and {units[1]!r}, direction {direction!r}"
            raise InputError(fault, file=name, line=number, remedy="give words such as 3-10, and 1<2 or 1>2")
        if relation not in CLASS_OF_NAME:
            known = ", ".join(sorted(CLASS_OF_NAME))
            raise InputError(f"relation {relation!r} has no class", file=name, line=number, remedy=f"known: {known}")
        first, second = (int(start) - 1 for start in starts)
        head, dependent = (first, second) if direction == "1<2" else (second, first)
        relations.setdefault(document, []).append(RelatedUnits(head, dependent, relation))
    return relations


def related(sentences: Sequence[Sentence], relations: Sequence[RelatedUnits]) -> tuple[list[Sentence], RstTree]:
    """The sentences of a document whose units have relations, and the n-ary tree of these units.

    Sentences without any relation, such as titles, are left out; the first of the others begins the document. A unit
    may have words of several sentences. Raises :class:`StructureError` for a relation of words that begin no unit, and
    for relations that make no tree.
    """
    words = [(number, word) for number, sentence in enumerate(sentences) for word in sentence.words]
    starts = [place for place, begins in enumerate(chain.from_iterable(edu_starts(sentences))) if begins]
    related_words = {place for one in relations for place in (one.head, one.dependent)}
    absent = sorted(related_words - set(starts))
    if absent:
        raise StructureError(f"no unit begins at word {absent[0] + 1} of the document")
    units = [words[start:end] for start, end in pairwise([*starts, len(words)])]
    kept = sorted({number for unit, start in zip(units, starts) if start in related_words for number, _ in unit})
    remaining = [(start, unit) for start, unit in zip(starts, units) if unit[0][0] in set(kept)]
    unit_of_start = {start: number for number, (start, _) in enumerate(remaining)}
    heads = [-1] * len(remaining)
    names = [ROOT_RELATION] * len(remaining)
    for one in relations:
        dependent = unit_of_start[one.dependent]
        if heads[dependent] >= 0:
            raise StructureError(f"the unit at word {one.dependent + 1} of the document has two heads")
        heads[dependent] = unit_of_start[one.head]
        role = NUCLEUS if one.name in MULTINUCLEAR else SATELLITE
        names[dependent] = labelled(f"{CLASS_OF_NAME[one.name]}-{one.name}", role)
    texts = [" ".join(word.form for _, word in unit) for _, unit in remaining]
    tree = constituency(Dependencies(tuple(heads), tuple(names)), texts)
    marks = tuple(f"# {key} =" for key in DOCUMENT_KEYS)
    opening = tuple(line for line in sentences[0].comments if line.startswith(marks))
    first, *others = (sentences[number] for number in kept)
    comments = tuple(line for line in first.comments if not line.startswith(marks))
    return [Sentence((*opening, *comments), first.rows), *others], tree
