"""The parts of a document that one request translates, their order, and what a prompt shows beside them."""

import hashlib
from collections import Counter, deque
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.records.record import DocumentRecord
from discourse_nmt.language_models.settings import LanguageModelSettings

LINKS = ("lexical", "coreference")  # relations of the document graph that link sentences
ALIKE = 8  # random sentences of which the one with the most similar length replaces a neighbour


def units_of(record: DocumentRecord, settings: LanguageModelSettings, paragraphs: Sequence[int] = ()) -> list[range]:
    """The sentences of each unit, in text order; together all sentences of the document.

    ``paragraphs`` has the number of sentences of each paragraph. Raises :class:`InputError`: a chunk needs trees, a
    paragraph a corpus with paragraphs.
    """
    count = len(record.source)
    if settings.unit == "document":
        return [range(count)] if count else []
    if settings.unit == "paragraph":
        if count and not paragraphs:
            raise InputError(
                f"document {record.doc_id} has no paragraphs: its corpus does not keep the text between sentences",
                remedy="set unit to sentence, chunk or document",
            )
        return [range(end - length, end) for end, length in zip(accumulate(paragraphs), paragraphs)]
    if settings.unit == "chunk":
        return chunks(record, settings.chunk_words)
    return [range(number, number + 1) for number in range(count)]


def chunks(record: DocumentRecord, words: int) -> list[range]:
    """The largest subtrees of whole sentences with at most ``words`` source words; other sentences by themselves."""
    check_layers(record, ("edus", "rst"))
    sentence_of_edu = [row["sent_id"] for row in sorted(record.layer("edus"), key=lambda row: int(row["edu_id"]))]
    nodes = record.layer("rst")
    lengths = [len(sentence.split()) for sentence in record.source]
    found: list[range] = []
    end = 0  # of the chunks so far: nodes come with parents before children
    for node in sorted(nodes, key=lambda node: (node["first_edu"], -node["last_edu"])):
        first, last = node["first_edu"], node["last_edu"]
        span = range(sentence_of_edu[first], sentence_of_edu[last] + 1)
        whole = (first == 0 or sentence_of_edu[first - 1] < span.start) and (
            last + 1 == len(sentence_of_edu) or sentence_of_edu[last + 1] >= span.stop
        )
        if span.start >= end and whole and sum(lengths[number] for number in span) <= words:
            found.append(span)
            end = span.stop
    covered = {number for span in found for number in span}
    alone = [range(number, number + 1) for number in range(len(record.source)) if number not in covered]
    return sorted([*found, *alone], key=lambda span: span.start)


def check_layers(record: DocumentRecord, tables: Sequence[str]) -> None:
    """Raise :class:`InputError` for a table of the source that was not made."""
    if missing := [table for table in tables if table not in record.layers.get("source", {})]:
        raise InputError(
            f"document {record.doc_id} has no {missing[0]}, which its prompts need",
            remedy="add it to the tables of the analysis",
        )


def in_order(record: DocumentRecord, units: Sequence[range], settings: LanguageModelSettings) -> list[int]:
    """The numbers of ``units`` in the order of translation.

    In the order ``tree`` a unit comes after the one that holds the head of its first discourse unit with a head outside
    of it; where heads form a circle of units, the first unit in the text goes first.
    """
    if settings.order == "text":
        return list(range(len(units)))
    check_layers(record, ("edus", "rst_dependencies"))
    sentence_of_edu = {row["edu_id"]: row["sent_id"] for row in record.layer("edus")}
    unit_of_sentence = {sentence: number for number, unit in enumerate(units) for sentence in unit}
    above: dict[int, int] = {}
    for row in record.layer("rst_dependencies"):
        if row["head"] < 0:
            continue
        own, other = (unit_of_sentence[sentence_of_edu[row[key]]] for key in ("edu_id", "head"))
        if own != other:
            above.setdefault(own, other)
    done: dict[int, None] = {}
    for number in range(len(units)):
        path: dict[int, None] = {}
        step: int | None = number
        while step is not None and step not in done and step not in path:
            path[step] = None
            step = above.get(step)
        done.update(dict.fromkeys(reversed(path)))
    return list(done)


def context_of(record: DocumentRecord, unit: range, settings: LanguageModelSettings, seed: int) -> list[int]:
    """The sentences of the context of a ``unit``, in text order.

    ``seed`` draws the sentences of ``shuffled_neighbours``. Raises :class:`InputError` where a layer is missing.
    """
    number = settings.context_sentences
    match settings.context:
        case "none":
            return []
        case "previous":
            return list(range(max(0, unit.start - number), unit.start))
        case "document":
            return [sentence for sentence in range(len(record.source)) if sentence not in unit]
        case "shuffled_neighbours":
            return shuffled(record, unit, neighbours(record, unit, settings.shuffled, number), seed)
        case kind:
            return neighbours(record, unit, kind, number)


def neighbours(record: DocumentRecord, unit: range, kind: str, number: int) -> list[int]:
    """The ``number`` sentences nearest to a ``unit`` in the document graph, or in the tree of dependencies.

    In the graph those with most links, in the tree those with fewest steps; among equal ones the nearest in the text,
    earlier ones first.
    """
    links = graph_links(record) if kind == "graph_neighbours" else tree_links(record)
    if kind == "graph_neighbours":
        of_unit: Counter[int] = Counter()
        for (first, second), count in links.items():
            if first in unit and second not in unit:
                of_unit[second] += count
        rank = {sentence: float(-count) for sentence, count in of_unit.items()}
    else:
        rank = {sentence: float(steps) for sentence, steps in steps_from(unit, links).items()}

    def distance(sentence: int) -> int:
        return unit.start - sentence if sentence < unit.start else sentence - unit.stop + 1

    chosen = sorted(rank, key=lambda sentence: (rank[sentence], distance(sentence), sentence))[:number]
    return sorted(chosen)


def graph_links(record: DocumentRecord) -> Counter[tuple[int, int]]:
    """The number of lexical and coreference edges between each two sentences, in both orders."""
    check_layers(record, ("document_graph",))
    found: Counter[tuple[int, int]] = Counter()
    for row in record.layer("document_graph"):
        first, second = row["from_sent"], row["to_sent"]
        if row["relation"] in LINKS and first != second:
            found[first, second] += 1
            found[second, first] += 1
    return found


def tree_links(record: DocumentRecord) -> Counter[tuple[int, int]]:
    """The number of discourse dependencies between each two sentences, in both orders."""
    check_layers(record, ("edus", "rst_dependencies"))
    sentence_of_edu = {row["edu_id"]: row["sent_id"] for row in record.layer("edus")}
    found: Counter[tuple[int, int]] = Counter()
    for row in record.layer("rst_dependencies"):
        if row["head"] >= 0:
            first, second = sentence_of_edu[row["edu_id"]], sentence_of_edu[row["head"]]
            if first != second:
                found[first, second] += 1
                found[second, first] += 1
    return found


def steps_from(unit: range, links: Counter[tuple[int, int]]) -> dict[int, int]:
    """The fewest links from a ``unit`` to each sentence that links lead to."""
    linked: dict[int, list[int]] = {}
    for first, second in links:
        linked.setdefault(first, []).append(second)
    steps = dict.fromkeys(unit, 0)
    waiting = deque(unit)
    while waiting:
        sentence = waiting.popleft()
        for other in linked.get(sentence, ()):
            if other not in steps:
                steps[other] = steps[sentence] + 1
                waiting.append(other)
    return {sentence: count for sentence, count in steps.items() if sentence not in unit}


def shuffled(record: DocumentRecord, unit: range, replaced: list[int], seed: int) -> list[int]:
    """Random sentences instead of those ``replaced``, as many and of similar lengths.

    They are no neighbours, unless the document has too few others.
    """
    digest = hashlib.sha256(f"{seed} {record.doc_id} {unit.start}".encode()).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    free = [sentence for sentence in range(len(record.source)) if sentence not in unit and sentence not in replaced]
    drawn = [[of[place] for place in rng.permutation(len(of))] for of in (free, replaced)]
    lengths = [len(sentence.split()) for sentence in record.source]
    chosen = []
    for sentence in replaced:
        waiting = drawn[0] or drawn[1]
        few = min(ALIKE, 1 + len(waiting) // 3)  # of a short document, too, the draw decides
        place = min(range(few), key=lambda place: abs(lengths[waiting[place]] - lengths[sentence]))
        chosen.append(waiting.pop(place))
    return sorted(chosen)
