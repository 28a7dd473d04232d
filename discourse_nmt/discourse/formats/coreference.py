"""Coreference columns: GUM's three-column CoNLL files and the last column of CoNLL-2012 (OntoNotes) files.

GUM: index of the word in the document from 0, word, and mentions as ``(type-id``, ``(type-id)`` or ``type-id)`` without
a separator; the id may be followed by ``-`` and the name of a Wikipedia article. A document is one block without
sentence breaks. CoNLL-2012: any number of columns, with mentions as ``(id``, ``(id)`` and ``id)`` joined by ``|`` in
the last one, a blank line after each sentence, and in the header the number of the part (0 where there is none). Both
have lines ``begin document`` and ``end document``.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import lines_of
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span, head_of_span
from discourse_nmt.discourse.structures.trees import StructureError

GUM_BEGIN = re.compile(r"# begin document (?P<name>.*\S)(?P<part>)\s*")
CONLL_BEGIN = re.compile(r"#\s?begin document \((?P<name>.*)\)(?:;(?:\s*part (?P<part>[0-9]{1,9}))?)?\s*")
END = re.compile(r"#\s?end document\s*")
ITEM = re.compile(r"\(?[^()|]+\)?")
GUM_LABEL = re.compile(r"(?P<type>[^-]+)-(?P<entity>\d+)(?:-(?P<link>.+))?")


@dataclass(frozen=True, slots=True, order=True)
class EntityMention:
    """Words ``[start, end)`` of the document (from 0) that refer to an entity; GUM also has a type and a link."""

    start: int
    end: int
    entity: str
    type: str = ""
    link: str = ""
    head: int = -1
    """The head word; -1 where the format tells none. CorefUD has it."""
    others: tuple[tuple[int, int], ...] = ()
    """Words of the other parts of a split mention, which CorefUD has."""


@dataclass(frozen=True)
class CoreferenceDocument:
    """A document's words by sentence (a single sentence for GUM) and its mentions, sorted."""

    name: str
    sentences: tuple[tuple[str, ...], ...]
    mentions: tuple[EntityMention, ...]
    part: int = 0
    """Number of the part; CoNLL-2012 divides long documents into parts."""

    def chains(
        self, sentence_lengths: Sequence[int], heads: Sequence[Sequence[int]] | None = None
    ) -> tuple[Chain, ...]:
        """Chains over word spans, in order of first mention, singletons included.

        ``sentence_lengths`` counts words. ``heads[s]`` are the syntactic heads of sentence ``s`` (from 0, -1 for the
        root), which determine the head word of each mention; without them the head is the whole mention. Raises
        :class:`.StructureError` for a mention across a sentence boundary and for a wrong number of words.
        """
        starts = [0]
        for length in sentence_lengths:
            starts.append(starts[-1] + length)
        if starts[-1] != sum(map(len, self.sentences)):
            raise StructureError(f"{starts[-1]} words in sentences, {sum(map(len, self.sentences))} in the document")
        sentence_of = [number for number, length in enumerate(sentence_lengths) for _ in range(length)]
        chains: dict[str, list[Mention]] = {}
        for mention in self.mentions:
            number = sentence_of[mention.start]
            if sentence_of[mention.end - 1] != number:
                raise StructureError(f"mention {mention.entity} at word {mention.start} crosses a sentence boundary")
            span = Span(number, mention.start - starts[number], mention.end - starts[number])
            head = span if heads is None else head_of_span(span, heads[number])
            chains.setdefault(mention.entity, []).append(Mention(span, head))
        return tuple(Chain(tuple(sorted(set(mentions)))) for mentions in chains.values())


def read_gum_coreference(content: str | bytes, name: str) -> list[CoreferenceDocument]:
    """Read GUM's three-column files."""
    return _read(content, name, GUM_BEGIN, _gum_word, _gum_mention)


def read_conll_coreference(content: str | bytes, name: str) -> list[CoreferenceDocument]:
    """Read CoNLL-2012 files; the word is in the fourth of five or more columns, else in the last but one."""
    return _read(content, name, CONLL_BEGIN, _conll_word, _conll_mention)


def _gum_word(line: str, words: int) -> tuple[str, str] | None:
    fields = line.split("\t")
    return (fields[1], fields[2]) if len(fields) == 3 and fields[0] == str(words) and all(fields) else None


def _gum_mention(label: str) -> tuple[str, str, str] | None:
    match = GUM_LABEL.fullmatch(label)
    return (match["entity"], match["type"], match["link"] or "") if match else None


def _conll_word(line: str, words: int) -> tuple[str, str] | None:
    fields = line.split()
    return (fields[3] if len(fields) > 4 else fields[-2], fields[-1]) if len(fields) > 1 else None


def _conll_mention(label: str) -> tuple[str, str, str] | None:
    return (label, "", "") if label.isascii() and label.isdigit() else None


def _read(
    content: str | bytes,
    name: str,
    begin: re.Pattern[str],
    word_of: Callable[[str, int], tuple[str, str] | None],
    mention_of: Callable[[str], tuple[str, str, str] | None],
) -> list[CoreferenceDocument]:
    documents: list[CoreferenceDocument] = []
    title: str | None = None
    part = 0
    sentences: list[list[str]] = [[]]
    mentions: list[EntityMention] = []
    open_mentions: dict[str, list[int]] = {}
    seen: set[tuple[str, int]] = set()
    words, number = 0, 0
    for number, line in lines_of(content, name):
        if match := begin.fullmatch(line):
            if title is not None:
                raise InputError(f"a document begins inside document {title}", file=name, line=number)
            title, part = match["name"], int(match["part"] or 0)
            if begin is CONLL_BEGIN and (title, part) in seen:
                remedy = "give its parts the numbers 0, 1, ... in the header: part 001"
                raise InputError(
                    f"document {title}, part {part}, is there twice", file=name, line=number, remedy=remedy
                )
            seen.add((title, part))
            sentences, mentions, open_mentions, words = [[]], [], {}, 0
        elif END.fullmatch(line):
            unclosed = [label for label, starts in open_mentions.items() if starts]
            if title is None or unclosed:
                problem = f"mention {unclosed[0]} is never closed" if unclosed else "a document ends before it begins"
                raise InputError(problem, file=name, line=number)
            filled = tuple(tuple(sentence) for sentence in sentences if sentence)
            documents.append(CoreferenceDocument(title, filled, tuple(sorted(mentions)), part))
            title = None
        elif not line.strip() and (title is None or begin is CONLL_BEGIN):
            sentences.append([])
        elif title is None:
            raise InputError("a word outside '# begin document' and '# end document'", file=name, line=number)
        else:
            fields = word_of(line, words)
            if fields is None:
                raise InputError(f"not a line for word {words}: {line[:30]!r}", file=name, line=number)
            sentences[-1].append(fields[0])
            for label, opens, closes in _items(fields[1], name, number):
                parsed = mention_of(label)
                if parsed is None or not (closes or opens):
                    raise InputError(f"mention {label!r} is not in this format", file=name, line=number)
                if opens:
                    open_mentions.setdefault(label, []).append(words)
                if closes:
                    if not open_mentions.get(label):
                        raise InputError(f"mention {label} ends before it begins", file=name, line=number)
                    mentions.append(EntityMention(open_mentions[label].pop(), words + 1, *parsed))
            words += 1
    if title is not None:
        raise InputError(f"document {title} has no end", file=name, line=number)
    return documents


def _items(cell: str, name: str, line: int) -> list[tuple[str, bool, bool]]:
    """The labels of a cell, each with whether a mention begins and whether one ends there."""
    if cell in ("_", "-", "*"):
        return []
    items = ITEM.findall(cell)
    if "".join(items) != cell.replace("|", ""):
        raise InputError(f"mentions {cell[:30]!r} have unmatched parentheses", file=name, line=line)
    return [(item.removeprefix("(").removesuffix(")"), item[0] == "(", item[-1] == ")") for item in items]


def write_conll_coreference(documents: Iterable[CoreferenceDocument]) -> str:
    """CoNLL-2012 with the columns document, part, index of the word in the sentence, word, mentions."""
    lines: list[str] = []
    for document in documents:
        cells = mention_cells(document, lambda mention: mention.entity)
        lines.append(f"#begin document ({document.name}); part {document.part:03d}")
        position = 0
        for sentence in document.sentences:
            for number, word in enumerate(sentence):
                cell = "|".join(cells[position]) or "-"
                fields = (document.name, str(document.part), str(number), word, cell)
                lines.append("\t".join(fields))
                position += 1
            lines.append("")
        lines.append("#end document")
    return "".join(f"{line}\n" for line in lines)


def write_gum_coreference(documents: Iterable[CoreferenceDocument]) -> str:
    """GUM's three columns; every mention has a type and an entity in digits, as :func:`read_gum_coreference` needs."""
    lines: list[str] = []
    for document in documents:
        cells = mention_cells(document, lambda mention: f"{mention.type}-{mention.entity}")
        words = (word for sentence in document.sentences for word in sentence)
        lines.append(f"# begin document {document.name}")
        lines += [f"{number}\t{word}\t{''.join(cell) or '_'}" for number, (word, cell) in enumerate(zip(words, cells))]
        lines.append("# end document")
    return "".join(f"{line}\n" for line in lines)


def mention_cells(
    document: CoreferenceDocument,
    label_of: Callable[[EntityMention], str],
    opening_of: Callable[[EntityMention], str] | None = None,
) -> list[list[str]]:
    """Marks of mentions at each word, in GUM's order: first those that begin, then those that end, longest first.

    ``opening_of`` says more than the label where a mention begins.

    Where a longer mention begins on the last word of another one, the end comes first: otherwise the two marks would
    run together.
    """
    count = sum(map(len, document.sentences))
    opening: list[list[str]] = [[] for _ in range(count)]
    closing: list[list[str]] = [[] for _ in range(count)]
    crossed = [False] * count
    ends: dict[str, list[int]] = {}
    for mention in sorted(document.mentions, key=lambda mention: (mention.start, -mention.end)):
        label = label_of(mention)
        open_ends = ends.setdefault(label, [])
        while open_ends and open_ends[-1] <= mention.start:
            open_ends.pop()
        if open_ends and open_ends[-1] < mention.end:
            raise StructureError(f"two mentions of {label} cross at word {mention.start}")
        open_ends.append(mention.end)
        opened = label if opening_of is None else opening_of(mention)
        if mention.end == mention.start + 1:
            opening[mention.start].append(f"({opened})")
        else:
            opening[mention.start].append(f"({opened}")
            crossed[mention.start] = True
            closing[mention.end - 1].append(f"{label})")
    return [close + begin if cross else begin + close for begin, close, cross in zip(opening, closing, crossed)]
