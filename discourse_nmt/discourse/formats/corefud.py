"""Coreference in CoNLL-U as CorefUD has it (Nedoluzhko et al. 2022): ``Entity=`` in the last column.

GUM, CorPipe and the coreference of UDPipe write it. A mention opens with ``(`` and the attributes that the comment
``# global.Entity`` names, joined by ``-``, and closes with the id of its entity and ``)``. A split mention has parts:
``(e5[1/2]-person-1 … e5[1/2]) … (e5[2/2]-person-1 … e5[2/2])``. A mention without a word (a zero, on empty nodes
alone), bridging (``Bridge=``) and split antecedents (``SplitAnte=``) are left out, and counted in the log.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence, documents_of, read_conllu, tokens_of
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention, mention_cells
from discourse_nmt.discourse.structures.trees import StructureError

DECLARATION = "global.Entity"
# Names of the attributes in CorefUD and in GUM, which has changed its own.
ENTITY, TYPE, HEAD, LINK = ("eid", "GRP"), ("etype", "entity"), ("head", "minspan", "MIN"), ("identity",)
ITEM = re.compile(r"\([^()]*\)?|[^()]+\)")
PART = re.compile(r"(?P<entity>[^\[\]]+)(?:\[(?P<number>[0-9]{1,4})/(?P<count>[0-9]{1,4})\])?")
WRITABLE = re.compile(r"[^\s()\[\]|<>,:=-]+")
BESIDE = {"Bridge": "bridging relations", "SplitAnte": "split antecedents"}
ZEROS = "mentions without words"
Nodes = Sequence[int | None]
"""The word of each node of a document, None for an empty node."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Nodes ``[start, end)`` of a mention or of a part of one, and its attributes by name."""

    start: int
    end: int
    label: str
    attributes: dict[str, str]
    sentence: Sentence
    row: int

    @property
    def place(self) -> tuple[str, int, int]:
        """Entity, number of the part from 1, and number of parts."""
        match = PART.fullmatch(self.label)
        assert match is not None
        return match["entity"], int(match["number"] or 1), int(match["count"] or 1)

    def value(self, names: Sequence[str]) -> str:
        """The attribute that has one of these names, or nothing."""
        return next((self.attributes[name] for name in names if name in self.attributes), "")


def read_corefud(content: str | bytes, name: str, *, written: bool = False) -> list[CoreferenceDocument]:
    """The documents of a CoNLL-U file with their mentions; a document without ``# newdoc id`` has the name ``""``.

    Positions count syntactic words, or with ``written`` the tokens as they are written, where a mention that begins or
    ends inside a multiword token has all of it. Of a split mention, ``start`` and ``end`` are the part with its head.
    """
    documents: list[CoreferenceDocument] = []
    left_out: Counter[str] = Counter()
    fields: list[str] = []
    for title, sentences in documents_of(read_conllu(content, name, heads=False)):
        parts: list[_Part] = []
        nodes: list[int | None] = []
        open_parts: dict[str, list[_Part]] = {}
        for sentence in sentences:
            fields = (sentence.comment(DECLARATION) or "-".join(fields)).split("-")
            parts += _parts_of(sentence, fields, nodes, open_parts, left_out)
        if unclosed := [part for stack in open_parts.values() for part in stack]:
            raise _fault(unclosed[0], f"mention {unclosed[0].label} is never closed", "close it in its document")
        groups = list(_split(parts))
        mentions = [mention for group in groups if (mention := _mention(group, nodes))]
        left_out[ZEROS] += len(groups) - len(mentions)
        forms = tuple(tuple(word.form for word in sentence.words) for sentence in sentences)
        document = CoreferenceDocument(title or "", forms, tuple(sorted(mentions)))
        documents.append(_as_written(document, sentences) if written else document)
    if +left_out:
        counts = ", ".join(f"{count} {noun}" for noun, count in left_out.items() if count)
        logging.info("%s: left out %s", name, counts)
    return documents


def _parts_of(
    sentence: Sentence,
    fields: Sequence[str],
    nodes: list[int | None],
    open_parts: dict[str, list[_Part]],
    left_out: Counter[str],
) -> Iterator[_Part]:
    """The parts that end in a sentence, whose nodes are appended to ``nodes``; ``open_parts`` are by their labels."""
    words = sum(node is not None for node in nodes)
    for number, row in enumerate(sentence.rows):
        notes = [entry.partition("=") for entry in row.misc.split("|")]
        for key, _, value in notes:
            if key in BESIDE:
                left_out[BESIDE[key]] += value.count(",") + 1
        marks = next((value for key, _, value in notes if key == "Entity"), "")
        if "-" in row.id:
            if marks:
                raise sentence.fault(number, f"the token {row.id} has a mention", "give it to the token's words")
            continue
        nodes.append(words if row.id.isdigit() else None)
        words += row.id.isdigit()
        items = ITEM.findall(marks)
        if "".join(items) != marks:
            raise sentence.fault(number, f"mentions {marks[:40]!r} have unmatched parentheses", "correct Entity=")
        for item in items:
            text = item.removeprefix("(").removesuffix(")")
            if item[0] == "(":
                attributes = _attributes(text, fields, sentence, number)
                label = next(attributes[key] for key in ENTITY if key in attributes)
                part = _Part(len(nodes) - 1, len(nodes), label, attributes, sentence, number)
                open_parts.setdefault(label, []).append(part)
            else:  # GUM's older files have the type before the entity here, too
                values = text.split("-")
                place = next((place for place, key in enumerate(fields) if key in ENTITY), 0)
                label = values[place] if place < len(values) else text
            if item[-1] == ")":
                if not open_parts.get(label):
                    raise sentence.fault(number, f"mention {label} ends before it begins", "correct Entity=")
                yield replace(open_parts[label].pop(), end=len(nodes))


def _attributes(text: str, fields: Sequence[str], sentence: Sentence, row: int) -> dict[str, str]:
    """The attributes of a mention that opens; the last ones may be missing, and that of the file may hold hyphens."""
    if not any(key in ENTITY for key in fields):
        remedy = f"name the attributes in the first sentence: # {DECLARATION} = eid-etype-head-other"
        raise sentence.fault(row, f"a mention before the line # {DECLARATION}", remedy)
    attributes = dict(zip(fields, text.split("-", len(fields) - 1)))
    label = next((attributes[key] for key in ENTITY if key in attributes), "")
    match = PART.fullmatch(label)
    if match is None or not 1 <= int(match["number"] or 1) <= int(match["count"] or 1):
        raise sentence.fault(row, f"mention {text[:40]!r} has no entity", f"write it as # {DECLARATION} says")
    return attributes


def _split(parts: Sequence[_Part]) -> Iterator[list[_Part]]:
    """The parts of each mention; one that is not split has one."""
    for (_, count), group in groupby(sorted(parts, key=_by_entity), key=lambda part: part.place[::2]):
        mentions: list[list[_Part]] = []
        for part in group:
            number = part.place[1]
            if number == 1:
                mentions.append([part])
                continue
            # Of mentions of an entity within one another, the part belongs to the last that waits for it.
            waiting = [mention for mention in mentions if len(mention) == number - 1]
            if not waiting:
                raise _fault(part, f"mention {part.label} has no part before", "number its parts from 1 in order")
            waiting[-1].append(part)
        for mention in mentions:
            if len(mention) != count:
                raise _fault(mention[0], f"mention {mention[0].label} lacks parts", "number its parts from 1 in order")
            yield mention


def _by_entity(part: _Part) -> tuple[str, int, int]:
    entity, _, count = part.place
    return entity, count, part.start


def _mention(parts: Sequence[_Part], nodes: Nodes) -> EntityMention | None:
    """A mention over words; None if it has none."""
    first = parts[0]
    own = [nodes[number] for part in parts for number in range(part.start, part.end)]
    head = first.value(HEAD).partition(",")[0]  # GUM names all words of a mention's core, its head first
    if head and not (head.isascii() and head.isdigit() and len(head) < 6 and 1 <= int(head) <= len(own)):
        raise _fault(first, f"mention {first.label} has {len(own)} words, its head is {head[:20]}", "correct the head")
    spans = [
        (words[0], words[-1] + 1)
        for part in parts
        if (words := [word for word in nodes[part.start : part.end] if word is not None])
    ]
    if not spans:
        return None
    head_word = own[int(head) - 1] if head else None
    main = next((span for span in spans if head_word is not None and span[0] <= head_word < span[1]), spans[0])
    return EntityMention(
        *main,
        first.place[0],
        first.value(TYPE),
        first.value(LINK),
        -1 if head_word is None else head_word,
        tuple(span for span in spans if span != main),
    )


def _fault(part: _Part, message: str, remedy: str) -> InputError:
    return part.sentence.fault(part.row, message, remedy)


def _as_written(document: CoreferenceDocument, sentences: Sequence[Sentence]) -> CoreferenceDocument:
    """The document over written tokens."""
    token_of: list[int] = []  # of each word
    forms: list[tuple[str, ...]] = []
    before = 0
    for sentence in sentences:
        tokens = tokens_of(sentence)
        for number, (_, rows) in enumerate(tokens):
            token_of += [before + number] * sum(sentence.rows[row].id.isdigit() for row in rows)
        before += len(tokens)
        forms.append(tuple(form for form, _ in tokens))
    mentions = [
        replace(
            mention,
            start=token_of[mention.start],
            end=token_of[mention.end - 1] + 1,
            head=mention.head if mention.head < 0 else token_of[mention.head],
            others=tuple((token_of[start], token_of[end - 1] + 1) for start, end in mention.others),
        )
        for mention in document.mentions
    ]
    return replace(document, sentences=tuple(forms), mentions=tuple(sorted(mentions)))


def with_chains(sentences: Sequence[Sentence], document: CoreferenceDocument) -> list[Sentence]:
    """The sentences of a document with its mentions as ``Entity=``, in place of those that they had.

    Raises :class:`.StructureError` for other numbers of words, names of entities that the format cannot have, and two
    mentions of one entity that cross.
    """
    if [len(sentence.words) for sentence in sentences] != [len(words) for words in document.sentences]:
        raise StructureError(f"the sentences of document {document.name} have other words than its mentions")
    names = [ENTITY[0], TYPE[0], HEAD[0], *LINK[: any(mention.link for mention in document.mentions)]]
    rows = [row for sentence in sentences for row in sentence.rows if "-" not in row.id]
    node_of = [number for number, row in enumerate(rows) if row.id.isdigit()]  # of each word; heads count empty nodes
    openings: dict[EntityMention, str] = {}
    for mention in document.mentions:
        if not WRITABLE.fullmatch(mention.entity) or re.search(r"[\s()|-]", mention.type):
            raise StructureError(f"CorefUD cannot have the entity {mention.entity!r} of type {mention.type!r}")
        spans = sorted([(mention.start, mention.end), *mention.others])
        own = [node for start, end in spans for node in range(node_of[start], node_of[end - 1] + 1)]
        head = "" if mention.head < 0 else str(own.index(node_of[mention.head]) + 1)
        for number, (start, end) in enumerate(spans, start=1):
            label = mention.entity if len(spans) == 1 else f"{mention.entity}[{number}/{len(spans)}]"
            values = [label, mention.type, head, mention.link][: len(names)]
            openings[EntityMention(start, end, label, mention.type, mention.link)] = "-".join(values)
    parts = replace(document, mentions=tuple(openings))
    cells = map(_nested, mention_cells(parts, lambda part: part.entity, openings.__getitem__))
    written: list[Sentence] = []
    for sentence in sentences:
        comments = [line for line in sentence.comments if not line.lstrip("# ").startswith(DECLARATION)]
        if not written:
            comments.insert(1 if sentence.begins_document else 0, f"# {DECLARATION} = {'-'.join(names)}")
        marked = tuple(_with_mark(row, "".join(next(cells)) if row.id.isdigit() else "") for row in sentence.rows)
        written.append(replace(sentence, comments=tuple(comments), rows=marked))
    return written


def _nested(cell: Sequence[str]) -> list[str]:
    """The marks of a word in CorefUD's order, in which inner mentions end first."""
    openings = [mark for mark in cell if mark[0] == "("]
    closings = [mark for mark in reversed(cell) if mark[0] != "("]
    return closings + openings if cell and cell[0][0] != "(" else openings + closings


def _with_mark(row: ConlluRow, mark: str) -> ConlluRow:
    notes = [entry for entry in row.misc.split("|") if entry != "_" and not entry.startswith("Entity=")]
    return replace(row, misc="|".join([*notes, *([f"Entity={mark}"] if mark else [])]) or "_")
